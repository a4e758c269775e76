// Reviews of played hands: what was uploaded, what is assumed, how far a review is, what it found.
import { app, attempt, go, href, say, staying } from "../app.js";
import { get, post, query, remove } from "../api.js";
import { typed } from "../format.js";
import { createStore, debounce } from "../store.js";
import { setUnit } from "../units.js";

export const reviews = createStore({
  list: null, // entries, newest first; null until they are here
  review: null,
  form: null, // what the next review assumes
  shares: {}, // percent of all hands, by a range's text
  errors: {},
  changing: false, // whether the ranges are shown although there is a result
  only: "mistakes",
  street: "",
  kind: "",
  run: null,
});

let asking = 0; // the newest request counts

export async function loadReviews() {
  await attempt(async () => reviews.set({ list: (await get("/api/reviews")).reviews }));
}

const MENUS = { bet: "", raise: "" }; // empty: the usual ones

/** What a review begins with: the last one's settings, else the usual ranges and the player known best. */
function formOf({ result, pots, players }) {
  const usual = Object.fromEntries(pots.map(({ pot, ranges }) => [pot, ranges]));
  if (!result)
    return { begins: "turn", player: players[0].known > 0 ? players[0].name : "", pots: usual, target: "0.5", ...MENUS };
  const { assumed } = result;
  return {
    begins: assumed.begins,
    player: assumed.player,
    pots: { ...usual, ...assumed.pots },
    bet: assumed.bet ?? "",
    raise: assumed.raise ?? "",
    target: String(assumed.target_percent),
  };
}

function show(review) {
  reviews.set({ review, form: formOf(review), errors: {}, changing: false, street: "", kind: "", only: "mistakes" });
  for (const both of Object.values(reviews.get().form.pots)) both.forEach(measure);
}

export async function showReview(id) {
  const own = ++asking;
  if (reviews.get().review?.id === id) return;
  const review = await attempt(() => get(`/api/reviews/${id}`));
  if (review && own === asking) show(review);
}

/** How much of all hands a range is; what cannot be read has no share. */
async function measure(text) {
  if (text in reviews.get().shares) return;
  const share = await post("/api/range", { text })
    .then(({ percent }) => percent)
    .catch(() => null);
  reviews.set(({ shares }) => ({ shares: { ...shares, [text]: share } }));
}
const measureLater = debounce(250, measure);

async function sent(name, body) {
  const stays = staying();
  const review = await attempt(async () => {
    const response = await fetch(`/api/reviews${query({ name })}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body,
    });
    const content = await response.json();
    if (!response.ok) throw new Error(content.error);
    return content;
  });
  if (!review) return;
  show(review);
  if (stays()) go(href("review", review.id));
  await loadReviews();
}

export const openHands = (file) => sent(file.name, file);
export const pasteHands = (text) => sent("pasted hands", text);

export const setForm = (patch) =>
  reviews.set(({ form, errors }) => ({
    form: { ...form, ...patch },
    errors: Object.fromEntries(Object.entries(errors).filter(([field]) => !(field in patch))),
  }));

export function setRange(pot, player, text) {
  const { form, errors } = reviews.get();
  const both = form.pots[pot].map((old, at) => (at === player ? text : old));
  const { [`pots.${pot}.${player}`]: _, ...others } = errors;
  reviews.set({ form: { ...form, pots: { ...form.pots, [pot]: both } }, errors: others });
  measureLater(text);
}

let noted = 0; // events so far
let starting = false;

/** Take an answer over; while it was on its way, an event may have brought what is newer. */
async function take(answer) {
  const before = noted;
  const run = await answer;
  if (noted === before) reviews.set({ run });
}

export const lookAtRun = () => take(get("/api/reviews/run")).catch(() => {});
export const halt = () => take(remove("/api/reviews/run"));

export async function begin() {
  const { review, form } = reviews.get();
  const { begins, player, pots, target } = form;
  const menus = Object.fromEntries(["bet", "raise"].filter((key) => form[key].trim()).map((key) => [key, form[key]]));
  starting = true;
  try {
    const asked = { begins, player, pots, target_percent: typed(target), ...menus };
    await take(post(`/api/reviews/${review.id}/run`, asked));
    reviews.set({ errors: {} });
  } catch (error) {
    reviews.set({ errors: error.byField() });
    say(error.message, true);
  }
  starting = false;
}

/** News of the review: one that has ended is shown. */
export async function note(run) {
  const ours = starting || reviews.get().run?.state === "running";
  noted += 1;
  reviews.set({ run });
  if (run.state === "running" || !ours) return;
  if (run.error) say(run.error, true);
  await loadReviews();
  if (reviews.get().review?.id !== run.review) return;
  const review = await attempt(() => get(`/api/reviews/${run.review}`));
  if (review && reviews.get().review?.id === run.review) show(review);
}

export function deleteReview(id) {
  const stays = staying();
  return attempt(async () => {
    await remove(`/api/reviews/${id}`);
    reviews.set(({ list }) => ({ review: null, list: list.filter((one) => one.id !== id) }));
    if (stays()) go(href("review"));
    await loadReviews();
  });
}

/** Open a decision's study: its node where the spot is solved, else the solve, then its node. */
export function study(decision) {
  const stays = staying();
  const { review } = reviews.get();
  return attempt(async () => {
    const { job, line, address } = await post(`/api/reviews/${review.id}/study`, { decision });
    if (!stays()) return;
    setUnit("bb"); // the chips of these spots are hundredths of the hand's money
    if (!job) {
      go(address);
      return;
    }
    const known = app.get().jobs.find(({ id }) => id === job);
    if (known?.state === "done") {
      go(href("result", job, line));
      return;
    }
    app.set({ opening: job, openingLine: line });
    go(href("solve", job));
  });
}
