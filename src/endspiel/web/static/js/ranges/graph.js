// The equity graph of two ranges: equity against the share of the range, the best hands first.
import { chips, percent } from "../format.js";
import { html } from "../lib.js";
import { Heads, Swatch } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { Curves } from "../parts/plot.js";

const COLORS = ["var(--fold)", "var(--bet-1)"];
const SIDES = ["OOP", "IP"];
const STEPS = [10, 25, 50, 75];

/** The curves, and a table of a few of their points. */
export function EquityGraph({ graph }) {
  const curves = SIDES.map((name, player) => ({ name, color: COLORS[player], values: graph.curves[player] }));
  if (!curves.every(({ values }) => values.length))
    return html`<p class="quiet small pad">The graph appears once both ranges have hands that the board allows.</p>`;
  return html`<div class="stack">
    <${Curves} label="Equity of each range, the best hands first" curves=${curves} xName="share of the range, %" yName="equity, %" />
    <${Exported} name="equity"><table class="hands">
      <thead><tr><th>Range</th><${Heads} names=${["Combos", "Equity", ...STEPS.map((step) => `at ${step}%`)]} /></tr></thead>
      <tbody>${curves.map(
        ({ name, color, values }, player) => html`<tr key=${name} data-side=${name}>
          <th scope="row"><${Swatch} color=${color} />${name}</th>
          <td class="num">${chips(graph.combos[player], 1)}</td>
          <td class="num strong">${percent(graph.equity[player])}%</td>
          ${STEPS.map((step) => html`<td class="num" key=${step}>${percent(values[step])}</td>`)}
        </tr>`,
      )}</tbody>
    </table><//>
  </div>`;
}
