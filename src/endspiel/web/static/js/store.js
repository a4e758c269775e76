// A store: one object of state a view, changed only through `set`, watched by components.
import { useEffect, useState } from "./lib.js";

/** Make a store. `set` takes a patch, or a function from the state to a patch. */
export function createStore(initial) {
  let state = initial;
  const watchers = new Set();
  return {
    get: () => state,
    set(change) {
      const patch = typeof change === "function" ? change(state) : change;
      if (!patch) return;
      state = { ...state, ...patch };
      for (const watcher of [...watchers]) watcher(state);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** What a component needs of a store; it renders again when that changes (by identity). */
export function useStore(store, select = (state) => state) {
  const [, wake] = useState(0);
  const chosen = select(store.get());
  useEffect(() => {
    let last = chosen;
    const check = (state) => {
      const next = select(state);
      if (!Object.is(next, last)) {
        last = next;
        wake((n) => n + 1);
      }
    };
    check(store.get()); // it may have changed between rendering and watching
    return store.watch(check);
  }, [store]);
  return chosen;
}

// Each tab keeps its own state over a reload (session storage); a new tab begins with what any tab
// last wrote (local storage). Storage can be full or forbidden: the page then merely forgets.
const PREFIX = "endspiel.";

/** Remember a value under a name, for this tab and as the start of later ones. */
export function remember(name, value) {
  const text = JSON.stringify(value);
  for (const storage of [() => sessionStorage, () => localStorage]) {
    try {
      storage().setItem(PREFIX + name, text);
    } catch {
      // nothing to do: remembering is a convenience
    }
  }
}

/** A remembered value, or null. */
export function recall(name) {
  for (const storage of [() => sessionStorage, () => localStorage]) {
    try {
      const text = storage().getItem(PREFIX + name);
      if (text !== null) return JSON.parse(text);
    } catch {
      // unreadable: as if it were not there
    }
  }
  return null;
}

/** Forget a remembered value. */
export function forget(name) {
  for (const storage of [() => sessionStorage, () => localStorage]) {
    try {
      storage().removeItem(PREFIX + name);
    } catch {
      // it cannot be there
    }
  }
}

/** A function that runs once its calls have paused for some milliseconds. */
export function debounce(wait, action) {
  let timer = 0;
  let due = null; // what waits to run
  const run = () => {
    clearTimeout(timer);
    const now = due;
    due = null;
    now?.();
  };
  const later = (...args) => {
    clearTimeout(timer);
    due = () => action(...args);
    timer = setTimeout(run, wait);
  };
  later.cancel = () => {
    clearTimeout(timer);
    due = null;
  };
  later.flush = run;
  return later;
}
