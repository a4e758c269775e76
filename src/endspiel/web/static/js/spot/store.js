// The spot being written: its fields as typed, what the server says of them, and how to solve it.
import { app, go, href, noteJob, say } from "../app.js";
import { post } from "../api.js";
import { cardText, parseCards } from "../cards.js";
import { typed } from "../format.js";
import { createStore, debounce, recall, remember } from "../store.js";

const STREETS = ["flop", "turn", "river"];
export const PLAYERS = ["Out of position", "In position"];
const THRESHOLDS = ["add_allin_threshold", "force_allin_threshold", "merging_threshold"];
const WAIT = 200; // milliseconds of quiet before the server is asked

const newRange = (text = "") => ({
  text,
  valid: "",
  weights: null,
  combos: 0,
  live: 0,
  percent: 0,
  mixed: [],
});
const AS_BETS = { own: false, text: "" }; // no donk sizes of their own: the street's bet sizes
const newMenu = () => ({ bet: ["50%, 100%", "50%, 100%"], raise: ["60%", "60%"], donk: AS_BETS });

/** Donk sizes of a spot file: a text, perhaps empty, replaces the bet sizes; none leaves them. */
const donkOf = (text) => (typeof text === "string" ? { own: true, text } : AS_BETS);

function emptySpot() {
  return {
    board: "",
    pot: "",
    stack: "",
    ranges: [newRange(), newRange()],
    menus: { flop: newMenu(), turn: newMenu(), river: newMenu() },
    apart: false, // whether the players have menus of their own
    limits: {
      max_raises: "",
      add_allin_threshold: "",
      force_allin_threshold: "",
      merging_threshold: "",
    },
    method: "dcfr",
    target: "0.1",
    iterations: "",
    seconds: "",
    touched: {}, // fields that were edited: only these complain before the first attempt
    tried: false,
  };
}

const KEPT = Object.keys(emptySpot());

/** Menus as kept; donk sizes were once a text alone, of which an empty one was left out. */
const keptMenus = (menus) =>
  Object.fromEntries(
    Object.entries(menus).map(([street, { donk, ...menu }]) => [
      street,
      { ...menu, donk: typeof donk === "string" ? donkOf(donk.trim() ? donk : null) : donk },
    ]),
  );

/** What was typed before a reload; what another version left behind is forgotten. */
function recalled() {
  const kept = recall("spot");
  const usable = kept?.ranges?.every((text) => typeof text === "string") && kept.menus?.river?.bet;
  if (!usable) return emptySpot();
  const ranges = kept.ranges.map((text) => newRange(text));
  return { ...emptySpot(), ...kept, ranges, menus: keptMenus(kept.menus) };
}

export const spot = createStore({
  ...recalled(),
  errors: {}, // field -> why it is refused
  estimate: null, // the size, once the spot can be built
  starting: false,
});

/** Cards on the board so far. */
export const boardOf = (state) => parseCards(state.board);

/** The streets that need menus: from the board's on. */
export const streetsOf = (state) => STREETS.slice(Math.max(0, boardOf(state).length - 3));

function menuOf(menu, apart) {
  const pair = (both) => (apart && both[0] !== both[1] ? both : both[0]);
  const table = { bet: pair(menu.bet), raise: pair(menu.raise) };
  return menu.donk.own ? { ...table, donk: menu.donk.text } : table;
}

/** The spot as a spot file has it; keys left empty are left out. */
export function asSpot(state) {
  const content = { board: state.board.trim(), ranges: state.ranges.map(({ text }) => text) };
  for (const key of ["pot", "stack"]) if (state[key].trim()) content[key] = typed(state[key]);
  for (const [key, text] of Object.entries(state.limits))
    if (text.trim()) content[key] = typed(text);
  for (const street of streetsOf(state)) content[street] = menuOf(state.menus[street], state.apart);
  return content;
}

/** Whether nothing has been said of the spot yet, so that nothing need be refused. */
const isBlank = ({ board, pot, stack, ranges }) =>
  ![board, pot, stack, ...ranges.map(({ text }) => text)].some((text) => text.trim());

/** The request to solve. */
function asSolve(state) {
  const limit = (text) => (text.trim() ? typed(text) : null);
  return {
    spot: asSpot(state),
    method: state.method,
    target_percent: limit(state.target),
    iterations: limit(state.iterations),
    seconds: limit(state.seconds),
  };
}

const keep = debounce(WAIT, () => {
  const state = spot.get();
  const kept = Object.fromEntries(KEPT.map((key) => [key, state[key]]));
  remember("spot", { ...kept, tried: false, ranges: state.ranges.map(({ text }) => text) });
});

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
    const body = { spot: asSpot(state), method: state.method };
    const estimate = await post("/api/spot/check", body, { signal: checking.signal });
    spot.set({ estimate, errors: {} });
  } catch (error) {
    if (error.name === "AbortError") return;
    spot.set({ estimate: null, errors: error.byField() });
  }
});

function changed(patch, field) {
  spot.set((state) => ({ ...patch, touched: { ...state.touched, [field]: true } }));
  keep();
  check();
}

/** Why a field is refused, if it is time to say so. */
export const whyOf = (state, field) =>
  state.tried || state.touched[field] ? (state.errors[field] ?? "") : "";

export const setField = (field, value) => changed({ [field]: value }, field);

export function setLimit(field, value) {
  changed({ limits: { ...spot.get().limits, [field]: value } }, field);
}

export function setMenu(street, key, player, value) {
  const { menus, apart } = spot.get();
  const menu = { ...menus[street] };
  if (key === "donk") menu.donk = { own: true, text: value };
  else if (apart) menu[key] = menu[key].map((text, at) => (at === player ? value : text));
  else menu[key] = [value, value];
  changed({ menus: { ...menus, [street]: menu } }, `${street}.${key}`);
}

/** Whether a street has donk sizes of its own; what was typed is kept for when it has again. */
export function setOwnDonk(street, own) {
  const { menus } = spot.get();
  const menu = menus[street];
  changed(
    { menus: { ...menus, [street]: { ...menu, donk: { ...menu.donk, own } } } },
    `${street}.donk`,
  );
}

/** Whether a street's donk sizes are on the page: on the first street nobody can donk. */
export const showsDonk = (state, street) =>
  street !== streetsOf(state)[0] || state.menus[street].donk.own;

/** Copy one street's menu, as far as it is on the page, to the later ones. */
export function spreadMenu(street) {
  const state = spot.get();
  const { menus } = state;
  const copy = (menu) =>
    showsDonk(state, street) ? menus[street] : { ...menus[street], donk: menu.donk };
  const later = STREETS.slice(STREETS.indexOf(street) + 1);
  changed(
    { menus: { ...menus, ...Object.fromEntries(later.map((name) => [name, copy(menus[name])])) } },
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
export function loadSpot(content) {
  const { method, target, iterations, seconds } = spot.get();
  const both = (menu, fallback) =>
    Array.isArray(menu) ? menu : [menu ?? fallback, menu ?? fallback];
  const menus = Object.fromEntries(
    STREETS.map((name) => {
      const menu = content[name];
      return [
        name,
        menu
          ? { bet: both(menu.bet, ""), raise: both(menu.raise, ""), donk: donkOf(menu.donk) }
          : newMenu(),
      ];
    }),
  );
  const differ = ({ bet, raise }) => bet[0] !== bet[1] || raise[0] !== raise[1];
  const limits = Object.fromEntries(
    ["max_raises", ...THRESHOLDS].map((key) => [
      key,
      content[key] === undefined || content[key] === null ? "" : String(content[key]),
    ]),
  );
  spot.set({
    ...emptySpot(),
    method,
    target,
    iterations,
    seconds,
    board: content.board,
    pot: String(content.pot),
    stack: String(content.stack),
    ranges: content.ranges.map(newRange),
    menus,
    apart: Object.values(menus).some(differ),
    limits,
  });
  begin();
}

/** Forget everything typed. */
export function clearSpot() {
  spot.set({ ...emptySpot(), errors: {}, estimate: null });
  begin();
}

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
    noteJob(job);
    spot.set({ errors: {}, starting: false });
    app.set({ opening: job.id });
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
