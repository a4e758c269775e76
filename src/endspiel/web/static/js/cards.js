// Cards and hands as the library numbers them: a card is 4 * rank + suit (2c is 0, As is 51), the
// hand {low < high} is high * (high - 1) / 2 + low.

export const RANKS = "23456789TJQKA";
export const SUITS = "cdhs";
export const SUIT_SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
export const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
export const NUM_HANDS = 1326;

/** "Ah" of 50. */
export const cardText = (card) => RANKS[card >> 2] + SUITS[card & 3];

/** 50 of "Ah"; -1 where the text is no card. */
export function parseCard(text) {
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

/** "Qs Jh 2h" of card numbers. */
export const cardsText = (cards) => cards.map(cardText).join(" ");

export const handIndex = (a, b) => {
  const [low, high] = a < b ? [a, b] : [b, a];
  return (high * (high - 1)) / 2 + low;
};

/** The two cards of every hand, low first. */
export const HAND_CARDS = [];
for (let high = 1; high < 52; high += 1) {
  for (let low = 0; low < high; low += 1) HAND_CARDS.push([low, high]);
}

/** "AhKh", the high card first. */
export const handText = (hand) => cardText(HAND_CARDS[hand][1]) + cardText(HAND_CARDS[hand][0]);

/** Names of the 169 classes, row by row of the chart: AA, AKs, ..., AKo, KK, ... */
export const CLASS_NAMES = [];
for (let row = 0; row < 13; row += 1) {
  for (let column = 0; column < 13; column += 1) {
    const [high, low] = row < column ? [row, column] : [column, row];
    const kind = row === column ? "" : row < column ? "s" : "o";
    CLASS_NAMES.push(RANKS[12 - high] + RANKS[12 - low] + kind);
  }
}

/** The class of every hand. */
export const HAND_CLASS = HAND_CARDS.map(([low, high]) => {
  const row = 12 - (high >> 2); // the chart begins with the ace
  const column = 12 - (low >> 2);
  return (low & 3) === (high & 3) ? row * 13 + column : column * 13 + row;
});

/** The hands of every class. */
export const CLASS_HANDS = CLASS_NAMES.map(() => []);
HAND_CLASS.forEach((cell, hand) => CLASS_HANDS[cell].push(hand));

/** Whether a hand holds any of some cards. */
export const touches = (hand, cards) => HAND_CARDS[hand].some((card) => cards.includes(card));
