// The node of a solution that is looked at, and the locks being prepared on it.
import { app, attempt, go, href, meetJob } from "../app.js";
import { get, post } from "../api.js";
import { CLASS_NAMES } from "../cards.js";
import { createStore, debounce, forget, recall, remember } from "../store.js";

const EMPTY_EDIT = { all: null, whole: false, classes: {} };
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
  hands: null, // {cell, player, rows} of the class shown
  equities: null, // 169 equities of the player who does not decide
  runouts: null, // the cards after a deal, or after the one action that there is
  following: null, // {line, next}: what comes after each action of the node
  metric: "ev0", // what the run-out map shows
  panel: recall("result.panel") ?? "hands", // hands, lock, files
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

async function fetchNode(id, line, fresh) {
  const key = `${id} ${line}`;
  asking?.abort();
  asking = null;
  if (!fresh && nodes.has(key)) return nodes.get(key);
  const own = new AbortController();
  asking = own;
  try {
    const node = await get(`/api/jobs/${id}/node`, { line }, { signal: own.signal });
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
  try {
    const node = await fetchNode(id, line, fresh);
    if (!isHere(id, line)) return;
    const old = result.get().node;
    const same = old?.job === node.job && old.line === node.line;
    result.set(same ? { node } : { node, hands: null, equities: null });
    if (node.kind === "decision" && result.get().selected < 0)
      result.set({ selected: firstMixed(node) });
    if (node.kind === "deal") await loadRunouts(id, line, line);
    else showHands();
    if (node.kind === "decision") {
      showEquities();
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

/** The class whose combos are shown: the one pointed at, else the one clicked. */
export const cellOf = (state) => (state.hovered >= 0 ? state.hovered : state.selected);

const fetchHands = debounce(40, async () => {
  const state = result.get();
  const cell = cellOf(state);
  const { node, id, line } = state;
  if (cell < 0 || node?.kind !== "decision") return;
  const side = sideOf(state);
  const player = side === node.player ? null : side;
  try {
    const { hands } = await get(`/api/jobs/${id}/hands`, {
      line,
      class: CLASS_NAMES[cell],
      player,
    });
    const now = result.get();
    if (now.node === node && cellOf(now) === cell && sideOf(now) === side)
      result.set({ hands: { cell, side, rows: hands } });
  } catch {
    result.set({ hands: { cell, side, rows: [] } }); // no hand of the class is held here
  }
});

const showHands = () => fetchHands();

/** Equities of the classes of the player who does not decide, from the combos. */
async function showEquities() {
  const { node, id, line, view } = result.get();
  const side = sideOf(result.get());
  if (view !== "equity" || side === node.player) return;
  const { hands } = await get(`/api/jobs/${id}/hands`, { line, class: "random", player: side });
  const sums = CLASS_NAMES.map(() => [0, 0]);
  for (const { hand, weight, equity } of hands) {
    if (equity === null || !(weight > 0)) continue;
    const sum = sums[CLASS_NAMES.indexOf(className(hand))];
    sum[0] += weight * equity;
    sum[1] += weight;
  }
  if (result.get().node === node)
    result.set({ equities: sums.map(([sum, weight]) => (weight > 0 ? sum / weight : null)) });
}

/** "AKs" of "AhKh". */
function className(hand) {
  const kind = hand[0] === hand[2] ? "" : hand[1] === hand[3] ? "s" : "o";
  return hand[0] + hand[2] + kind;
}

export function point(cell) {
  result.set({ hovered: cell });
  showHands();
}

export function pick(cell) {
  result.set(({ selected }) => ({ selected: selected === cell ? -1 : cell, hovered: -1 }));
  showHands();
}

export function setView(view) {
  const { node } = result.get();
  const both = view === "equity" || view === "range";
  remember("result.view", view);
  result.set(({ side }) => ({ view, side: both ? side : null }));
  if (node?.kind === "decision") showEquities();
  showHands();
}

export function setSide(side) {
  const { view, node } = result.get();
  const both = view === "equity" || view === "range";
  result.set({ side, view: both || side === node.player ? view : "range" });
  showEquities();
  showHands();
}

export function setPanel(panel) {
  remember("result.panel", panel);
  result.set({ panel });
}

export const setMetric = (metric) => result.set({ metric });

/** Change the mix of all hands ("") or of one class in the unfinished lock; null takes it away. */
export function editMix(name, mix) {
  result.set(({ edit }) => {
    if (!name) return { edit: { ...edit, all: mix } };
    const classes = { ...edit.classes, [name]: mix };
    if (!mix) delete classes[name];
    return { edit: { ...edit, classes } };
  });
}

/** Whether the mix of all hands is what they do together, rather than what each of them does. */
export const setWhole = (whole) => result.set(({ edit }) => ({ edit: { ...edit, whole } }));

export const setEverywhere = (everywhere) => result.set({ everywhere });

function keepLocks(change) {
  result.set(change);
  const { id, locks, dropped } = result.get();
  for (const [name, value] of Object.entries({ locks, dropped })) {
    if (value.length) remember(`${name}.${id}`, value);
    else forget(`${name}.${id}`);
  }
}

/** Change what is locked next; Undo goes back. */
function setLocks(change) {
  keepLocks(({ locks, dropped, past }) => ({ ...change, past: [...past, { locks, dropped }] }));
}

export const undoLocks = () =>
  keepLocks(({ past }) => (past.length ? { ...past.at(-1), past: past.slice(0, -1) } : null));

export const dropLock = (line) =>
  setLocks({ locks: result.get().locks.filter((lock) => lock.line !== line) });

/** Leave a lock of this solve out of the next, or take it in again. */
export const toggleDropped = (line) =>
  setLocks({
    dropped: result.get().dropped.includes(line)
      ? result.get().dropped.filter((other) => other !== line)
      : [...result.get().dropped, line],
  });

/** Finish the lock of this node: the server writes it down. A later one of a node replaces it. */
export function addLock() {
  return attempt(async () => {
    const { id, line, edit, everywhere } = result.get();
    const body = { line, everywhere, classes: edit.classes };
    if (edit.all) body[edit.whole ? "frequencies" : "actions"] = edit.all;
    const lock = await post(`/api/jobs/${id}/lock`, body);
    const now = result.get(); // not what it was when the lock was sent
    if (now.id !== id) return;
    setLocks({ locks: [...now.locks.filter((other) => other.line !== lock.line), lock] });
    if (now.line === line && now.edit === edit) result.set({ edit: EMPTY_EDIT });
  });
}

/** Solve again with the locks, the old solve's among them. */
export function resolve() {
  return attempt(async () => {
    const { id, locks, dropped } = result.get();
    const old = await get(`/api/jobs/${id}`);
    const changed = new Set([...dropped, ...locks.map(({ line }) => line)]);
    const texts = [...old.locks.filter(({ line }) => !changed.has(line)), ...locks].map(
      ({ text }) => text,
    );
    const { target_percent, iterations, seconds } = old.limits;
    const job = await post("/api/jobs", {
      spot: old.spot,
      method: old.method,
      target_percent,
      iterations,
      seconds,
      locks: texts,
      based_on: id,
      name: texts.length ? `${old.name.replace(/, (un)?locked$/, "")}, locked` : `${old.name}, unlocked`,
    });
    for (const name of ["locks", "dropped"]) forget(`${name}.${id}`);
    meetJob(job);
    if (result.get().id !== id) return; // another solve is looked at by now, with locks of its own
    result.set({ locks: [], dropped: [], past: [] });
    app.set({ opening: job.id, openingLine: "" });
    go(href("solve", job.id));
  });
}
