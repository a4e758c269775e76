// The combos of a class: what each does, and what it is worth.
import { actionColors, actionShort, shareBars } from "../actions.js";
import { CLASS_NAMES } from "../cards.js";
import { chips, percent } from "../format.js";
import { html } from "../lib.js";
import { HandText } from "../parts/card.js";
import { Heads, Swatch } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { useStore } from "../store.js";
import { cellOf, result, sideOf } from "./store.js";

const eqrText = (value) => (value === null ? "–" : value.toFixed(2));

function DecidingTable({ node, rows }) {
  const words = node.actions.map(({ word }) => word);
  const colors = actionColors(words);
  return html`<table class="hands">
    <thead><tr>
      <th>Hand</th><th class="wide-cell"><span class="hidden-label">Strategy</span></th>
      ${words.map(
        (word, at) =>
          html`<th class="num" key=${word}><${Swatch} color=${colors[at]} />${actionShort(word, node.to_call)}</th>`,
      )}
      <${Heads} names=${["EV", "Eq.", "EQR", "Weight"]} />
    </tr></thead>
    <tbody>
      ${rows.map(
        (row) => html`<tr key=${row.hand} data-hand=${row.hand}>
          <td><${HandText} hand=${row.hand} /></td>
          <td class="wide-cell">
            <span class="mini-bar" style=${{ backgroundImage: shareBars(row.strategy, colors) }}></span>
          </td>
          ${row.strategy.map(
            (share, at) =>
              html`<td class="num" key=${at} title=${`EV ${chips(row.action_ev[at], 2)}`}>${percent(share)}</td>`,
          )}
          <td class="num strong">${chips(row.ev, 2)}</td>
          <td class="num">${percent(row.equity)}</td>
          <td class="num">${eqrText(row.eqr)}</td>
          <td class="num quiet">${percent(row.weight, 0)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

function OtherTable({ rows }) {
  return html`<table class="hands">
    <thead><tr><th>Hand</th><${Heads} names=${["Weight", "Share of range", "Equity"]} /></tr></thead>
    <tbody>
      ${rows.map(
        (row) => html`<tr key=${row.hand} data-hand=${row.hand}>
          <td><${HandText} hand=${row.hand} /></td>
          <td class="num">${percent(row.weight)}</td>
          <td class="num">${percent(row.frequency, 2)}</td>
          <td class="num">${percent(row.equity, 2)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}

export function Hands() {
  const state = useStore(result);
  const { node, hands } = state;
  const cell = cellOf(state);
  if (cell < 0)
    return html`<p class="quiet small pad">
      Point at a class of the chart for its combos; click to keep them here.
    </p>`;
  const ready = hands && hands.cell === cell && hands.side === sideOf(state);
  if (!ready) return html`<p class="quiet small pad">${CLASS_NAMES[cell]}</p>`;
  if (!hands.rows.length)
    return html`<p class="quiet small pad">No combo of ${CLASS_NAMES[cell]} gets here.</p>`;
  return html`<div class="scroll-x" aria-live="polite" aria-label=${`Combos of ${CLASS_NAMES[cell]}`}>
    <${Exported} name=${CLASS_NAMES[cell]}>
      <${hands.side === node.player ? DecidingTable : OtherTable} node=${node} rows=${hands.rows} />
    <//>
  </div>`;
}
