// The combos of a class: what each does, and what it is worth.
import { actionColors, actionShort, shareBars } from "../actions.js";
import { CLASS_NAMES } from "../cards.js";
import { eqr, percent } from "../format.js";
import { html } from "../lib.js";
import { HandText } from "../parts/card.js";
import { Heads, Swatch } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { useStore } from "../store.js";
import { cellOf, className, handsOf, isFiltered, result, sideOf } from "./store.js";
import { money } from "../units.js";

function DecidingTable({ node, rows }) {
  const words = node.actions.map(({ word }) => word);
  const colors = actionColors(words);
  return html`<table class="hands">
    <thead><tr>
      <th>Hand</th><th class="wide-cell"><span class="hidden-label">Strategy</span></th>
      ${words.map(
        (word, at) =>
          html`<th class="num" key=${word}><${Swatch} color=${colors[at]} />${actionShort(word, node.to_call, money)}</th>`,
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
              html`<td class="num" key=${at} data-value=${percent(share)}>
                <span data-part="share">${percent(share)}</span><small class="under quiet">${money(row.action_ev[at], 2)}</small>
              </td>`,
          )}
          <td class="num strong">${money(row.ev, 2)}</td>
          <td class="num">${percent(row.equity)}</td>
          <td class="num">${eqr(row.eqr)}</td>
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
  const { node, filter } = state;
  const cell = cellOf(state);
  if (cell < 0)
    return html`<p class="quiet small pad">
      Point at a class of the chart for its combos; click it to hold them here.
    </p>`;
  const every = handsOf(state);
  if (!every) return html`<p class="quiet small pad">${CLASS_NAMES[cell]}</p>`;
  const rows = every.filter(({ hand }) => className(hand) === CLASS_NAMES[cell]);
  if (!rows.length)
    return html`<p class="quiet small pad">No combo of ${CLASS_NAMES[cell]} gets here${isFiltered(filter) ? " and passes the filter" : ""}.</p>`;
  return html`<div class="scroll-x" aria-live="polite" aria-label=${`Combos of ${CLASS_NAMES[cell]}`}>
    <${Exported} name=${CLASS_NAMES[cell]}>
      <${sideOf(state) === node.player ? DecidingTable : OtherTable} node=${node} rows=${rows} />
    <//>
  </div>`;
}
