// What your own decisions in a hand lost, and what they are judged by.
import { capital, chips, percent } from "../format.js";
import { html } from "../lib.js";
import { Heads } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { named } from "../units.js";
import { judge } from "./store.js";

/** What a mistake lost, and how sure that is; nothing of a decision that is none. */
const lossText = ({ lost, error, mistake }) =>
  !mistake ? "–" : error > 0 ? `${chips(lost, 2)} ± ${chips(error, 2)}` : chips(lost, 2);

function Decisions({ decisions }) {
  return html`<${Exported} name="my-decisions"><table class="hands">
    <thead><tr><th scope="col">Street</th><th scope="col">You did</th><th scope="col">Best</th>
      <${Heads} names=${["Solved", "Lost, bb"]} /><th scope="col"><span class="hidden-label">Study</span></th></tr></thead>
    <tbody>${decisions.map(
      (one, at) => html`<tr key=${at} data-own=${one.street}>
        <td>${capital(one.street)}</td>
        <td>${capital(named(one.taken))}</td>
        <td>${capital(named(one.best))}</td>
        <td class="num">${percent(one.share, 0)}%</td>
        <td class="num strong">${lossText(one)}</td>
        <td><a href=${one.link}>Study</a></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** The decisions of a judged hand; of one that waits, that it does. */
export function Own({ judged, hand }) {
  const { state, decisions, lost, reasons } = judged;
  if (state === "unasked")
    return html`<p><button type="button" onClick=${() => judge(hand)}>Judge my decisions</button>
      <span class="quiet small"> Each spot is solved, which can take a minute.</span></p>`;
  if (state === "waiting")
    return html`<p class="quiet" role="status">Your decisions are being judged: their spots are solved.</p>`;
  return html`<div class="stack" data-judged=${state}>
    <p>${
      decisions.length
        ? html`Your decisions lost <b>${chips(lost, 2)} bb</b> against the solved strategy.`
        : "None of your decisions was judged."
    }</p>
    ${decisions.length > 0 && html`<${Decisions} decisions=${decisions} />`}
    ${reasons.map((text) => html`<p class="small quiet" key=${text}>Not judged: ${text}</p>`)}
    ${decisions.length > 0 && html`<p class="small quiet">By ${[...new Set(decisions.map(({ by }) => by))].join(", ")}; both ranges follow from them. “Solved” is how often the solution does the same.</p>`}
  </div>`;
}
