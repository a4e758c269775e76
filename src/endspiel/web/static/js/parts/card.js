// Playing cards, small and large, in four colors.
import { RANKS, SUIT_NAMES, SUIT_SIGNS } from "../cards.js";
import { html } from "../lib.js";

const RANK_NAMES = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };

/** "queen of spades" of "Qs". */
const cardName = (text) => `${RANK_NAMES[text[0]] ?? text[0]} of ${SUIT_NAMES[text[1]]}`;

/** A card face; `size` is "s", "m" or "l". Without a text, its back. */
export function Card({ text, size = "m" }) {
  if (!text)
    return html`<span class=${`card back ${size}`} role="img" aria-label="a hidden card"></span>`;
  return html`<span class=${`card ${size} suit-${text[1]}`} data-card=${text} role="img" aria-label=${cardName(text)}
    ><span aria-hidden="true">${text[0] === "T" ? "10" : text[0]}</span><span aria-hidden="true">${SUIT_SIGNS[text[1]]}</span></span
  >`;
}

/** Cards side by side. */
export function Cards({ cards, size }) {
  return html`<span class="cards">${cards.map(
    (text, at) => html`<${Card} key=${text ?? at} text=${text} size=${size} />`,
  )}</span>`;
}

/** A hand in running text: A♥K♥ with colored suits. */
export function HandText({ hand }) {
  return html`<span class="hand-text">${[hand.slice(0, 2), hand.slice(2)].map(
    (text) =>
      html`<span class=${`suit-${text[1]}`} key=${text}>${text[0]}${SUIT_SIGNS[text[1]]}</span>`,
  )}</span>`;
}

/** All 52 cards, four rows of suits; `face(text)` gives {pressed, disabled, style, title, note}. */
export function Deck({ label, face, onPick }) {
  return html`<div class="deck" role="group" aria-label=${label}>
    ${["s", "h", "d", "c"].map((suit) =>
      [...RANKS].reverse().map((rank) => {
        const text = rank + suit;
        const { pressed, disabled, style, title, note } = face(text);
        return html`<button
          type="button"
          key=${text}
          class=${`suit-${suit}`}
          data-card=${text}
          style=${style ?? {}}
          title=${title}
          aria-label=${title ? `${cardName(text)}: ${title}` : cardName(text)}
          aria-pressed=${pressed}
          disabled=${disabled}
          onClick=${() => onPick(text)}
        ><span aria-hidden="true">${rank}${SUIT_SIGNS[suit]}</span>${note !== undefined && html`<small aria-hidden="true">${note}</small>`}</button>`;
      }),
    )}
  </div>`;
}
