// The single combos of a class within its cell: each a small field with its own strategy.
import { shareBars } from "../actions.js";

const SUITS = "shdc";
const GAP = 0.02; // of the cell, between fields

/** Columns, rows, and the field of each combo by its suits. */
function layout(hand) {
  const [first, second] = [SUITS.indexOf(hand[1]), SUITS.indexOf(hand[3])];
  if (hand[0] === hand[2]) {
    const [low, high] = [Math.min(first, second), Math.max(first, second)];
    const at = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].findIndex(([a, b]) => a === low && b === high);
    return { columns: 3, rows: 2, column: at % 3, row: Math.floor(at / 3) };
  }
  if (first === second) return { columns: 2, rows: 2, column: first % 2, row: Math.floor(first / 2) };
  return { columns: 4, rows: 3, column: first, row: second - (second > first ? 1 : 0) };
}

/** Where a background of some size must lie, in CSS percent, to begin at an offset. */
const place = (offset, size) => `${((100 * offset) / Math.max(1e-6, 1 - size)).toFixed(2)}%`;

/** Backgrounds {image, size, position} of a class's combos; a field is as high as its weight. */
export function suitLayers(hands, colors, tallest) {
  return hands
    .filter(({ weight }) => weight > 0)
    .map(({ hand, weight, strategy }) => {
      const { columns, rows, column, row } = layout(hand);
      const width = 1 / columns - GAP;
      const height = (1 / rows - GAP) * Math.min(1, weight / tallest);
      const top = (row + 1) / rows - GAP / 2 - height;
      return {
        image: shareBars(strategy, colors),
        size: `${(100 * width).toFixed(2)}% ${(100 * height).toFixed(2)}%`,
        position: `${place(column / columns + GAP / 2, width)} ${place(top, height)}`,
      };
    });
}
