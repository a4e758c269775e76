// Colors of values; the text on `heat` is the page's ink, on `tint` it is white.

/** From the low color through a neutral one to the high color, x from 0 to 1. */
export function heat(x) {
  const at = Math.min(1, Math.max(0, x));
  const [from, to, share] =
    at < 0.5 ? ["--heat-low", "--heat-mid", 2 * at] : ["--heat-mid", "--heat-high", 2 * at - 1];
  return mix(`var(${from})`, `var(${to})`, share);
}

/** A share from 0 to 1 of some color, neutral at 0. */
export const tint = (color, share) => mix("var(--nought)", color, Math.min(1, Math.max(0, share)));

const mix = (from, to, share) => `color-mix(in oklab, ${from}, ${to} ${(100 * share).toFixed(1)}%)`;

/** Where a value lies between the least and the greatest of some, 0 to 1; 0.5 if all are equal. */
export function scaler(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  const low = Math.min(...known);
  const high = Math.max(...known);
  return (value) => (high > low ? (value - low) / (high - low) : 0.5);
}
