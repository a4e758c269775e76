// Kept ranges, and how the spot's two ranges stand against each other.
import { attempt } from "../app.js";
import { get, post, remove } from "../api.js";
import { cardText } from "../cards.js";
import { boardOf } from "../spot/fields.js";
import { spot } from "../spot/store.js";
import { createStore, debounce } from "../store.js";

export const ranges = createStore({
  saved: [], // {id, name, text}, by name
  graph: null, // {equity, combos, curves}
  error: "",
});

export async function loadSaved() {
  await attempt(async () => ranges.set({ saved: (await get("/api/ranges")).ranges }));
}

export function saveRange(name, text) {
  return attempt(async () => {
    await post("/api/ranges", { name, text });
    await loadSaved();
  });
}

export function forgetRange(id) {
  return attempt(async () => {
    await remove(`/api/ranges/${id}`);
    await loadSaved();
  });
}

let asking = null; // aborts the question before: a late answer must not replace a newer one

/** Ask how the ranges as they stand fare on the board as it stands. */
export const askGraph = debounce(150, async () => {
  asking?.abort();
  asking = new AbortController();
  const state = spot.get();
  const board = boardOf(state).map(cardText).join(" ");
  try {
    const texts = state.ranges.map(({ valid }) => valid);
    const { signal } = asking;
    ranges.set({ graph: await post("/api/equity", { ranges: texts, board }, { signal }), error: "" });
  } catch (error) {
    if (error.name !== "AbortError") ranges.set({ graph: null, error: error.message });
  }
});
