// Locks in words: "IP vs bet 150: fold 60%, call 40%".
import { percent } from "../format.js";
import { named } from "../units.js";
import { SIDES } from "./crumbs.js";

const isCard = (word) => /^[2-9TJQKA][cdhs]$/.test(word);

/** "raise to 300" of r300; a call is a check where nothing is to be called. */
function actionWords(word, toCall) {
  if (word === "f") return "fold";
  if (word === "c") return toCall ? "call" : "check";
  return named(`${word[0] === "b" ? "bet" : "raise to"} ${word.slice(1)}`);
}

/** Who decides after a line, against what, on which cards, and whether there is something to call. */
function placeOf(line) {
  const cards = [];
  let [actor, last] = [0, ""];
  for (const word of line.split(" ").filter(Boolean)) {
    if (word === "/" || isCard(word)) [actor, last] = [0, ""];
    if (isCard(word)) cards.push(word);
    else if (word !== "/") [actor, last] = [1 - actor, word];
  }
  return { actor, last, cards, toCall: /^[br]/.test(last) };
}

/** "IP vs bet 150", "OOP first on 8h". */
export function lineTitle(line) {
  const { actor, last, cards } = placeOf(line);
  const against = last ? `vs ${actionWords(last, false)}` : "first";
  return `${SIDES[actor]} ${against}${cards.length ? ` on ${cards.join(" ")}` : ""}`;
}

/** "fold 60%, call 40%" of shares by action; actions that are not taken are left out. */
export function mixText(shares, line) {
  const { toCall } = placeOf(line);
  return Object.entries(shares)
    .filter(([, share]) => share > 0)
    .map(([word, share]) => `${actionWords(word, toCall)} ${percent(share).replace(/\.0$/, "")}%`)
    .join(", ");
}

/** The parts of a lock's text: {hands, shares}, as "random f 0.6 c 0.4, AKs c 1" has two. */
const partsOf = (spec) =>
  spec.split(",").map((part) => {
    const words = part.trim().split(/\s+/);
    const first = words.findIndex((word) => /^([fc]|[br]\d+)$/.test(word));
    const pairs = words.slice(first);
    const shares = pairs.flatMap((word, at) => (at % 2 ? [] : [[word, Number(pairs[at + 1])]]));
    return { hands: words.slice(0, first), shares: Object.fromEntries(shares) };
  });

/** A lock in a line; `shares` is what all hands together were asked to do, if that was asked. */
export function lockText({ line, text }, shares) {
  const parts = partsOf(text.slice(text.indexOf(":") + 1));
  const all = parts.find(({ hands }) => hands[0] === "random");
  const singles = parts.reduce((sum, { hands }) => sum + hands.filter((hand) => hand.length === 4).length, 0);
  const classes = parts.filter(({ hands }) => hands.length === 1 && hands[0].length < 4);
  const whole = shares ? `${mixText(shares, line)} in all` : all ? mixText(all.shares, line) : `${singles} hands as solved`;
  const others = classes.map(({ hands, shares: mix }) => `${hands[0]} ${mixText(mix, line)}`);
  return `${lineTitle(line)}: ${[whole, ...others].join("; ")}`;
}
