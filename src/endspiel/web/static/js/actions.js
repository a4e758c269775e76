// Actions, short and in color; the colors come from tokens.css.

/** A betting word (f, c, b100, r300) for tight places: "F", "X", "C", "B 100", "R 300"; `amount` writes chips. */
export function actionShort(word, toCall, amount = (chips) => chips) {
  if (word === "f") return "F";
  if (word === "c") return toCall ? "C" : "X";
  return `${word[0].toUpperCase()} ${amount(Number(word.slice(1)))}`;
}

const STEPS = 5;
const SPREAD = { 1: [1], 2: [0, 2], 3: [0, 2, 4] }; // few sizes lie far apart on the scale

/** A color for each of some bet sizes, from amber to purple; many share the scale's steps in order. */
function betColors(number) {
  const steps =
    SPREAD[number] ??
    Array.from({ length: number }, (_, at) => Math.round((at * (STEPS - 1)) / (number - 1)));
  return steps.map((step) => `var(--bet-${step})`);
}

/** One CSS color an action, of words (f, c, b100) or names (fold, check, bet 100). */
export function actionColors(actions) {
  const passive = actions.map((text) =>
    /^f/.test(text) ? "var(--fold)" : /^c/.test(text) ? "var(--call)" : null,
  );
  const bets = betColors(passive.filter((color) => color === null).length);
  return passive.map((color) => color ?? bets.shift());
}

/** A background of vertical bars, one an action, as wide as its share. */
export function shareBars(shares, colors) {
  const stops = [];
  let from = 0;
  shares.forEach((share, at) => {
    if (!(share > 0.0005)) return;
    const to = from + 100 * share;
    stops.push(`${colors[at]} ${from.toFixed(2)}% ${to.toFixed(2)}%`);
    from = to;
  });
  return stops.length ? `linear-gradient(to right, ${stops.join(", ")})` : "none";
}
