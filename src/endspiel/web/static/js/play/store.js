// A table against the agent: its state comes from the server, in answers and in events.
import { attempt, follow, go, href } from "../app.js";
import { get, post, remove } from "../api.js";
import { typed } from "../format.js";
import { loadSpot } from "../spot/store.js";
import { createStore, forget, recall, remember } from "../store.js";
import { inBlinds, units } from "../units.js";

const FORM = {
  game: "nolimit-holdem",
  agent: "",
  technique: "nested",
  clock: "5",
  depth: "100", // big blinds
  big: "100",
  small: "50",
  seat: "alternate",
  judge: true, // whether hands are judged as they end
};

export const play = createStore({
  table: null, // the state of the table, docs/web-api.md
  missing: false, // the table asked for is gone
  thought: null, // the agent's latest report while it thinks
  review: null, // what the agent thought in the hand just finished
  point: 0, // which of its decisions is shown
  hands: null, // every finished hand, newest first
  opening: false, // whether an opponent is getting ready
  acting: "", // the moment that an action on its way to the server is for
  amount: "", // the raise being typed, of this street
  amountIn: "chips", // or "bb": the unit it was typed in
  errors: {}, // field -> why
  form: { ...FORM, ...recall("play.form") },
});

export function setForm(field, value) {
  play.set(({ form, errors }) => ({
    form: { ...form, [field]: value },
    errors: { ...errors, [field]: "" },
  }));
  remember("play.form", play.get().form);
}

/**
 * What both had put in when this street began. The server counts chips over the whole hand, as the
 * match protocol does; players think in chips of the street.
 */
export function streetBase(table) {
  if (table.legal) return table.legal.street_start;
  let most = Math.max(...table.blinds);
  let base = 0;
  for (const { who, action, to } of table.log) {
    if (who === "dealer") base = most;
    else if (action === "raise") most = to;
  }
  return base;
}

/** Answers and events come by different ways, so that an older state may arrive last. */
const isOlder = (table, known) =>
  table.hand < known.hand || (table.hand === known.hand && table.log.length < known.log.length);

function take(table) {
  const old = play.get().table;
  if (old && old.id === table.id && isOlder(table, old)) return;
  const newHand = !old || old.id !== table.id || old.hand !== table.hand;
  const myTurn =
    table.turn === "you" && (newHand || old.turn !== "you" || old.log.length !== table.log.length);
  play.set({ table, missing: false });
  if (newHand) play.set({ review: null, point: 0 });
  if (!table.thinking) play.set({ thought: null });
  if (myTurn && table.legal && table.legal.min_to !== null)
    chooseAmount(table.legal.min_to - streetBase(table));
  if (table.result && !play.get().review) loadReview(table);
  if (table.result && (newHand || !old.result) && play.get().form.judge) judge(table.hand);
  if (table.hands !== (play.get().hands?.length ?? -1)) loadHands(table.id);
}

let listing = 0; // the newest request counts

/** The list of finished hands, with what their own decisions lost. */
export async function loadHands(id) {
  const own = ++listing;
  try {
    const { hands } = await get(`/api/play/${id}/hands`);
    if (own === listing && play.get().table?.id === id) play.set({ hands });
  } catch {
    // the next finished hand asks again
  }
}

/** Have a hand's own decisions judged; the answer comes as an event. */
export function judge(hand) {
  const { id } = play.get().table;
  return attempt(async () => {
    const judged = await post(`/api/play/${id}/hands/${hand}/judge`);
    if (judged.state !== "waiting") return;
    await loadHands(id);
  });
}

/** A hand's own decisions, once they are judged. */
function takeJudged({ id, hand, judged }) {
  if (play.get().table?.id !== id) return;
  play.set(({ hands }) => ({
    hands: hands?.map((row) => (row.hand === hand ? { ...row, judged } : row)) ?? null,
  }));
}

async function loadReview(table) {
  try {
    const review = await get(`/api/play/${table.id}/review`);
    if (play.get().table?.id === table.id && review.hand === play.get().table.hand)
      play.set({ review, point: Math.max(0, review.points.length - 1) });
  } catch {
    // a hand that the agent folded unseen has nothing to tell
  }
}

follow("play", (table) => table.id === play.get().table?.id && take(table));
follow("judged", takeJudged);
follow("thinking", (thought) => thought.id === play.get().table?.id && play.set({ thought }));

/** Sit down at a table that exists. */
export async function open(id) {
  if (play.get().table?.id === id) return;
  play.set({ table: null, missing: false, thought: null, review: null, hands: null });
  try {
    const table = await get(`/api/play/${id}`);
    take(table);
    remember("play.table", id);
    if (table.thinking) await refresh(id);
  } catch (error) {
    if (error.status === 404) forget("play.table");
    play.set({ missing: true });
  }
}

/** Ask again: an event may have been missed while nobody listened, or knew the table's name. */
export async function refresh(id) {
  try {
    const table = await get(`/api/play/${id}`);
    if (play.get().table?.id === id) take(table);
  } catch {
    // the next answer will tell
  }
}

/** Open a new table against the agent chosen, with one of its techniques. */
export async function begin(technique) {
  const { form, opening } = play.get();
  if (opening) return;
  const [depth, big] = [typed(form.depth), typed(form.big)];
  const known = typeof depth === "number" && typeof big === "number";
  play.set({ opening: true, errors: {} });
  try {
    const table = await post("/api/play", {
      agent: form.agent,
      game: form.game,
      technique,
      clock: typed(form.clock),
      stack: known ? Math.round(depth * big) : depth,
      blinds: [big, typed(form.small)],
      seat: form.seat,
    });
    play.set({ table: null, thought: null, hands: null });
    take(table);
    remember("play.table", table.id);
    go(href("play", table.id));
    if (table.thinking) await refresh(table.id);
  } catch (error) {
    play.set({ errors: error.byField() });
  } finally {
    play.set({ opening: false });
  }
}

/** Tells the states of a hand apart: an event can bring the next one before the action's answer. */
const momentOf = ({ id, hand, log }) => `${id} ${hand} ${log.length}`;

/** Fold, call or raise; `to` is in chips of this street. */
export async function act(action, to = null) {
  const { table, acting } = play.get();
  const moment = momentOf(table);
  if (acting === moment) return; // a second click before the first is answered
  const body = action === "raise" ? { action, to: to + streetBase(table) } : { action };
  play.set({ errors: {}, acting: moment });
  try {
    take(await post(`/api/play/${table.id}/act`, body));
  } catch (error) {
    play.set({ errors: { amount: error.message } });
  }
  if (play.get().acting === moment) play.set({ acting: "" });
}

/** In limit, or where only all-in is left, there is one size: nothing to choose. */
export const onlyRaise = ({ legal }) =>
  legal.min_to === legal.max_to ? legal.min_to - legal.street_start : null;

/** The raise being typed, in chips of this street. */
export function amountChips() {
  const { amount, amountIn, table } = play.get();
  return amountIn === "bb" ? Math.round(Number(amount) * table.blinds[0]) : Number(amount);
}

export function raise() {
  const { amount, amountIn } = play.get();
  const to = amountChips();
  const what = amountIn === "bb" ? "no number of big blinds" : "not a whole number of chips";
  if (amount.trim() === "" || !Number.isInteger(to))
    play.set({ errors: { amount: `'${amount}' is ${what}` } });
  else act("raise", to);
}

export const typeAmount = (amount) =>
  play.set({ amount, amountIn: units.get().unit, errors: {} });

/** Put chips of this street into the field, in the unit that the page shows. */
export function chooseAmount(chips) {
  const blinds = chips / play.get().table.blinds[0];
  typeAmount(String(inBlinds() ? Number(blinds.toFixed(4)) : chips));
}

// what is typed stays the same amount when the unit changes
units.watch(({ unit }) => {
  const { table, amount, amountIn } = play.get();
  if (table && amount.trim() !== "" && amountIn !== unit && Number.isInteger(amountChips()))
    chooseAmount(amountChips());
});

export const setPoint = (point) => play.set({ point });

export const deal = () =>
  attempt(async () => take(await post(`/api/play/${play.get().table.id}/deal`)));

/** Open the endgame that the agent solved at one of its decisions as a spot. */
export function study(line) {
  return attempt(async () => {
    const { table, review } = play.get();
    const found = await get(`/api/play/${table.id}/study`, { hand: review.hand, line });
    loadSpot(found.spot);
    go(href("spot"));
  });
}

/** Leave the table for good. */
export function leave() {
  return attempt(async () => {
    const { table } = play.get();
    await remove(`/api/play/${table.id}`);
    forget("play.table");
    play.set({ table: null, review: null, hands: null });
    go(href("play"));
  });
}
