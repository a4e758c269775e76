// Cards as the library numbers them (2c is 0, As is 51), and the chart's classes of hands.

export const RANKS = "23456789TJQKA";
export const SUIT_SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
export const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const SUITS = "cdhs";

/** "Ah" of 50. */
export const cardText = (card) => RANKS[card >> 2] + SUITS[card & 3];

/** 50 of "Ah"; -1 where the text is no card. */
function parseCard(text) {
  const rank = RANKS.indexOf(text[0]?.toUpperCase() ?? "?");
  const suit = SUITS.indexOf(text[1]?.toLowerCase() ?? "?");
  return text.length === 2 && rank >= 0 && suit >= 0 ? 4 * rank + suit : -1;
}

/** The cards that a text begins with, up to the first word that is none: "Qs Jh 2h", "QsJh2h". */
export function parseCards(text) {
  const cards = [];
  for (const word of text.replace(/[\s,]+/g, "").match(/.{1,2}/g) ?? []) {
    const card = parseCard(word);
    if (card < 0 || cards.includes(card)) break;
    cards.push(card);
  }
  return cards;
}

/** The cards of a hand as they are written, the high one first. */
export const highFirst = (cards) =>
  [...cards].sort((a, b) => RANKS.indexOf(b[0]) - RANKS.indexOf(a[0]));

/** Names of the 169 classes, row by row of the chart: AA, AKs, ..., AKo, KK, ... */
export const CLASS_NAMES = [];
for (let row = 0; row < 13; row += 1) {
  for (let column = 0; column < 13; column += 1) {
    const [high, low] = row < column ? [row, column] : [column, row];
    const kind = row === column ? "" : row < column ? "s" : "o";
    CLASS_NAMES.push(RANKS[12 - high] + RANKS[12 - low] + kind);
  }
}
