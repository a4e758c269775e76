// Betting words (f, c, b100, r300) as names and colors; the colors come from tokens.css.

/** "Fold", "Check", "Call 50", "Bet 100", "Raise to 300"; all-in is said where it is known. */
export function actionName(word, toCall, allIn = null) {
  if (word === "f") return "Fold";
  if (word === "c") return toCall ? "Call" : "Check";
  const amount = Number(word.slice(1));
  const end = allIn !== null && amount >= allIn ? " all-in" : "";
  return `${word[0] === "b" ? "Bet" : "Raise to"} ${amount.toLocaleString("en-US")}${end}`;
}

/** A short form for tight places: "F", "X", "C", "B 100", "R 300". */
export function actionShort(word, toCall) {
  if (word === "f") return "F";
  if (word === "c") return toCall ? "C" : "X";
  return `${word[0].toUpperCase()} ${word.slice(1)}`;
}

const STEPS = 5;

/** One CSS color an action: blue folds, green checks and calls, bets darker with size. */
export function actionColors(words) {
  const bets = words.filter((word) => word !== "f" && word !== "c");
  return words.map((word) => {
    if (word === "f") return "var(--fold)";
    if (word === "c") return "var(--call)";
    const at = bets.indexOf(word);
    // few sizes spread over the scale, many share its steps in order
    const step = bets.length === 1 ? 1 : Math.round((at * (STEPS - 1)) / (bets.length - 1));
    return `var(--bet-${bets.length === 2 ? [0, 2][at] : step})`;
  });
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
