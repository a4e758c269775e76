// Charts before the flop, solved here or from the JSON file of `endspiel preflop`.
import { go, href, say } from "../app.js";
import { loadSpot } from "../spot/store.js";
import { createStore, recall, remember } from "../store.js";

const CHIPS = 100; // a big blind, as the lines count it: r250 raises to two and a half

export const preflop = createStore({ file: recall("preflop") });

const fits = (file) =>
  Array.isArray(file?.charts) &&
  file.charts.length > 0 &&
  file.charts.every(({ line, actions, names, classes, weights, frequencies }) =>
    [actions, names, frequencies].every(Array.isArray) && typeof line === "string" && classes && weights,
  ) &&
  Array.isArray(file.flops);

export async function openCharts(file) {
  let content = null;
  try {
    content = JSON.parse(await file.text());
  } catch {
    // told below
  }
  if (!fits(content)) {
    say(`${file.name} has no charts of endspiel preflop.`, true);
    return;
  }
  keepCharts(file.name.replace(/\.json$/, ""), content);
}

/** Show charts, of a file or just solved, and keep them in this browser. */
export function keepCharts(name, { stack, charts, flops, value, exploitability, prizes, flop_value }) {
  const kept = { name, stack, charts, flops, value, exploitability, prizes, flop_value };
  remember("preflop", kept);
  preflop.set({ file: kept });
  go(href("preflop"));
}

/** Both ranges as they come to a flop, as a spot: the board is left to choose. */
export function openFlop({ pot, stack, ranges, more = {} }) {
  const money = { pot: Math.round(CHIPS * pot), stack: Math.round(CHIPS * stack) };
  loadSpot({ board: "", ...money, big_blind: CHIPS, ranges, ...more }); // more: rake, or prizes and both stacks
  go(href("spot"));
  say("Choose a flop: both ranges, pot and stacks are from the chart.");
}
