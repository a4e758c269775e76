// A whole hand played against a solve: dealt, played decision by decision, and what it lost.
import { attempt } from "../app.js";
import { get, post } from "../api.js";
import { createStore, forget, recall, remember } from "../store.js";
import { countAnswer, train } from "./store.js";

export const whole = createStore({
  hand: null, // docs/web-api.md
  busy: false,
});

let dealing = 0; // the newest request counts

const sourceJob = () => {
  const [kind, id] = train.get().source.split(" ");
  return kind === "job" ? id : "";
};

/** Deal the next hand of the chosen solve. */
export async function dealHand() {
  const job = sourceJob();
  if (!job) return;
  const own = ++dealing;
  whole.set({ busy: true });
  const hand = await attempt(() => post("/api/train/hands", { job, player: train.get().player }));
  if (own !== dealing) return;
  whole.set({ busy: false, ...(hand ? { hand } : {}) });
  if (hand) remember("train.hand", hand.id);
}

/** Go on with the hand that was left, if it is of the chosen solve; else deal one. */
export async function openHand() {
  const job = sourceJob();
  const { player } = train.get();
  const fits = (one) => one.job === job && (player === null || one.player === player);
  const { hand } = whole.get();
  if (!job) whole.set({ hand: null });
  if (!job || (hand && fits(hand))) return;
  const left = recall("train.hand");
  const own = ++dealing;
  whole.set({ hand: null });
  if (left) {
    try {
      const found = await get(`/api/train/hands/${left}`);
      if (own !== dealing) return;
      if (fits(found) && !found.ending) {
        whole.set({ hand: found });
        return;
      }
    } catch {
      forget("train.hand"); // the server has forgotten it
    }
  }
  if (own === dealing) dealHand();
}

export async function actInHand(word) {
  const { hand, busy } = whole.get();
  if (!hand || hand.ending || busy) return;
  whole.set({ busy: true });
  const found = await attempt(() => post(`/api/train/hands/${hand.id}/act`, { word }));
  whole.set({ busy: false, ...(found ? { hand: found } : {}) });
  if (!found) return;
  const { line, verdict } = found.decisions.at(-1);
  countAnswer({ ...verdict, board: hand.board, hand: hand.hand, line });
}
