// What the chart shows at a node: strategies as bars, values as heat, ranges as fills.
import { actionColors, shareBars } from "../actions.js";
import { CLASS_NAMES } from "../cards.js";
import { eqr, percent } from "../format.js";
import { heat, scaler } from "../heat.js";
import { toneOf } from "../parts/grid.js";
import { className, handsOf, sideOf } from "./store.js";
import { suitLayers } from "./suits.js";
import { money, moneyShort, named } from "../units.js";

const nothing = { tip: "not held here" };

/** EVs in the little space of a cell. */
const evText = (value) => moneyShort(value);

/** The classes of the player who decides: of the hands that pass the filter, if there is one. */
export const classesOf = (node) => node.filtered?.classes ?? node.classes;

function strategyCell(state, { colors, tallest, combos }, cell) {
  const { node, edit, overlay } = state;
  const classes = classesOf(node);
  const name = CLASS_NAMES[cell];
  if (!(classes.weight[cell] > 0)) return nothing;
  const weight = classes.weight[cell] / tallest;
  const changed = edit.classes[name] ?? (edit.whole ? null : edit.all);
  const shares = node.actions.map(({ word }, at) =>
    changed ? (changed[word] ?? 0) : (classes.strategy[at][cell] ?? 0),
  );
  const tip = node.actions
    .map(({ name: action }, at) => `${named(action)} ${percent(shares[at], 0)}%`)
    .join(", ");
  const ev = classes.ev[cell];
  const shown = {
    fill: shareBars(shares, colors),
    height: weight,
    tone: toneOf(weight),
    locked: Boolean(changed),
    tip,
  };
  if (overlay.ev && ev !== null) Object.assign(shown, { value: evText(ev), chip: true, tip: `${tip}, EV ${money(ev, 2)}` });
  if (combos && !changed) Object.assign(shown, { layers: suitLayers(combos[cell], colors, tallest), tone: "chip" });
  return shown;
}

const VALUES = {
  // EVs have no middle to be above or below: the upper half of the colors is enough
  ev: {
    text: evText,
    scale: (values) => (value) => 0.5 + scaler(values)(value) / 2,
  },
  equity: { text: (value) => percent(value, 0), scale: () => (value) => value },
  eqr: { text: eqr, scale: () => (value) => value / 2 },
};

function valueCells(values, weights, { text, scale }) {
  const held = values.map((value, cell) => (weights[cell] > 0 ? value : null));
  const place = scale(held);
  return held.map((value) =>
    value === null || value === undefined
      ? nothing
      : { fill: heat(place(value)), tone: "ink", value: text(value), tip: text(value) },
  );
}

const rangeCell = (weight) =>
  weight > 0
    ? {
        fill: "var(--range)",
        height: weight,
        tone: "ink",
        value: weight < 0.995 ? percent(weight, 0) : undefined,
        tip: `weight ${percent(weight, 1)}%`,
      }
    : nothing;

/** The greatest weight of a class: cells are drawn relative to it, so that late nodes can be read. */
export const tallestOf = (node) =>
  Math.max(...node.classes.weight.map((weight) => weight ?? 0), 1e-9);

/** Hands by the cell of their class. */
function byCell(rows) {
  const found = CLASS_NAMES.map(() => []);
  for (const row of rows) found[CLASS_NAMES.indexOf(className(row.hand))].push(row);
  return found;
}

/** Mean equity of each class of the player who does not decide, from the hands. */
function equitiesOf(rows) {
  return byCell(rows).map((hands) => {
    const known = hands.filter(({ equity, weight }) => equity !== null && weight > 0);
    const weight = known.reduce((sum, row) => sum + row.weight, 0);
    return weight > 0 ? known.reduce((sum, row) => sum + row.weight * row.equity, 0) / weight : null;
  });
}

/** The 169 cells of the chart. */
export function cellsOf(state) {
  const { node, view, overlay } = state;
  const side = sideOf(state);
  const weights = node.filtered?.weights[side] ?? node.ranges[side].weights;
  const rows = handsOf(state);
  if (view === "range") return weights.map(rangeCell);
  if (side !== node.player)
    return rows ? valueCells(equitiesOf(rows), weights, VALUES.equity) : weights.map(() => nothing);
  const classes = classesOf(node);
  if (view !== "strategy") return valueCells(classes[view], classes.weight, VALUES[view]);
  const how = {
    colors: actionColors(node.actions.map(({ word }) => word)),
    tallest: tallestOf(node),
    combos: overlay.suits && rows ? byCell(rows) : null,
  };
  return CLASS_NAMES.map((_, cell) => strategyCell(state, how, cell));
}
