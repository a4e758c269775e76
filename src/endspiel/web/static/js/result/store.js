// The node of a solution that is looked at: its chart, its hands, and the filter of them.
import { meetJob } from "../app.js";
import { get } from "../api.js";
import { CLASS_NAMES } from "../cards.js";
import { createStore, recall, remember } from "../store.js";

/** The filter that lets every hand pass. */
const NO_FILTER = { made: [], draws: [], suits: "", holds: "" };
export const EMPTY_EDIT = { all: null, whole: false, classes: {} };
const KEPT_NODES = 80; // answers kept for going back; older ones are asked for again

export const result = createStore({
  id: "",
  line: "",
  node: null,
  error: "",
  view: recall("result.view") ?? "strategy", // strategy, ev, equity, eqr, range
  side: null, // whose chart: null is the player who decides
  hovered: -1, // class under the pointer
  selected: -1, // class that was clicked
  overlay: recall("result.overlay") ?? { ev: false, suits: false }, // on the chart of the strategy
  filter: NO_FILTER, // which hands the chart, the tables and the graph are of
  hands: null, // {job, line, side, rows}: the hands of the chart's player that pass the filter
  runouts: null, // the cards after a deal, or after the one action that there is
  following: null, // {line, next}: what comes after each action of the node
  metric: "ev0", // what the run-out map shows
  panel: recall("result.panel") ?? "hands", // hands, filter, lock, graph, blockers, files
  edit: EMPTY_EDIT, // an unfinished lock of this node: mixes {word: share}
  everywhere: false,
  locks: [], // finished locks that wait for a re-solve: {text, line, summary}
  dropped: [], // lines of this solve's locks that the re-solve leaves out
  past: [], // {locks, dropped} before each change, for Undo
  job: null, // the job in full: spot, locks
});

const nodes = new Map();
let asking = null; // aborts the request under way

function cache(key, node) {
  nodes.delete(key);
  nodes.set(key, node);
  if (nodes.size > KEPT_NODES) nodes.delete(nodes.keys().next().value);
}

/** A filter as parameters of a request; those that are empty are left out. */
export const asQuery = ({ made, draws, suits, holds }) => ({
  made: made.join(",") || null,
  draws: draws.join(",") || null,
  suits: suits || null,
  holds: holds.trim() || null,
});

/** Whether a filter holds some hands back. */
export const isFiltered = (filter) => Object.values(asQuery(filter)).some(Boolean);

async function fetchNode(id, line, fresh, filter) {
  const parameters = { line, ...asQuery(filter) };
  const key = `${id} ${JSON.stringify(parameters)}`;
  asking?.abort();
  asking = null;
  if (!fresh && nodes.has(key)) return nodes.get(key);
  const own = new AbortController();
  asking = own;
  try {
    const node = await get(`/api/jobs/${id}/node`, parameters, { signal: own.signal });
    if (node.final) cache(key, node);
    return node;
  } finally {
    if (asking === own) asking = null;
  }
}

/** Whether a node is asked for and has not come yet. */
export const isAsking = () => asking !== null;

const isHere = (id, line) => result.get().id === id && result.get().line === line;

/** Show a node; `fresh` asks again even if it is known (the solve went on). */
export async function show(id, line, fresh = false) {
  const moved = id !== result.get().id || line !== result.get().line;
  if (id !== result.get().id) {
    const dropped = recall(`dropped.${id}`) ?? [];
    result.set({ node: null, locks: recall(`locks.${id}`) ?? [], dropped, past: [], job: null });
    loadFull(id);
  }
  result.set({ id, line, error: "" });
  if (moved) result.set({ edit: EMPTY_EDIT, side: null, runouts: null, following: null });
  remember("result", { id, line });
  const { filter } = result.get();
  try {
    const node = await fetchNode(id, line, fresh, filter);
    if (!isHere(id, line) || result.get().filter !== filter) return;
    result.set({ node });
    if (node.kind === "decision" && result.get().selected < 0)
      result.set({ selected: firstMixed(node) });
    if (node.kind === "deal") await loadRunouts(id, line, line);
    if (node.kind === "decision") {
      loadHands();
      loadFollowing(node, line);
    }
  } catch (error) {
    if (error.name !== "AbortError" && isHere(id, line))
      result.set({ error: error.message, node: moved ? null : result.get().node });
  }
}

/** A class worth a first look: the first one that mixes, else the first one held. */
function firstMixed({ classes }) {
  const held = CLASS_NAMES.map((_, cell) => cell).filter((cell) => classes.weight[cell] > 0);
  const mixes = (cell) => Math.max(...classes.strategy.map((row) => row[cell])) < 0.9;
  return held.find(mixes) ?? held[0] ?? -1;
}

async function loadFull(id) {
  try {
    const job = await get(`/api/jobs/${id}`);
    meetJob(job);
    if (result.get().id === id) result.set({ job });
  } catch {
    // the node's request says what is wrong
  }
}

/** The cards that may come after a line; `here` is the line looked at. */
async function loadRunouts(id, line, here) {
  const runouts = await get(`/api/jobs/${id}/runouts`, { line });
  if (isHere(id, here)) result.set({ runouts });
}

/** What comes after each action; after the only one that leads to a card, the cards too. */
async function loadFollowing({ job, line, actions }, here) {
  try {
    const following = await get(`/api/jobs/${job}/next`, { line });
    if (isHere(job, here)) result.set({ following });
    const [only] = actions;
    if (actions.length === 1 && only.leads_to === "deal") await loadRunouts(job, only.line, here);
  } catch {
    // the node itself is shown; its next ones can still be gone to
  }
}

/** The player whose chart is shown. */
export const sideOf = (state) => state.side ?? state.node?.player ?? 0;

/** The hands of the chart's player at this node, or null until they have come. */
export function handsOf(state) {
  const { hands, node } = state;
  const here = hands?.job === node?.job && hands?.line === node?.line;
  return here && hands.side === sideOf(state) ? hands.rows : null;
}

/** The class whose combos are shown: the one pointed at, else the one clicked. */
export const cellOf = (state) => (state.hovered >= 0 ? state.hovered : state.selected);

/** Ask for all hands of the chart's player that pass the filter; the newest question wins. */
async function loadHands() {
  const { node, id, line, filter } = result.get();
  const side = sideOf(result.get());
  if (node?.kind !== "decision") return;
  const player = side === node.player ? null : side;
  let rows = [];
  try {
    ({ hands: rows } = await get(`/api/jobs/${id}/hands`, { line, player, ...asQuery(filter) }));
  } catch {
    // the node's own request says what is wrong
  }
  const now = result.get();
  if (now.node === node && sideOf(now) === side && now.filter === filter)
    result.set({ hands: { job: id, line, side, rows } });
}

/** "AKs" of "AhKh". */
export function className(hand) {
  const kind = hand[0] === hand[2] ? "" : hand[1] === hand[3] ? "s" : "o";
  return hand[0] + hand[2] + kind;
}

export const point = (cell) => result.set({ hovered: cell });

export const pick = (cell) =>
  result.set(({ selected }) => ({ selected: selected === cell ? -1 : cell, hovered: -1 }));

export function setView(view) {
  const both = view === "equity" || view === "range";
  remember("result.view", view);
  result.set(({ side }) => ({ view, side: both ? side : null }));
  loadHands();
}

export function setSide(side) {
  const { view, node } = result.get();
  const both = view === "equity" || view === "range";
  result.set({ side, view: both || side === node.player ? view : "range" });
  loadHands();
}

/** Show the EV in the cells of the strategy ("ev"), or its single suits ("suits"), or not. */
export function setOverlay(name, on) {
  result.set(({ overlay }) => ({ overlay: { ...overlay, [name]: on } }));
  remember("result.overlay", result.get().overlay);
}

/** Change the filter of hands; the node is asked for again, with what passes. */
export function setFilter(change) {
  result.set(({ filter }) => ({ filter: { ...filter, ...change } }));
  const { id, line } = result.get();
  show(id, line);
}

export const clearFilter = () => setFilter(NO_FILTER);

export function setPanel(panel) {
  remember("result.panel", panel);
  result.set({ panel });
}

export const setMetric = (metric) => result.set({ metric });
