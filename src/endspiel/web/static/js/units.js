// Amounts in chips or in big blinds: the one switch, and how amounts and actions are written by it.
import { chips, signed } from "./format.js";
import { createStore, recall, remember } from "./store.js";

export const UNITS = [
  ["chips", "chips"],
  ["bb", "bb"],
];
const USUAL_BLIND = 100; // chips, where nothing else is known

export const units = createStore({
  unit: recall("unit") ?? "chips",
  blind: recall("blind") ?? USUAL_BLIND, // chips of a big blind where a solve does not say
});

export function setUnit(unit) {
  remember("unit", unit);
  units.set({ unit });
}

export function setBlind(blind) {
  if (!(blind > 0)) return;
  remember("blind", blind);
  units.set({ blind });
}

let shown = null; // chips of a big blind in what the view shows; null: the usual

/** Said by a view before it draws amounts: what a big blind is there, if that is known. */
export const showIn = (blind) => {
  shown = blind ?? null;
};

export const inBlinds = () => units.get().unit === "bb";

/** An amount in the unit; `blind` is its own big blind, where it is not of the view's solve. */
function scaled(amount, blind) {
  if (!inBlinds() || amount === null || amount === undefined) return amount;
  return amount / (blind ?? shown ?? units.get().blind);
}

/** An amount of chips in the unit, as it is plotted and sorted. */
export const inUnit = (amount) => scaled(amount);

/** An amount of chips as a number in the unit: "550", "5.5"; in tables with two digits. */
export const money = (amount, digits = null) => chips(scaled(amount), digits);

/** An amount in tight places: one digit where it is small, else none. */
export function moneyShort(amount, small = 9.95) {
  const value = scaled(amount);
  return chips(value, Math.abs(value) < small ? 1 : 0);
}

/** A change of an amount with its sign. */
export const moneyChange = (amount, digits = null) => signed(scaled(amount), digits);

/** An amount with its unit in running text: "550", "5.5bb". */
export const stake = (amount, blind = null) => `${chips(scaled(amount, blind))}${inBlinds() ? "bb" : ""}`;

/** "bb" or "chips", behind a number of its own. */
export const unitName = () => (inBlinds() ? "bb" : "chips");

/** "raise to 7.5bb" of "raise to 750": an action's name in the unit. */
export const named = (name) => (inBlinds() ? name.replace(/\d+$/, (text) => stake(Number(text))) : name);

/** "You lose 3bb at the showdown." of "You lose 300 at the showdown.": the one amount of a sentence. */
export const inText = (text) => (inBlinds() ? text.replace(/\d+(\.\d+)?/, (amount) => stake(Number(amount))) : text);
