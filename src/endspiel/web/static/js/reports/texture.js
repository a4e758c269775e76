// What kind of board it is, by its flop: how suited, how paired, how high.
import { RANKS } from "../cards.js";

export const SUITED = ["rainbow", "two-tone", "monotone"];
export const PAIRED = ["unpaired", "paired", "trips"];
export const HIGH = [...RANKS].reverse();

/** {suited, paired, high} of "Ks 7h 2d"; suits count on the flop, pairs and ranks on the whole board. */
export function textureOf(board) {
  const cards = board.split(" ");
  const most = (texts) =>
    Math.max(...texts.map((text) => texts.filter((other) => other === text).length));
  const ranks = cards.map(([rank]) => rank);
  return {
    suited: SUITED[most(cards.slice(0, 3).map(([, suit]) => suit)) - 1],
    paired: PAIRED[Math.min(3, most(ranks)) - 1],
    high: HIGH.find((rank) => ranks.includes(rank)),
  };
}

export const SUITED_COLORS = {
  rainbow: "var(--fold)",
  "two-tone": "var(--bet-0)",
  monotone: "var(--bet-3)",
};
