// What the chart shows at a node: strategies as bars, values as heat, ranges as fills.
import { actionColors, shareBars } from "../actions.js";
import { CLASS_NAMES } from "../cards.js";
import { chips, percent } from "../format.js";
import { heat, scaler } from "../heat.js";
import { toneOf } from "../parts/grid.js";
import { sideOf } from "./store.js";

const nothing = { tip: "not held here" };

function strategyCell(node, edit, { colors, tallest }, cell) {
  const name = CLASS_NAMES[cell];
  if (!(node.classes.weight[cell] > 0)) return nothing;
  const weight = node.classes.weight[cell] / tallest;
  const changed = edit.classes[name] ?? (edit.whole ? null : edit.all);
  const shares = node.actions.map(({ word }, at) =>
    changed ? (changed[word] ?? 0) : (node.classes.strategy[at][cell] ?? 0),
  );
  const tip = node.actions
    .map(({ name: action }, at) => `${action} ${percent(shares[at], 0)}%`)
    .join(", ");
  return {
    fill: shareBars(shares, colors),
    height: weight,
    tone: toneOf(weight),
    locked: Boolean(changed),
    tip,
  };
}

const VALUES = {
  // EVs have no middle to be above or below: the upper half of the colors is enough
  ev: {
    text: (value) => chips(value, Math.abs(value) < 9.95 ? 1 : 0),
    scale: (values) => (value) => 0.5 + scaler(values)(value) / 2,
  },
  equity: { text: (value) => percent(value, 0), scale: () => (value) => value },
  eqr: { text: (value) => value.toFixed(2), scale: () => (value) => value / 2 },
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

/** The 169 cells of the chart. */
export function cellsOf(state) {
  const { node, view, edit, equities } = state;
  const side = sideOf(state);
  if (view === "range") return node.ranges[side].weights.map(rangeCell);
  if (side !== node.player) {
    return equities
      ? valueCells(equities, node.ranges[side].weights, VALUES.equity)
      : CLASS_NAMES.map(() => nothing);
  }
  if (view === "strategy") {
    const colors = actionColors(node.actions.map(({ word }) => word));
    const tallest = tallestOf(node);
    return CLASS_NAMES.map((_, cell) => strategyCell(node, edit, { colors, tallest }, cell));
  }
  return valueCells(node.classes[view], node.classes.weight, VALUES[view]);
}
