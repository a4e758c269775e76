// Every card that can come: how the play goes on after it, as a heat map of the deck and a table.
import { actionColors } from "../actions.js";
import { go, href } from "../app.js";
import { capital, percent } from "../format.js";
import { heat, scaler, tint } from "../heat.js";
import { html } from "../lib.js";
import { Card, Deck } from "../parts/card.js";
import { Heads, options } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { useStore } from "../store.js";
import { SIDES } from "./crumbs.js";
import { result, setMetric } from "./store.js";
import { money, moneyShort, named, unitName } from "../units.js";

/** What the map can show: [key, title, value of a card, text of a value]. */
function metricsOf(runouts) {
  const actions = runouts.actions.map((name, at) => [
    `a${at}`,
    `${SIDES[runouts.player]} ${named(name)}`,
    (card) => card.frequencies[at],
    (value) => percent(value, 0),
  ]);
  const sides = [0, 1].flatMap((player) => [
    [
      `ev${player}`,
      `EV ${SIDES[player]}`,
      (card) => card.ev[player],
      (value) => moneyShort(value, 99.5),
    ],
    [
      `eq${player}`,
      `Equity ${SIDES[player]}`,
      (card) => card.equity[player],
      (value) => percent(value, 0),
    ],
  ]);
  return [...actions, ...sides];
}

function stylesOf(metric, runouts, values) {
  if (!metric[0].startsWith("a")) {
    const place = scaler(values);
    return (value) => ({
      background: heat(place(value)),
      color: "var(--ink)",
      borderColor: "transparent",
    });
  }
  const color = actionColors(runouts.words)[Number(metric[0].slice(1))];
  const most = Math.max(...values, 1e-9); // rare actions would all look alike on a scale to 1
  return (value) => ({
    background: tint(color, value / most),
    color: "var(--on-action)",
    borderColor: "transparent",
  });
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
  const pick = (name) => go(href("result", result.get().id, cards[name].line));
  return html`<${Deck} label="Cards that can come" face=${face} onPick=${pick} />`;
}

function Table({ runouts, metric }) {
  const [, , valueOf] = metric;
  const rows = [...runouts.cards].sort(
    (a, b) => (valueOf(b) ?? -Infinity) - (valueOf(a) ?? -Infinity),
  );
  const id = result.get().id;
  const cells = ({ frequencies, ev, equity }) =>
    [
      ...frequencies.map((share) => percent(share)),
      ...ev.map((amount) => money(amount, 2)),
      ...equity.map((share) => percent(share)),
    ].map((text, at) => html`<td class="num" key=${at}>${text}</td>`);
  return html`<${Exported} name=${`${runouts.street} cards`}><div class="runout-table" tabindex="0" role="region" aria-label="Every card, scroll for more"><table class="hands">
    <thead><tr><th>Card</th>
      <${Heads} names=${[...runouts.actions.map((name) => capital(named(name))), "EV OOP", "EV IP", "Eq. OOP", "Eq. IP"]} />
    </tr></thead>
    <tbody>
      ${runouts.mean && html`<tr class="mean"><th scope="row">Mean</th>${cells(runouts.mean)}</tr>`}
      ${rows.map(
        (card) =>
          html`<tr key=${card.card}>
            <td data-value=${card.card}><a href=${href("result", id, card.line)}><${Card} text=${card.card} size="s" /></a></td>
            ${cells(card)}
          </tr>`,
      )}
    </tbody>
  </table></div><//>`;
}

/** The metric chosen, among those that there are. */
function useMetric(runouts) {
  const chosen = useStore(result, (state) => state.metric);
  const metrics = metricsOf(runouts);
  return [metrics, metrics.find(([key]) => key === chosen) ?? metrics[metrics.length - 4]];
}

/** The map alone, with the choice of what it shows and the mean over all cards. */
export function RunoutMap() {
  const runouts = useStore(result, (state) => state.runouts);
  const [metrics, metric] = useMetric(runouts);
  const mean = metric[3](metric[2](runouts.mean));
  const unit = metric[0].startsWith("ev") ? ` ${unitName()}` : "%";
  return html`<div class="runouts stack">
    <div class="row spread">
      <h2>${capital(runouts.street)} cards</h2>
      <label class="row small">Show
        <select onChange=${(event) => setMetric(event.target.value)}>${options(metrics, metric[0])}</select>
      </label>
    </div>
    <${Map} runouts=${runouts} metric=${metric} />
    <p class="quiet small">
      A card goes on with the play after it. Mean over all cards: ${metric[1]} ${mean}${unit}.
    </p>
  </div>`;
}

function RunoutTable() {
  const runouts = useStore(result, (state) => state.runouts);
  const [, metric] = useMetric(runouts);
  return html`<${Table} runouts=${runouts} metric=${metric} />`;
}

export function Runouts() {
  const known = useStore(result, (state) => state.runouts !== null);
  if (!known) return html`<p class="quiet pad" role="status">Looking at every card…</p>`;
  return html`<div class="stack"><${RunoutMap} /><${RunoutTable} /></div>`;
}
