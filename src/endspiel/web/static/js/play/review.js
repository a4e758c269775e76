// After the hand: at each of the agent's decisions its range, and what it would have done.
import { actionColors, shareBars } from "../actions.js";
import { CLASS_NAMES, highFirst } from "../cards.js";
import { capital, duration, percent } from "../format.js";
import { html, useState } from "../lib.js";
import { Cards } from "../parts/card.js";
import { Segmented, Swatch } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { Grid, toneOf } from "../parts/grid.js";
import { useStore } from "../store.js";
import { named, stake } from "../units.js";
import { play, setPoint, study } from "./store.js";

const WHOSE = [
  ["own", "Its range"],
  ["yours", "Yours, as it believes"],
];
const TOLD = {
  own: "Each class is as high as it was likely to be held, and colored by what the agent would have done with it.",
  yours: "How likely the agent thought each class was in your hand.",
};

function cellsOf(point, colors) {
  const most = Math.max(...point.range.filter((weight) => weight !== null), 1e-9);
  return CLASS_NAMES.map((_, cell) => {
    const weight = (point.range[cell] ?? 0) / most;
    if (!(weight > 0.002)) return { tip: "not in its range" };
    const shares = point.strategy?.map((row) => row[cell]);
    if (!shares || shares[0] === null)
      return {
        fill: "var(--range)",
        height: weight,
        tone: "ink",
        tip: `in its range, ${percent(weight, 0)}%`,
      };
    const tip = point.actions.map((name, at) => `${named(name)} ${percent(shares[at], 0)}%`).join(", ");
    return {
      fill: shareBars(shares, colors),
      height: weight,
      tone: toneOf(weight),
      tip,
    };
  });
}

/** "Exploitability, %" of "exploitability_percent". */
const labelOf = (name) => capital(name.replace(/_percent$/, ", %").replaceAll("_", " "));

/** Whatever the agent reports of the endgame it solved, as a table. */
function Endgame({ report }) {
  const text = (value) =>
    typeof value === "number"
      ? String(Number(value.toPrecision(4)))
      : Array.isArray(value)
        ? value.join(" ")
        : String(value);
  return html`<${Exported} name="endgame"><table class="endgame"><tbody>
    ${Object.entries(report)
      .filter(([, value]) => value !== null && typeof value !== "object")
      .map(
        ([name, value]) =>
          html`<tr key=${name}>
            <th scope="row">${labelOf(name)}</th>
            <td class="num">${text(value)}</td>
          </tr>`,
      )}
  </tbody></table><//>`;
}

const rangeCells = (weights) => {
  const most = Math.max(...weights.map((weight) => weight ?? 0), 1e-9);
  return weights.map((weight) =>
    weight / most > 0.002
      ? {
          fill: "var(--range)",
          height: weight / most,
          tone: "ink",
          tip: `${percent(weight / most, 0)}% as likely as the likeliest`,
        }
      : { tip: "ruled out" },
  );
};

export function Review() {
  const review = useStore(play, (state) => state.review);
  const chosen = useStore(play, (state) => state.point);
  const [whose, setWhose] = useState("own");
  if (!review) return null;
  if (!review.points.length)
    return html`<section class="panel">
      <h2>Review</h2><p class="quiet">The agent had nothing to decide in this hand.</p>
    </section>`;
  const point = review.points[Math.min(chosen, review.points.length - 1)];
  const colors = actionColors(point.actions);
  const believed = whose === "yours" && point.believed;
  return html`<section class="panel review" aria-label="Review">
    <header><h2>What the agent thought</h2><${Cards} cards=${highFirst(review.agent_hole)} size="s" /></header>
    <ol class="points">
      ${review.points.map(
        (one, at) =>
          html`<li key=${at}>
            <button type="button" class="slim" aria-pressed=${at === chosen} onClick=${() => setPoint(at)}>
              ${capital(one.street)}: ${named(one.taken)}
            </button>
          </li>`,
      )}
    </ol>
    <div class="review-body">
      <${Grid}
        label=${believed ? "Your range as the agent believes" : "Its range and strategy"}
        cells=${believed ? rangeCells(point.believed) : cellsOf(point, colors)}
      />
      <div class="stack">
        ${
          point.believed &&
          html`<${Segmented} label="Whose range" options=${WHOSE} value=${whose} onChange=${setWhose} />`
        }
        <p class="small quiet">${TOLD[believed ? "yours" : "own"]}</p>
        <${Exported} name="strategy"><table class="sides"><thead><tr><th>Action</th><th class="num">With its hand</th></tr></thead><tbody>
          ${point.actions.map(
            (name, at) => html`<tr key=${name} class=${at === point.taken_index ? "acting" : ""}>
              <th scope="row">
                <${Swatch} color=${colors[at]} />${capital(named(name))}${at === point.taken_index ? ", taken" : ""}
              </th>
              <td class="num">${point.own ? `${percent(point.own[at])}%` : "–"}</td>
            </tr>`,
          )}
        </tbody></table><//>
        <p class="small quiet">
          Pot ${stake(point.pot)}${point.seconds !== null ? ` · decided in ${duration(point.seconds)}` : ""}
        </p>
        ${
          point.endgame &&
          html`<div>
            <h3 class="overline">Where this is from</h3>
            <${Endgame} report=${point.endgame} />
            ${
              point.study &&
              html`<button type="button" class="slim" onClick=${() => study(point.line)}>
                Open this endgame as a spot
              </button>`
            }
          </div>`
        }
      </div>
    </div>
  </section>`;
}
