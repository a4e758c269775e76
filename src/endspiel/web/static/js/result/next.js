// What follows each action: who acts next and how, a card, or the end; after one action alone, more.
import { actionColors, shareBars } from "../actions.js";
import { href } from "../app.js";
import { capital, percent } from "../format.js";
import { html } from "../lib.js";
import { Swatch } from "../parts/controls.js";
import { useStore } from "../store.js";
import { SIDES } from "./crumbs.js";
import { RunoutMap } from "./runouts.js";
import { result } from "./store.js";
import { named, stake } from "../units.js";

/** "IP to act", "River card", "OOP takes 300", "Showdown for 400". */
function placeOf({ kind, player, street, outcome, winner, pot }) {
  if (kind === "decision") return `${SIDES[player]} to act`;
  if (kind === "deal") return `${capital(street)} card`;
  return outcome === "fold"
    ? `${SIDES[winner]} takes ${stake(pot)}`
    : `Showdown for ${stake(pot)}`;
}

/** How the next player goes on, as a bar and in words. */
function Mix({ words, actions, frequencies }) {
  if (!frequencies) return html`<p class="quiet small">Nobody gets there.</p>`;
  const colors = actionColors(words);
  return html`<div
      class="mini-bar"
      style=${{ backgroundImage: shareBars(frequencies, colors) }}
      aria-hidden="true"
    ></div>
    <p class="legend small quiet">
      ${actions.map(
        (name, at) =>
          html`<span key=${name}><${Swatch} color=${colors[at]} />${named(name)} ${percent(frequencies[at])}%</span>`,
      )}
    </p>`;
}

function Following({ id, action, color, node }) {
  return html`<li data-next=${action.word}>
    <a class="row spread" href=${href("result", id, node.line)}>
      <span><${Swatch} color=${color} />${capital(named(action.name))}</span>
      <span class="place">${placeOf(node)}</span>
    </a>
    ${node.kind === "decision" && html`<${Mix} ...${node} />`}
  </li>`;
}

/** The nodes after this one; where there is but one way on, the cards that it leads to. */
export function Next() {
  const id = useStore(result, (state) => state.id);
  const node = useStore(result, (state) => state.node);
  const following = useStore(result, (state) => state.following);
  const runouts = useStore(result, (state) => state.runouts);
  if (following?.line !== node.line) return null;
  const colors = actionColors(node.actions.map(({ word }) => word));
  return html`<section class="panel stack next" aria-label="What comes next">
    <h2>What comes next</h2>
    <ul>
      ${following.next.map(
        (after, at) =>
          html`<${Following}
            key=${after.line}
            id=${id}
            action=${node.actions[at]}
            color=${colors[at]}
            node=${after}
          />`,
      )}
    </ul>
    ${runouts && html`<${RunoutMap} />`}
  </section>`;
}
