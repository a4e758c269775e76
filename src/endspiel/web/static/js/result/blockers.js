// Blockers: what the one who decides does when the other holds a card; and the equity graph here.
import { get } from "../api.js";
import { capital, percent, signed } from "../format.js";
import { heat } from "../heat.js";
import { html, useEffect, useState } from "../lib.js";
import { Card, Deck } from "../parts/card.js";
import { Heads, Segmented } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { EquityGraph } from "../ranges/graph.js";
import { useStore } from "../store.js";
import { SIDES } from "./crumbs.js";
import { asQuery, isFiltered, result } from "./store.js";
import { named } from "../units.js";

/** What the server tells of a node under a name, asked again when the node changes. */
function useAnswer(name, more = {}) {
  const id = useStore(result, (state) => state.id);
  const node = useStore(result, (state) => state.node);
  const [found, setFound] = useState(null);
  useEffect(() => {
    let current = true;
    setFound(null);
    get(`/api/jobs/${id}/${name}`, { line: node.line, ...more })
      .then((answer) => current && setFound(answer))
      .catch((error) => current && setFound({ error: error.message }));
    return () => {
      current = false;
    };
  }, [id, node]);
  return found;
}

function CardTable({ answer }) {
  const [first] = answer.frequencies.map((_, at) => at).slice(-1);
  const rows = [...answer.cards].filter(({ probability }) => probability > 0);
  rows.sort((a, b) => b.change[first] - a.change[first]);
  return html`<${Exported} name="blockers"><div class="runout-table" tabindex="0" role="region" aria-label="Every card, scroll for more"><table class="hands">
    <thead><tr><th>Card</th><${Heads} names=${["Held", ...answer.actions.map((name) => capital(named(name))), ...answer.actions.map((name) => `Δ ${named(name)}`)]} /></tr></thead>
    <tbody>${rows.map(
      ({ card, probability, frequencies, change }) => html`<tr key=${card} data-blocker=${card}>
        <td data-value=${card}><${Card} text=${card} size="s" /></td>
        <td class="num quiet">${percent(probability)}</td>
        ${frequencies.map((share, at) => html`<td class="num" key=${at}>${percent(share)}</td>`)}
        ${change.map((share, at) => html`<td class="num strong" key=${`d${at}`}>${signed(100 * share, 1)}</td>`)}
      </tr>`,
    )}</tbody>
  </table></div><//>`;
}

export function Blockers() {
  const answer = useAnswer("blockers");
  const [action, setAction] = useState(0);
  if (!answer) return html`<p class="quiet small pad">Looking at every card…</p>`;
  if (answer.error) return html`<p class="quiet small pad">${answer.error}</p>`;
  const at = Math.min(action, answer.actions.length - 1);
  const cards = Object.fromEntries(answer.cards.map((card) => [card.card, card]));
  const most = Math.max(...answer.cards.map(({ change }) => Math.abs(change[at] ?? 0)), 1e-9);
  const face = (name) => {
    const card = cards[name];
    const change = card?.change[at];
    if (!card || change === null || !(card.probability > 0)) return { disabled: true };
    return {
      note: signed(100 * change, 1),
      title: `${named(answer.actions[at])} ${percent(card.frequencies[at])}%, ${signed(100 * change, 1)}`,
      style: { background: heat(0.5 + change / most / 2), color: "var(--ink)", borderColor: "transparent" },
    };
  };
  const other = SIDES[1 - answer.player];
  return html`<div class="stack runouts">
    <p class="quiet small">How ${SIDES[answer.player]}'s play changes, in points, where ${other} holds a card.</p>
    <${Segmented} label="Action" options=${answer.actions.map((name, one) => [one, capital(named(name))])} value=${at} onChange=${setAction} />
    <${Deck} label="Blockers" face=${face} onPick=${() => {}} />
    <${CardTable} answer=${answer} />
  </div>`;
}

export function NodeGraph() {
  const filter = useStore(result, (state) => state.filter);
  const answer = useAnswer("equity", asQuery(filter));
  if (!answer) return html`<p class="quiet small pad">Comparing the ranges…</p>`;
  if (answer.error) return html`<p class="quiet small pad">${answer.error}</p>`;
  return html`<div class="stack">
    ${isFiltered(filter) && html`<p class="quiet small">The hands that pass the filter, each against the other's whole range.</p>`}
    <${EquityGraph} graph=${answer} /></div>`;
}
