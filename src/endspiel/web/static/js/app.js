// What all views share: the route, the server's facts, the list of solves, and its live events.
import { get } from "./api.js";
import { createStore } from "./store.js";

export const app = createStore({
  route: parseRoute(location.hash),
  about: null, // the server's facts; null until they are here
  jobs: [], // newest first
  curves: {}, // id -> [[iteration, seconds, percent], ...] of jobs seen running or opened
  connected: null, // null until the first answer
  toast: "",
  opening: "", // the job this tab started, whose result it will show when it is done
  openingLine: "", // the node of it that will be shown: a link may name one
});

// Views that follow events beyond the list of solves: event name -> functions.
const followers = {
  play: new Set(),
  thinking: new Set(),
  judged: new Set(),
  report: new Set(),
  review: new Set(),
};

/** "#/result/ID/b100%20c" as {view, id, rest}. */
function parseRoute(hash) {
  const [view, id, rest] = hash.replace(/^#\/?/, "").split("/");
  return { view: view || "spot", id: id || "", rest: decodeURIComponent(rest ?? "") };
}

/** The address of a view. */
export function href(view, id = "", rest = "") {
  const parts = rest ? [view, id, encodeURIComponent(rest)] : id ? [view, id] : [view];
  return `#/${parts.join("/")}`;
}

/** Go to a view; `replace` leaves no step in the browser's history. */
export function go(address, replace = false) {
  if (!replace) {
    location.hash = address;
    return;
  }
  history.replaceState(null, "", address);
  app.set({ route: parseRoute(address) });
}

/** Asked at the end of something that takes a while: whether the reader has stayed in the view. */
export function staying() {
  const { view } = parseRoute(location.hash);
  return () => parseRoute(location.hash).view === view;
}

/** Put what a view shows in place of the route it was asked for; who has gone on meanwhile stays there. */
export function settle(route, address) {
  const now = parseRoute(location.hash);
  if (["view", "id", "rest"].every((part) => now[part] === route[part])) go(address, true);
}

let fading = 0;

const SHORT = 4000; // milliseconds that a message stays
const LONG = 15000; // of one that has something to explain

/** Say something for a few seconds, an error for longer. */
export function say(message, error = false) {
  clearTimeout(fading);
  app.set({ toast: message });
  fading = setTimeout(() => app.set({ toast: "" }), error ? LONG : SHORT);
}

/** Run something that may be refused, and say so if it is. Gives what it gave, or null. */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    say(error.message, true);
    return null;
  }
}

/** Call a function on each event of a name; gives the function that ends it. */
export function follow(name, action) {
  followers[name].add(action);
  return () => followers[name].delete(action);
}

/** A job of the list by id. */
export const jobOf = (state, id) => state.jobs.find((job) => job.id === id) ?? null;

function changeJob(id, change) {
  app.set(({ jobs }) => ({
    jobs: jobs.map((job) => (job.id === id ? { ...job, ...change } : job)),
  }));
}

/** Put a job of an event, new or known, into the list. */
function noteJob(job) {
  app.set(({ jobs }) => ({
    jobs: jobs.some(({ id }) => id === job.id)
      ? jobs.map((old) => (old.id === job.id ? { ...old, ...job } : old))
      : [job, ...jobs],
  }));
}

/**
 * Put a job of an answer into the list. One that is known stays as it is: answers come on another
 * way than events, perhaps after an event that was later, and each change is an event too.
 */
export function meetJob(job) {
  app.set(({ jobs, curves }) => ({
    jobs: jobs.some(({ id }) => id === job.id) ? jobs : [job, ...jobs],
    curves: job.curve
      ? extend({ ...curves, [job.id]: job.curve }, job.id, curves[job.id] ?? [])
      : curves,
  }));
}

const EVENTS = {
  jobs: ({ jobs }) => {
    const kept = jobs.filter(({ id }) => app.get().curves[id]);
    // curves of jobs that are gone are let go, or an open page would grow
    app.set(({ curves }) => ({
      jobs,
      curves: Object.fromEntries(kept.map(({ id }) => [id, curves[id]])),
    }));
    // points may have been missed while nobody listened
    for (const { id, state } of kept) if (state === "running") loadJob(id).catch(() => {});
  },
  job: noteJob,
  progress: ({ id, points, iteration, seconds, seconds_left, exploitability_percent }) => {
    changeJob(id, {
      iteration,
      solve_seconds: seconds,
      seconds_left,
      exploitability_percent,
      has_result: exploitability_percent !== null,
    });
    if (points.length) app.set(({ curves }) => ({ curves: extend(curves, id, points) }));
  },
  play: (state) => followers.play.forEach((action) => action(state)),
  thinking: (state) => followers.thinking.forEach((action) => action(state)),
  judged: (state) => followers.judged.forEach((action) => action(state)),
  report: (state) => followers.report.forEach((action) => action(state)),
  review: (state) => followers.review.forEach((action) => action(state)),
};

const MOST_POINTS = 4000; // beyond this every second point goes: hours of solving must not add up

/** Add points that lie beyond the curve's end (a reconnect may repeat some). */
function extend(curves, id, points) {
  const old = curves[id];
  if (!old) return curves; // asked for in full when somebody looks at it
  const last = old.length ? old[old.length - 1][0] : -1;
  const longer = [...old, ...points.filter(([iteration]) => iteration > last)];
  return {
    ...curves,
    [id]: longer.length > MOST_POINTS ? longer.filter((_, at) => at % 2 === 0) : longer,
  };
}

/** Ask for a job in full, so that its curve is known. */
export async function loadJob(id) {
  const job = await get(`/api/jobs/${id}`);
  meetJob(job);
  return job;
}

let stream = null;
const RETRY = 3000; // milliseconds

/** Open the stream of events. A lost connection the browser opens again itself, a refused one not. */
function connect() {
  stream = new EventSource("/api/events");
  stream.onopen = () => app.set({ connected: true });
  stream.onerror = ({ target }) => {
    app.set({ connected: false });
    if (target.readyState === EventSource.CLOSED && target === stream) setTimeout(connect, RETRY);
  };
  for (const [name, action] of Object.entries(EVENTS)) {
    stream.addEventListener(name, (event) => action(JSON.parse(event.data)));
  }
}

/** A browser opens few connections to one server: a tab that nobody looks at gives its own back. */
function followVisibility() {
  if (!document.hidden) connect();
  else {
    stream?.close();
    app.set({ connected: null });
  }
}

/** Begin: follow the address, ask for the server's facts, listen. */
export function start() {
  addEventListener("hashchange", () => app.set({ route: parseRoute(location.hash) }));
  addEventListener("keydown", ({ key }) => key === "Escape" && app.get().toast && say(""));
  document.addEventListener("visibilitychange", followVisibility);
  connect();
  attempt(async () => app.set({ about: await get("/api/about") }));
}
