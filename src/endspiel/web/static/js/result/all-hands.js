// All hands of the chart's player in one table: what they are, what they do, what it is worth.
import { actionColors, actionShort } from "../actions.js";
import { app } from "../app.js";
import { RANKS } from "../cards.js";
import { capital, count, eqr, percent } from "../format.js";
import { html, useMemo } from "../lib.js";
import { HandText } from "../parts/card.js";
import { Swatch } from "../parts/controls.js";
import { LongTable } from "../parts/long-table.js";
import { useStore } from "../store.js";
import { SIDES } from "./crumbs.js";
import { handsOf, result, sideOf } from "./store.js";
import { money, named, units } from "../units.js";

const number = (key, title, show, head) => ({ key, title, head, value: (row) => row[key], show: (row) => show(row[key]) });

const rankOrder = ({ hand }) => 13 * RANKS.indexOf(hand[0]) + RANKS.indexOf(hand[2]);

const ABOUT = [
  { key: "hand", title: "Hand", text: true, value: ({ hand }) => hand, sort: rankOrder, show: ({ hand }) => html`<${HandText} hand=${hand} />` },
  { key: "made", title: "Made hand", text: true, value: ({ made }) => made, sort: ({ made }) => -app.get().about.made.indexOf(made), show: ({ made }) => capital(made) },
  { key: "draws", title: "Draws", text: true, value: ({ draws }) => draws.join(", "), show: ({ draws }) => draws.join(", ") },
  number("weight", "Weight", (value) => percent(value)),
];

/** Frequency and EV of each action, one beside the other. */
function actionColumns(node) {
  const words = node.actions.map(({ word }) => word);
  const colors = actionColors(words);
  return node.actions.flatMap(({ word, name }, at) => {
    const short = actionShort(word, node.to_call, money);
    return [
      {
        key: `f${at}`,
        title: `${capital(named(name))}, %`,
        head: html`<${Swatch} color=${colors[at]} />${short}`,
        value: ({ strategy }) => 100 * strategy[at],
        show: ({ strategy }) => percent(strategy[at]),
      },
      {
        key: `e${at}`,
        title: `EV of ${named(name)}`,
        head: `EV ${short}`,
        value: ({ action_ev: evs }) => evs[at],
        show: ({ action_ev: evs }) => money(evs[at], 2),
      },
    ];
  });
}

const columnsOf = (node, deciding) => [
  ...ABOUT,
  ...(deciding ? actionColumns(node) : []),
  ...(deciding ? [number("ev", "EV", (value) => money(value, 2))] : []),
  number("equity", "Equity", (value) => percent(value)),
  ...(deciding ? [number("eqr", "EQR", eqr)] : [number("frequency", "Share of range", (value) => percent(value, 2))]),
];

export function AllHands() {
  const node = useStore(result, (state) => state.node);
  const side = useStore(result, sideOf);
  const rows = useStore(result, handsOf);
  const unit = useStore(units, ({ unit: name, blind }) => `${name} ${blind}`);
  const deciding = side === node.player;
  const columns = useMemo(() => columnsOf(node, deciding), [node, deciding, unit]);
  return html`<section class="panel stack all-hands" aria-label="All hands">
    <div class="row spread"><h2>All hands, ${SIDES[side]}</h2>
      <span class="quiet small" role="status">${rows ? `${count(rows.length)} hands` : "Loading the hands…"}</span></div>
    ${rows && html`<${LongTable} key=${deciding} name=${`hands ${SIDES[side]} ${node.line}`.trim()} label="Hands, scroll for more"
      columns=${columns} rows=${rows} first=${deciding ? "ev" : "equity"} keyOf=${({ hand }) => hand} />`}
  </section>`;
}
