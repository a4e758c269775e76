// The report looked at: its rows, how they are filtered and sorted, what the plots show.
import { attempt, go, href, staying } from "../app.js";
import { get, remove, upload } from "../api.js";
import { RANKS } from "../cards.js";
import { loadSpot } from "../spot/store.js";
import { createStore, recall, remember } from "../store.js";
import { inUnit } from "../units.js";
import { textureOf } from "./texture.js";

const ALL = { suited: "", paired: "", high: "", text: "" };

export const reports = createStore({
  list: null, // entries, newest first; null until they are here
  report: null,
  filter: ALL,
  sort: { key: "board", down: false },
  x: "equity0",
  y: "",
  group: recall("reports.group") ?? "suited",
});

let listing = 0; // the newest request counts
let asking = 0;

export async function loadReports() {
  const own = ++listing;
  await attempt(async () => {
    const { reports: list } = await get("/api/reports");
    if (own === listing) reports.set({ list });
  });
}

export async function showReport(id) {
  const own = ++asking;
  if (reports.get().report?.id === id) return;
  const report = await attempt(() => get(`/api/reports/${id}`));
  if (!report || own !== asking) return;
  const rows = report.rows.map((row) => ({ ...row, ...textureOf(row.board) }));
  reports.set({
    report: { ...report, rows },
    filter: ALL,
    sort: { key: "board", down: false },
    y: `a${report.words.length > 1 ? 1 : 0}`,
  });
}

export function openReport(file) {
  const stays = staying();
  return attempt(async () => {
    const report = await upload("/api/reports", file);
    if (stays()) go(href("reports", report.id));
    await loadReports();
  });
}

export function deleteReport(id) {
  const stays = staying();
  return attempt(async () => {
    await remove(`/api/reports/${id}`);
    reports.set(({ list }) => ({ report: null, list: list.filter((one) => one.id !== id) }));
    if (stays()) go(href("reports"));
    await loadReports();
  });
}

/** A board as a study: the result where it has been solved, else the spot, ready to be. */
export function study(report, board) {
  const stays = staying();
  return attempt(async () => {
    const { spot, job } = await get(`/api/reports/${report.id}/spot`, { board });
    if (!stays()) return;
    if (job) {
      go(href("result", job, report.node));
      return;
    }
    loadSpot(spot);
    go(href("spot"));
  });
}

export const setFilter = (name, value) =>
  reports.set(({ filter }) => ({ filter: { ...filter, [name]: value } }));

export const setAxis = (axis, key) => reports.set({ [axis]: key });

export function setGroup(group) {
  remember("reports.group", group);
  reports.set({ group });
}

/** Sort by a column; once more turns it round. */
export const sortBy = (key) =>
  reports.set(({ sort }) => ({ sort: { key, down: sort.key === key ? !sort.down : key !== "board" } }));

/** The columns of numbers: {key, title, valueOf, digits, percent}. */
export function metricsOf(report) {
  const sides = ["OOP", "IP"];
  const shares = report.words.map((word, at) => ({
    key: `a${at}`,
    title: report.actions[at],
    valueOf: (row) => row.frequencies[word],
    share: true,
  }));
  const pair = (name, key, field, how) =>
    sides.map((side, player) => ({
      key: `${key}${player}`,
      title: `${name} ${side}`,
      valueOf: (row) => row[field][player],
      ...how,
    }));
  return [
    ...shares,
    ...pair("EV", "ev", "evs", { amount: true }),
    ...pair("Equity", "equity", "equities", { share: true }),
    ...pair("EQR", "eqr", "eqrs", { digits: 2 }),
  ];
}

/** A metric's value as it is shown: shares in percent, amounts in the page's unit. */
export function shownValue({ valueOf, share, amount }, row) {
  const value = valueOf(row);
  if (value === null || value === undefined) return null;
  return share ? 100 * value : amount ? inUnit(value) : value;
}

/** The rows that the filter lets through. */
export function filtered({ report, filter }) {
  const words = filter.text.trim().split(/[\s,]+/).filter(Boolean);
  return report.rows.filter(
    (row) =>
      ["suited", "paired", "high"].every((name) => !filter[name] || row[name] === filter[name]) &&
      words.every((word) => row.board.toLowerCase().includes(word.toLowerCase())),
  );
}

const rankOf = (card) => RANKS.length - RANKS.indexOf(card[0]);

/** Boards from ace high to low, card by card as they are written; then by their suits. */
function boardOrder(one, other) {
  const [first, second] = [one.split(" "), other.split(" ")];
  const at = first.findIndex((card, place) => card[0] !== second[place]?.[0]);
  return at < 0 || !second[at] ? one.localeCompare(other) : rankOf(first[at]) - rankOf(second[at]);
}

/** Rows in the chosen order; unknown values last. */
export function sorted(rows, { key, down }, metrics) {
  const metric = metrics.find((one) => one.key === key);
  if (!metric) {
    const order = (a, b) => (key === "weight" ? a.weight - b.weight : boardOrder(a.board, b.board));
    return [...rows].sort((a, b) => (down ? order(b, a) : order(a, b)));
  }
  const value = (row) => metric.valueOf(row) ?? (down ? -Infinity : Infinity);
  return [...rows].sort((a, b) => (down ? value(b) - value(a) : value(a) - value(b)));
}

/** The mean of a metric over some rows by their weights. */
export function meanOf(metric, rows) {
  let sum = 0;
  let weight = 0;
  for (const row of rows) {
    const value = shownValue(metric, row);
    if (value === null) continue;
    sum += row.weight * value;
    weight += row.weight;
  }
  return weight > 0 ? sum / weight : null;
}
