// Every card that can come: how the play goes on after it, as a heat map of the deck and a table.
import { actionColors } from "../actions.js";
import { go, href } from "../app.js";
import { chips, percent } from "../format.js";
import { heat, scaler, tint } from "../heat.js";
import { html } from "../lib.js";
import { Card, Deck } from "../parts/card.js";
import { useStore } from "../store.js";
import { SIDES } from "./crumbs.js";
import { result, setMetric } from "./store.js";

const TITLE = (text) => text[0].toUpperCase() + text.slice(1);

/** What the map can show: [key, title, value of a card, text of a value]. */
function metricsOf(runouts) {
  const actions = (runouts.actions ?? []).map((name, at) => [
    `a${at}`,
    `${SIDES[runouts.player]} ${name}`,
    (card) => card.frequencies[at],
    (value) => percent(value, 0),
  ]);
  const sides = [0, 1].flatMap((player) => [
    [`ev${player}`, `EV ${SIDES[player]}`, (card) => card.ev[player], (value) => chips(value, Math.abs(value) < 99.5 ? 1 : 0)],
    [`eq${player}`, `Equity ${SIDES[player]}`, (card) => card.equity[player], (value) => percent(value, 0)],
  ]);
  return [...actions, ...sides];
}

function stylesOf(metric, runouts, values) {
  if (!metric[0].startsWith("a")) {
    const place = scaler(values);
    return (value) => ({ background: heat(place(value)), color: "var(--ink)", borderColor: "transparent" });
  }
  const color = actionColors(runouts.words)[Number(metric[0].slice(1))];
  return (value) => ({ background: tint(color, value), color: "var(--on-action)", borderColor: "transparent" });
}

function Map({ runouts, metric }) {
  const [, , valueOf, text] = metric;
  const cards = Object.fromEntries(runouts.cards.map((card) => [card.card, card]));
  const styleOf = stylesOf(metric, runouts, runouts.cards.map(valueOf));
  const face = (name) => {
    const card = cards[name];
    if (!card) return { disabled: true, pressed: undefined };
    const value = valueOf(card);
    if (value === null || value === undefined) return { note: "–", title: "not reached" };
    return { note: text(value), title: `${metric[1]} ${text(value)}`, style: styleOf(value) };
  };
  return html`<${Deck} label="Cards that can come" face=${face} onPick=${(name) => go(href("result", result.get().id, cards[name].line))} />`;
}

function Table({ runouts, metric }) {
  const [, , valueOf] = metric;
  const rows = [...runouts.cards].sort((a, b) => (valueOf(b) ?? -Infinity) - (valueOf(a) ?? -Infinity));
  const id = result.get().id;
  const line = (card, name) => html`
    ${card.frequencies.map((share, at) => html`<td class="num" key=${`f${at}`}>${percent(share)}</td>`)}
    ${[0, 1].map((player) => html`<td class="num" key=${`e${player}`}>${chips(card.ev[player], 2)}</td>`)}
    <td class="num">${percent(card.equity[0])}</td>
    <td class="num">${percent(card.equity[1])}</td>
  `;
  return html`<div class="runout-table"><table class="hands">
    <thead><tr><th>Card</th>
      ${(runouts.actions ?? []).map((name) => html`<th class="num" key=${name}>${TITLE(name)}</th>`)}
      <th class="num">EV OOP</th><th class="num">EV IP</th><th class="num">Eq. OOP</th><th class="num">Eq. IP</th>
    </tr></thead>
    <tbody>
      ${runouts.mean && html`<tr class="mean"><th scope="row">Mean</th>${line(runouts.mean)}</tr>`}
      ${rows.map((card) => html`<tr key=${card.card}><td><a href=${href("result", id, card.line)}><${Card} text=${card.card} size="s" /></a></td>${line(card)}</tr>`)}
    </tbody>
  </table></div>`;
}

export function Runouts() {
  const runouts = useStore(result, (state) => state.runouts);
  const chosen = useStore(result, (state) => state.metric);
  if (!runouts) return html`<p class="quiet pad" role="status">Looking at every card…</p>`;
  const metrics = metricsOf(runouts);
  const metric = metrics.find(([key]) => key === chosen) ?? metrics[metrics.length - 4];
  return html`<div class="runouts stack">
    <div class="row spread">
      <h2>${TITLE(runouts.street)} cards</h2>
      <label class="row small">Show
        <select value=${metric[0]} onChange=${(event) => setMetric(event.target.value)}>
          ${metrics.map(([key, title]) => html`<option key=${key} value=${key} selected=${key === metric[0]}>${TITLE(title)}</option>`)}
        </select>
      </label>
    </div>
    <${Map} runouts=${runouts} metric=${metric} />
    <p class="quiet small">A card goes on with the play after it. Mean over all cards: ${metric[1]} ${metric[3](metric[2](runouts.mean))}${metric[0].startsWith("ev") ? " chips" : "%"}.</p>
    <${Table} runouts=${runouts} metric=${metric} />
  </div>`;
}
