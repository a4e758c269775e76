// A line of a hand in words: "check, bet 2.5, call, 4♥, ..." of "c b2.5 c / 4h".
import { SUIT_SIGNS } from "../cards.js";

/** What was done before a decision, street by street; `amount` writes chips. */
export function lineWords(where, amount = (chips) => chips) {
  let open = false; // whether there is a bet to call
  let cards = false;
  const said = where.split(" ").filter(Boolean).map((word) => {
    if (word === "/") {
      [cards, open] = [true, false];
      return null;
    }
    if (cards && /^[2-9TJQKA][cdhs]$/.test(word)) {
      cards = false;
      return `${word[0]}${SUIT_SIGNS[word[1]]}`;
    }
    cards = false; // a line of a tree has none
    if (word === "f") return "fold";
    if (word === "c") {
      const name = open ? "call" : "check";
      open = false;
      return name;
    }
    open = true;
    return `${word[0] === "b" ? "bet" : "raise to"} ${amount(word.slice(1))}`;
  });
  return said.filter(Boolean).join(", ");
}
