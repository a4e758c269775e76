// What a review found: totals by street and kind of spot, the mistakes, and what was not judged.
import { capital, chips, percent } from "../format.js";
import { html, useMemo } from "../lib.js";
import { HandText } from "../parts/card.js";
import { Segmented } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { lineWords } from "../parts/line-words.js";
import { LongTable } from "../parts/long-table.js";
import { useStore } from "../store.js";
import { Summary } from "./assumed.js";
import { reviews, study } from "./store.js";

const SHOWN = [
  ["mistakes", "Mistakes"],
  ["all", "All decisions"],
];
const STREETS = ["preflop", "flop", "turn", "river"];

const blinds = (amount) => chips(amount, 2);

/** Totals as a table; a row shows its own decisions alone. */
function Totals({ title, name, rows, choice }) {
  const chosen = useStore(reviews, (state) => state[choice]);
  const choose = (value) => reviews.set({ [choice]: value === chosen ? "" : value });
  return html`<section class="panel" aria-label=${title}>
    <${Exported} name=${`review by ${name}`}><div class="scroll-x"><table class="hands totals">
      <thead><tr><th scope="col">${title}</th><th class="num" scope="col">Decisions</th><th class="num" scope="col">Mistakes</th><th class="num" scope="col">Lost, bb</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.name} data-total=${row.name}>
        <td data-value=${row.name}><button type="button" class="bare slim" aria-pressed=${row.name === chosen} onClick=${() => choose(row.name)}>${capital(row.name)}</button></td>
        <td class="num">${row.decisions}</td><td class="num">${row.mistakes}</td><td class="num">${blinds(row.big_blinds)}</td>
      </tr>`)}</tbody>
    </table></div><//>
  </section>`;
}

const COLUMNS = [
  { key: "loss", title: "Lost, bb", value: (one) => one.big_blinds, show: (one) => (one.mistake ? blinds(one.big_blinds) : "–") },
  { key: "study", title: "Decision", text: true, value: (one) => `${one.hand}, ${one.street}`, sort: (one) => one.at,
    show: (one) => html`<button type="button" class="bare slim" data-decision=${one.at} title="Open as a study" onClick=${() => study(one.at)}>Hand ${one.hand}, ${one.street}</button>` },
  { key: "cards", title: "Cards", text: true, value: (one) => one.cards, show: (one) => html`<${HandText} hand=${one.cards} />` },
  { key: "taken", title: "Played", text: true, value: (one) => one.taken, show: (one) => capital(one.taken) },
  { key: "best", title: "Best", text: true, value: (one) => one.best, show: (one) => (one.mistake ? capital(one.best) : "–") },
  { key: "share", title: "Solution plays it, %", value: (one) => 100 * one.share, show: (one) => percent(one.share, 0) },
  { key: "error", title: "Off by up to, bb", value: (one) => one.error, show: (one) => blinds(one.error) },
  { key: "where", title: "After", text: true, value: (one) => lineWords(one.where), show: (one) => lineWords(one.where) || "first to act" },
  { key: "player", title: "Player", text: true, value: (one) => one.player, show: (one) => one.player },
  { key: "kind", title: "Spot", text: true, value: (one) => one.kind, show: (one) => one.kind },
];

function Decisions({ result }) {
  const { only, street, kind } = useStore(reviews);
  const rows = useMemo(
    () =>
      result.decisions
        .map((one, at) => ({ ...one, at }))
        .filter((one) => (only === "all" || one.mistake) && (!street || one.street === street) && (!kind || one.kind === kind)),
    [result, only, street, kind],
  );
  const within = [street, kind].filter(Boolean).join(", ");
  return html`<section class="panel stack" aria-label="Decisions">
    <div class="row spread">
      <${Segmented} label="Which decisions" options=${SHOWN} value=${only} onChange=${(value) => reviews.set({ only: value })} />
      <span class="quiet small" role="status">${rows.length} of ${result.decisions.length} decisions${within && `, ${within}`}
        ${within && html`<button type="button" class="bare slim" onClick=${() => reviews.set({ street: "", kind: "" })}>Show all</button>`}</span>
    </div>
    ${
      rows.length
        ? html`<${LongTable} name="review" label="Decisions, scroll for more" columns=${COLUMNS} rows=${rows} first="loss" keyOf=${({ at }) => at} />`
        : html`<p class="quiet">${result.decisions.length ? "No mistake here: each action was as good as the best one, up to what the solves may be off by." : "No decision could be judged."}</p>`
    }
  </section>`;
}

function NotJudged({ review }) {
  const { result } = review;
  const parts = [
    [result.early, "hands end before the review begins"],
    [result.unseen, "decisions of players whose cards are not known"],
    [result.unsure, "decisions before the flop that lose less than the charts may be off by"],
  ].filter(([number]) => number);
  const reasons = Object.entries(result.reasons);
  if (!parts.length && !reasons.length) return null;
  return html`<details class="panel"><summary>Not judged</summary>
    <ul class="small">${parts.map(([number, text]) => html`<li key=${text}>${number} ${text}</li>`)}
      ${reasons.map(([reason, number]) => html`<li key=${reason}>${number} × ${reason}: hand ${result.unjudged.filter((one) => one.reason === reason).slice(0, 8).map((one) => `${one.hand} (line ${one.line})`).join(", ")}</li>`)}
    </ul>
  </details>`;
}

export function Found({ review }) {
  const { result } = review;
  const mistakes = result.decisions.filter((one) => one.mistake).length;
  const streets = STREETS.flatMap((name) => result.streets.filter((one) => one.name === name));
  return html`<div class="stack">
    <section class="panel stack" aria-label="Result">
      <${Summary} review=${review} />
      <div class="row spread"><p class="pot"><b>${blinds(result.big_blinds)} bb</b> lost by ${mistakes} ${mistakes === 1 ? "mistake" : "mistakes"} in ${result.decisions.length} decisions${result.finished ? "" : " (the review was stopped)"}</p>
        <button type="button" onClick=${() => reviews.set({ changing: true })}>Change what is assumed</button></div>
    </section>
    ${result.decisions.length > 0 && html`<div class="plots">
      <${Totals} title="Street" name="street" rows=${streets} choice="street" />
      <${Totals} title="Spot" name="spot" rows=${result.kinds} choice="kind" />
    </div>`}
    <${Decisions} result=${result} />
    <${NotJudged} review=${review} />
  </div>`;
}
