// Who decides, what the actions are worth, and the way on.
import { actionColors, shareBars } from "../actions.js";
import { href } from "../app.js";
import { capital, chips, eqr, percent } from "../format.js";
import { html } from "../lib.js";
import { Heads, Swatch } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { SIDES } from "./crumbs.js";
import { money, named } from "../units.js";

/** The actions of a node with their frequencies; each is the way to the next node. */
export function Actions({ id, node }) {
  const { filtered } = node;
  const colors = actionColors(node.actions.map(({ word }) => word));
  const actions = node.actions.map((action, at) =>
    filtered
      ? { ...action, frequency: filtered.frequencies[at], combos: filtered.action_combos[at], ev: filtered.action_evs[at] }
      : action,
  );
  const bar = shareBars(
    actions.map(({ frequency }) => frequency ?? 0),
    colors,
  );
  return html`<div class="actions">
    ${filtered && html`<p class="quiet small">Of the hands that pass the filter:</p>`}
    <div class="bar-of-actions" style=${{ backgroundImage: bar }} aria-hidden="true"></div>
    <${Exported} name="actions"><table>
      <thead><tr><th>Action</th><${Heads} names=${["Frequency", "Combos", "EV"]} /></tr></thead>
      <tbody>
        ${actions.map(
          (action, at) => html`<tr key=${action.word} data-action=${action.word}>
            <td>
              <a href=${href("result", id, action.line)}>
                <${Swatch} color=${colors[at]} />${capital(named(action.name))}${action.allin && html`<small>all-in</small>`}
              </a>
            </td>
            <td class="num strong">${percent(action.frequency)}%</td>
            <td class="num">${chips(action.combos, 1)}</td>
            <td class="num">${money(action.ev, 2)}</td>
          </tr>`,
        )}
      </tbody>
    </table><//>
  </div>`;
}

/** Both players at the node. */
export function Summary({ node }) {
  return html`<${Exported} name="ranges"><table class="sides">
    <thead><tr>
      <th><span class="hidden-label">Player</span></th>
      <${Heads} names=${["Combos", "EV", "Equity", "EQR", "Behind"]} />
    </tr></thead>
    <tbody>
      ${node.ranges.map(
        (range, player) => html`<tr
          key=${player}
          data-player=${player}
          class=${player === node.player ? "acting" : ""}
        >
          <th scope="row">${SIDES[player]}</th>
          <td class="num">${chips(range.combos, 1)}</td>
          <td class="num strong" data-part="ev">${money(range.ev, 2)}</td>
          <td class="num" data-part="equity">${percent(range.equity, 2)}%</td>
          <td class="num">${eqr(range.eqr)}</td>
          <td class="num">${money(node.behind[player])}</td>
        </tr>`,
      )}
    </tbody>
  </table><//>`;
}
