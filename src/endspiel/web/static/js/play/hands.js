// The finished hands of a table: the last one's decisions, and all of them as a list.
import { href } from "../app.js";
import { highFirst } from "../cards.js";
import { chips, signed } from "../format.js";
import { html } from "../lib.js";
import { HandText } from "../parts/card.js";
import { LongTable } from "../parts/long-table.js";
import { useStore } from "../store.js";
import { Own } from "./own.js";
import { play } from "./store.js";

const SEATS = ["Big blind", "Button"];
const lostOf = ({ judged }) => (judged.state === "judged" && judged.decisions.length ? judged.lost : null);
const lostText = (row) =>
  row.judged.state === "waiting" ? "…" : lostOf(row) === null ? "–" : chips(lostOf(row), 2);

const cardsText = (cards) => html`<${HandText} hand=${highFirst(cards).join("")} />`;

/** The decisions of the hand that has just ended. */
export function LastHand({ table }) {
  const row = useStore(play, (state) => state.hands?.find(({ hand }) => hand === table.hand));
  if (!table.result || !row) return null;
  return html`<section class="panel stack own" aria-label="Your decisions"><h2>Your decisions</h2><${Own} judged=${row.judged} hand=${row.hand} /></section>`;
}

export function Hands({ table }) {
  const hands = useStore(play, (state) => state.hands);
  if (!hands?.length) return null;
  const blinds = (won) => won / table.blinds[0];
  const columns = [
    { key: "hand", title: "Hand", value: ({ hand }) => hand,
      show: ({ hand }) => html`<a href=${href("play", table.id, String(hand))} aria-label=${`Replay hand ${hand}`}>${hand}</a>` },
    { key: "seat", title: "Seat", text: true, value: ({ seat }) => SEATS[seat], show: ({ seat }) => SEATS[seat] },
    { key: "hole", title: "Yours", text: true, value: ({ hole }) => hole.join(""), show: ({ hole }) => cardsText(hole) },
    { key: "its", title: "Its", text: true, value: ({ agent_hole: hole }) => hole.join(""), show: ({ agent_hole: hole }) => cardsText(hole) },
    { key: "board", title: "Board", text: true, value: ({ board }) => board.join(" "), show: ({ board }) => board.join(" ") },
    { key: "how", title: "Ended by", text: true, value: ({ how }) => how, show: ({ how }) => how },
    { key: "won", title: "Won, bb", value: ({ won }) => blinds(won), show: ({ won }) => signed(blinds(won), 1) },
    { key: "lost", title: "EV lost, bb", value: lostOf, show: lostText },
  ];
  return html`<section class="panel stack played" aria-label="Hands played"><h2>Hands played</h2>
    <${LongTable} name="hands-played" label="All hands played" columns=${columns} rows=${hands} first="hand" keyOf=${({ hand }) => hand} height=${300} />
  </section>`;
}
