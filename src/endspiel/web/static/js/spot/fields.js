// The fields of a spot: as typed here, as a spot file has them, and as the browser kept them.
import { parseCards } from "../cards.js";
import { typed } from "../format.js";
import { inBlinds, units } from "../units.js";

export const STREETS = ["flop", "turn", "river"];
const THRESHOLDS = ["add_allin_threshold", "force_allin_threshold", "merging_threshold"];
const LISTS = ["prizes", "others"]; // of numbers
const LIMITS = ["max_raises", ...THRESHOLDS, "rake", "rake_cap", ...LISTS];

/** A range as typed, before the server has read it. */
export const newRange = (text = "") => ({
  text,
  valid: "",
  weights: null,
  combos: 0,
  live: 0,
  percent: 0,
  mixed: [],
});
const AS_BETS = { own: false, text: "" }; // no donk sizes of their own: the street's bet sizes
const NO_DONK = { own: true, text: "" };
const newMenu = (bet = "50%, 100%", donk = AS_BETS) => ({ bet: [bet, bet], raise: ["60%", "60%"], donk });

/** Menus to begin with: leaner where a flop is solved, as its tree is on every turn and river. */
export function usualMenus(cards) {
  if (cards !== 3)
    return { menus: { flop: newMenu(), turn: newMenu(), river: newMenu() }, max_raises: "" };
  const later = newMenu("75%", NO_DONK);
  return { menus: { flop: newMenu("33%, 75%"), turn: later, river: later }, max_raises: "2" };
}

/** Donk sizes of a spot file: a text, perhaps empty, replaces the bet sizes; none leaves them. */
const donkOf = (text) => (typeof text === "string" ? { own: true, text } : AS_BETS);

/** A spot of which nothing has been said yet. */
export function emptySpot() {
  return {
    board: "",
    pot: "",
    stack: "",
    unit: inBlinds() ? "bb" : "chips", // of the amounts typed
    big_blind: "", // chips; needed where amounts are in big blinds
    ranges: [newRange(), newRange()],
    menus: usualMenus(0).menus,
    usual: true, // whether the menus are those to begin with: they follow the board
    edits: [], // of single nodes of the tree, as spot files write them
    lines: [], // the tree line by line, in place of menus
    apart: false, // whether the players have menus of their own
    limits: {
      max_raises: "",
      add_allin_threshold: "",
      force_allin_threshold: "",
      merging_threshold: "",
      rake: "",
      rake_cap: "",
      prizes: "",
      others: "",
    },
    method: "dcfr",
    target: "0.1",
    iterations: "",
    seconds: "",
    storage: "", // bits of a regret and an average; what fits into memory where it is empty
    example: "", // name of the example that this is, until it is changed
    touched: {}, // fields that were edited: only these complain before the first attempt
    tried: false,
  };
}

/** What the browser keeps of a spot. */
export const KEPT = Object.keys(emptySpot());

/** The fields that a spot file fills. */
export function fieldsOf(content) {
  const both = (menu) => (Array.isArray(menu) ? menu : [menu ?? "", menu ?? ""]);
  const filled = (menu) => ({
    bet: both(menu.bet),
    raise: both(menu.raise),
    donk: donkOf(menu.donk),
  });
  const menus = Object.fromEntries(
    STREETS.map((name) => [name, content[name] ? filled(content[name]) : newMenu()]),
  );
  const differ = ({ bet, raise }) => bet[0] !== bet[1] || raise[0] !== raise[1];
  const limits = LIMITS.map((key) => [key, [content[key] ?? ""].flat().join(", ")]);
  const amounts = { unit: "chips", big_blind: String(content.big_blind ?? "") };
  const typedIn = {
    ...amounts,
    pot: String(content.pot),
    stack: [content.stack].flat().join(" / "),
    limits: Object.fromEntries(limits),
  };
  return {
    board: content.board,
    ...inUnit(typedIn, inBlinds() ? "bb" : "chips"),
    ranges: content.ranges.map((text) => newRange(text)),
    menus,
    usual: false,
    edits: content.edits ?? [],
    lines: content.lines ?? [],
    apart: Object.values(menus).some(differ),
  };
}

/** Chips of a big blind in the form: as typed, else the usual. */
export const blindOf = ({ big_blind: blind }) =>
  Number(blind) > 0 ? Number(blind) : units.get().blind;

const AMOUNTS = ["rake_cap", "others"]; // among the limits
const tidy = (number) => Number(number.toFixed(6));
const scaledText = (text, factor) => text.replace(/\d+(\.\d+)?/g, (number) => String(tidy(Number(number) * factor)));

/** The amounts of a form typed in another unit. */
export function inUnit(state, unit) {
  if (state.unit === unit) return { ...state };
  const blind = blindOf(state);
  const factor = unit === "bb" ? 1 / blind : blind;
  const limits = AMOUNTS.map((key) => [key, scaledText(state.limits[key], factor)]);
  return {
    ...state,
    unit,
    big_blind: String(blind),
    pot: scaledText(state.pot, factor),
    stack: scaledText(state.stack, factor),
    limits: { ...state.limits, ...Object.fromEntries(limits) },
  };
}

/** Bet sizes in big blinds as chips: "33%, 2.5bb" is "33%, 250c". */
const menuText = (text, blind) =>
  text.replace(/(\d+(?:\.\d+)?)\s*bb\b/g, (_, number) => `${tidy(Number(number) * blind)}c`);

/** Menus as kept; donk sizes were once a text alone, of which an empty one was left out. */
export const keptMenus = (menus) =>
  Object.fromEntries(
    Object.entries(menus).map(([street, { donk, ...menu }]) => [
      street,
      { ...menu, donk: typeof donk === "string" ? donkOf(donk.trim() ? donk : null) : donk },
    ]),
  );

/** Cards on the board so far. */
export const boardOf = (state) => parseCards(state.board);

/** The streets that need menus: from the board's on. */
export const streetsOf = (state) => STREETS.slice(Math.max(0, boardOf(state).length - 3));

function menuOf(menu, apart, blind) {
  const read = (text) => menuText(text, blind);
  const pair = (both) => (apart && both[0] !== both[1] ? both.map(read) : read(both[0]));
  const table = { bet: pair(menu.bet), raise: pair(menu.raise) };
  return menu.donk.own ? { ...table, donk: read(menu.donk.text) } : table;
}

/** One stack, or two with a slash between them. */
function stacksOf(text) {
  const parts = text.split("/").map(typed);
  return parts.length === 1 ? parts[0] : parts;
}

function limitOf(key, text) {
  if (LISTS.includes(key)) return text.split(/[\s,]+/).filter(Boolean).map(typed);
  return key === "rake" ? text.trim() : typed(text);
}

/** The spot as a spot file has it, in chips; keys left empty are left out. */
export function asSpot(form) {
  const state = { ...form, ...inUnit(form, "chips") };
  const content = { board: state.board.trim(), ranges: state.ranges.map(({ text }) => text) };
  if (state.pot.trim()) content.pot = typed(state.pot);
  if (state.stack.trim()) content.stack = stacksOf(state.stack);
  for (const [key, text] of Object.entries(state.limits))
    if (text.trim()) content[key] = limitOf(key, text);
  if (state.big_blind.trim()) content.big_blind = typed(state.big_blind);
  for (const key of ["edits", "lines"]) if (state[key].length) content[key] = state[key];
  for (const street of streetsOf(state))
    content[street] = menuOf(state.menus[street], state.apart, blindOf(state));
  return content;
}
