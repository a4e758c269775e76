// The spot being written: its fields as typed, what the server says of them, and how to solve it.
import { app, go, href, meetJob, say } from "../app.js";
import { post } from "../api.js";
import { cardText } from "../cards.js";
import { typed } from "../format.js";
import { createStore, debounce, recall, remember } from "../store.js";
import { setUnit, units } from "../units.js";
import { FIRST } from "./examples.js";
import {
  KEPT,
  STREETS,
  asSpot,
  boardOf,
  emptySpot,
  fieldsOf,
  inUnit,
  keptMenus,
  newRange,
  streetsOf,
  usualMenus,
} from "./fields.js";

export const PLAYERS = ["Out of position", "In position"];
const SOLVING = ["method", "target", "iterations", "seconds", "storage"]; // how to solve, not what
const WAIT = 200; // milliseconds of quiet before the server is asked

/** What was typed before, an empty page too; a page that nobody has used yet has an example. */
function recalled() {
  const kept = recall("spot");
  const usable = kept?.ranges?.every((text) => typeof text === "string") && kept.menus?.river?.bet;
  if (!usable) return { ...emptySpot(), ...fieldsOf(FIRST.spot), example: FIRST.name };
  const ranges = kept.ranges.map((text) => newRange(text));
  const limits = { ...emptySpot().limits, ...kept.limits }; // there were fewer once
  const form = { ...emptySpot(), unit: "chips", ...kept, ranges, limits, menus: keptMenus(kept.menus) };
  const usual = kept.usual ?? false; // bets that were there before this was known are the reader's
  return inUnit({ ...form, usual }, units.get().unit);
}

export const spot = createStore({
  ...recalled(),
  errors: {}, // field -> why it is refused
  estimate: null, // the size, once the spot can be built
  fit: null, // of a spot too large: a smaller one that fits, what was changed, and its size
  line: "", // the decision that a link is about: shown once the spot is solved
  starting: false,
});

/** Whether nothing has been said of the spot yet, so that nothing need be refused. */
const isBlank = ({ board, pot, stack, ranges }) =>
  ![board, pot, stack, ...ranges.map(({ text }) => text)].some((text) => text.trim());

/** The request to solve, or to say how large the spot is. */
function asSolve(state) {
  const limit = (text) => (text.trim() ? typed(text) : null);
  return {
    spot: asSpot(state),
    method: state.method,
    target_percent: limit(state.target),
    iterations: limit(state.iterations),
    seconds: limit(state.seconds),
    storage: limit(state.storage),
  };
}

const keep = debounce(WAIT, () => {
  const state = spot.get();
  const kept = Object.fromEntries(KEPT.map((key) => [key, state[key]]));
  remember("spot", { ...kept, tried: false, ranges: state.ranges.map(({ text }) => text) });
});
addEventListener("pagehide", keep.flush); // what was typed just before a reload

let checking = null; // aborts the check under way

const check = debounce(WAIT, async () => {
  checking?.abort();
  checking = new AbortController();
  const state = spot.get();
  if (isBlank(state)) {
    spot.set({ estimate: null, errors: {} });
    return;
  }
  try {
    const { signal } = checking;
    const asked = asSolve(state);
    const estimate = await post("/api/spot/check", asked, { signal });
    spot.set({ estimate, errors: {}, fit: null });
    if (!estimate.fits) spot.set({ fit: await post("/api/spot/fit", asked, { signal }) });
  } catch (error) {
    if (error.name === "AbortError") return;
    spot.set({ estimate: null, errors: error.byField(), fit: null });
  }
});

/** Take over the bets of the smaller spot that fits. */
export function takeFit() {
  const { menus, apart, limits } = fieldsOf(spot.get().fit.spot);
  const { max_raises: most } = limits;
  changed({ menus, apart, edits: [], usual: false, limits: { ...spot.get().limits, max_raises: most }, fit: null }, "menus");
}

function changed(patch, field) {
  const example = SOLVING.includes(field) ? spot.get().example : "";
  const line = SOLVING.includes(field) ? spot.get().line : ""; // of another tree now
  spot.set((state) => ({ ...patch, example, line, touched: { ...state.touched, [field]: true } }));
  keep();
  check();
}

/** Why a field is refused, if it is time to say so. */
export const whyOf = (state, field) =>
  state.tried || state.touched[field] ? (state.errors[field] ?? "") : "";

export function setField(field, value) {
  changed({ [field]: value }, field);
  if (field === "board") followBoard();
}

/** Bets that were not touched are those to begin with on a board of this many cards. */
function followBoard() {
  const { usual, limits } = spot.get();
  if (!usual) return;
  const { menus, max_raises: most } = usualMenus(boardOf(spot.get()).length);
  changed({ menus, limits: { ...limits, max_raises: most } }, "board");
}

export function setLimit(field, value) {
  const told = field === "others" ? "prizes" : field; // where what is wrong with it is said
  const usual = spot.get().usual && field !== "max_raises";
  changed({ limits: { ...spot.get().limits, [field]: value }, usual }, told);
}

export function setMenu(street, key, player, value) {
  const { menus, apart } = spot.get();
  const menu = { ...menus[street] };
  if (key === "donk") menu.donk = { own: true, text: value };
  else if (apart) menu[key] = menu[key].map((text, at) => (at === player ? value : text));
  else menu[key] = [value, value];
  changed({ menus: { ...menus, [street]: menu }, usual: false }, `${street}.${key}`);
}

/** Whether a street has donk sizes of its own; what was typed is kept for when it has again. */
export function setOwnDonk(street, own) {
  const { menus } = spot.get();
  const menu = menus[street];
  changed(
    { menus: { ...menus, [street]: { ...menu, donk: { ...menu.donk, own } } }, usual: false },
    `${street}.donk`,
  );
}

/** Whether a street's donk sizes are on the page: on the first street nobody can donk. */
export const showsDonk = (state, street) =>
  street !== streetsOf(state)[0] || state.menus[street].donk.own;

/** Sizes added and removed at single nodes of the tree; without any, the menus' tree. */
export const setEdits = (edits) => changed({ edits }, "edits");

/** Menus in place of a tree that came line by line. */
export const dropLines = () => changed({ lines: [] }, "lines");

/** Copy one street's menu, as far as it is on the page, to the later ones. */
export function spreadMenu(street) {
  const state = spot.get();
  const { menus } = state;
  const copy = (menu) =>
    showsDonk(state, street) ? menus[street] : { ...menus[street], donk: menu.donk };
  const later = STREETS.slice(STREETS.indexOf(street) + 1);
  changed(
    { menus: { ...menus, ...Object.fromEntries(later.map((name) => [name, copy(menus[name])])) }, usual: false },
    "menus",
  );
}

export function setApart(apart) {
  const { menus } = spot.get();
  const joined = (menu) => ({
    ...menu,
    bet: [menu.bet[0], menu.bet[0]],
    raise: [menu.raise[0], menu.raise[0]],
  });
  const next = apart
    ? menus
    : Object.fromEntries(STREETS.map((name) => [name, joined(menus[name])]));
  changed({ apart, menus: next }, "menus");
}

/** Put a card on the board, or take it away. */
export function toggleCard(text) {
  const cards = boardOf(spot.get()).map(cardText);
  if (!cards.includes(text) && cards.length >= 5) return;
  const next = cards.includes(text) ? cards.filter((card) => card !== text) : [...cards, text];
  setField("board", next.join(" "));
  spot.get().ranges.forEach((_, player) => readRange(player));
}

function setRange(player, patch) {
  spot.set(({ ranges }) => ({
    ranges: ranges.map((range, at) => (at === player ? { ...range, ...patch } : range)),
  }));
}

// One request at a time for each range, in order: a painted cell builds on the text before it.
const queues = [Promise.resolve(), Promise.resolve()];

function askRange(player, request, rewrite) {
  queues[player] = queues[player].then(async () => {
    const board = boardOf(spot.get()).map(cardText).join(" ");
    const { text, valid } = spot.get().ranges[player];
    const base = request.set ? valid : text;
    try {
      const range = await post("/api/range", { text: base, board, ...request });
      setRange(player, {
        ...range,
        text: rewrite ? range.text : spot.get().ranges[player].text,
        valid: range.text,
      });
    } catch {
      setRange(player, { weights: spot.get().ranges[player].weights }); // the check says what is wrong
    }
    if (rewrite) changed({}, `ranges.${player}`);
  });
  return queues[player];
}

const readRange = (player) => askRange(player, {}, false);
const readers = [0, 1].map((player) => debounce(WAIT, () => readRange(player)));

/** A range typed as text; the chart follows once it reads. */
export function typeRange(player, text) {
  setRange(player, { text });
  changed({}, `ranges.${player}`);
  readers[player]();
}

/** Give classes or single hands new weights: {AKs: 0.5, AhKh: 1}. */
export const paintRange = (player, set) => askRange(player, { set }, true);

/** Replace a whole range by a text that is known to read. */
export function replaceRange(player, text) {
  setRange(player, { text });
  return askRange(player, { text }, true);
}

/** Take over a spot, as from a file; how to solve it stays as it was. */
export function loadSpot(content, example = "") {
  const now = spot.get();
  const solving = Object.fromEntries(SOLVING.map((name) => [name, now[name]]));
  spot.set({ ...emptySpot(), ...fieldsOf(content), ...solving, example, line: "" });
  begin();
}

/** Take over the spot of a link, which has it as JSON; the address then is the form's own. */
export function openLink(text) {
  try {
    const { node = "", ...content } = JSON.parse(text);
    if (content.big_blind) setUnit("bb"); // a review's chips are hundredths of its money
    loadSpot(content);
    spot.set({ line: String(node) });
  } catch {
    say("The link holds no spot.", true);
    begin();
  }
  go(href("spot"), true);
}

/** Take over one of the examples. */
export const loadExample = ({ name, spot: content }) => loadSpot(content, name);

/** Forget everything typed. */
export function clearSpot() {
  spot.set({ ...emptySpot(), errors: {}, estimate: null, line: "" });
  begin();
}

// The amounts follow the page's unit as they stand.
units.watch(({ unit }) => {
  if (spot.get().unit === unit) return;
  spot.set((state) => inUnit(state, unit));
  keep();
});

/** Read both ranges and check; done once when the view opens. */
export function begin() {
  keep();
  readRange(0);
  readRange(1);
  check();
}

/** Ask for the solve and go where it can be watched. */
export async function startSolve() {
  check.cancel();
  checking?.abort();
  spot.set({ tried: true, starting: true });
  try {
    const job = await post("/api/jobs", asSolve(spot.get()));
    meetJob(job);
    spot.set({ errors: {}, starting: false });
    app.set({ opening: job.id, openingLine: spot.get().line });
    go(href("solve", job.id));
  } catch (error) {
    const errors = error.byField();
    spot.set({ errors, estimate: null, starting: false });
    say(
      error.errors.length > 1 ? `${error.errors.length} fields need a correction.` : error.message,
      true,
    );
  }
}
