// Two solutions compared: which, at which line, and what the charts show of them.
import { get } from "../api.js";
import { createStore, recall, remember } from "../store.js";

export const compare = createStore({
  first: "",
  second: "",
  line: "",
  answer: null, // {first, second, why, near}
  error: "",
  metric: recall("compare.metric") ?? "a1", // a0, a1, ... (an action's share), ev, equity
});

/** Show the node of a line in both; the newest question wins. */
export async function showBoth(first, second, line) {
  compare.set({ first, second, line, error: "" });
  try {
    const answer = await get("/api/compare", { first, second, line });
    const now = compare.get();
    if (now.first === first && now.second === second && now.line === line) compare.set({ answer });
  } catch (error) {
    compare.set({ error: error.message, answer: null });
  }
}

export function setMetric(metric) {
  remember("compare.metric", metric);
  compare.set({ metric });
}

/** The action of the other node that an action is compared with: the same word, else the nearest. */
export function partnerOf(action, others) {
  const same = others.findIndex(({ word }) => word === action.word);
  if (same >= 0) return same;
  if (!/^[br]/.test(action.word)) return -1;
  let best = -1;
  others.forEach(({ word, amount }, at) => {
    const distance = (other) => Math.abs(Math.log(other.amount / action.amount));
    if (/^[br]/.test(word) && amount > 0 && (best < 0 || distance(others[at]) < distance(others[best])))
      best = at;
  });
  return best;
}
