// Locks being prepared: the unfinished one of a node, those that wait for a re-solve, and the re-solve.
import { app, attempt, go, href, meetJob } from "../app.js";
import { get, post } from "../api.js";
import { forget, remember } from "../store.js";
import { EMPTY_EDIT, result } from "./store.js";

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
