// A tree that the server solves, round by round: begun here or in another tab, stopped, and its end.
import { app, attempt, go, href, say } from "../app.js";
import { get, post, remove } from "../api.js";
import { html, useEffect } from "../lib.js";
import { createStore, useStore } from "../store.js";
import { keepCharts } from "./store.js";

export const solving = createStore({
  run: null, // what the server says of the tree; null until it has
  line: "", // the decision that is shown once the tree is solved
});

const LOOK = 500; // milliseconds between two looks at a tree that is being solved

let watching = false;

/** Look at the tree until it ends, and show it then, unless the reader has gone to another view. */
async function watch() {
  if (watching) return;
  watching = true;
  try {
    while (solving.get().run?.state === "running") {
      await new Promise((resolve) => setTimeout(resolve, LOOK));
      solving.set({ run: await get("/api/preflop/run") });
    }
    const { run } = solving.get();
    if (run.error) say(run.error, true);
    if (run.charts && app.get().route.view === "preflop") await show(run);
  } catch (error) {
    say(error.message, true);
  }
  watching = false;
}

/** Begin a tree; what is wrong with it is the caller's to show. */
export async function begin(asked, line) {
  solving.set({ run: await post("/api/preflop/run", asked), line });
  watch();
}

/** The tree that the server is at, as a page finds it that is opened. */
async function meet() {
  const run = await get("/api/preflop/run");
  if (watching) return;
  solving.set({ run });
  if (run.state === "running") watch();
}

const halt = () => attempt(async () => solving.set({ run: await remove("/api/preflop/run") }));

/** Show what the last tree came to. */
async function show({ name, state }) {
  const charts = await get("/api/preflop/run/charts");
  const { line } = solving.get();
  keepCharts(state === "stopped" ? `${name}, stopped` : name, charts);
  if (line) go(href("preflop", "", line));
  if (state === "stopped") say("Stopped. Solve the same tree again to go on from there.");
}

/** How far the tree is, with a way to stop it; else a way to charts that ended unseen. */
export function TreeProgress({ shown }) {
  const run = useStore(solving, (state) => state.run);
  useEffect(() => {
    meet().catch(() => {});
  }, []);
  if (run?.charts && run.state !== "running" && !shown?.startsWith(run.name))
    return html`<p><button type="button" class="slim" onClick=${() => attempt(() => show(run))}>Show ${run.name}</button></p>`;
  if (run?.state !== "running") return null;
  const told = run.rounds
    ? `${run.name}: round ${run.rounds} of ${run.most_rounds} at most, pots within ${run.gap.toFixed(3)} bb of play, ${run.seconds.toFixed(0)} s. It ends within ${run.settled} bb.`
    : `${run.name}: solving`;
  return html`<div class="panel stack" role="status" aria-label="Tree being solved">
    <progress max=${run.most_rounds} value=${run.rounds || null}>${told}</progress>
    <div class="row spread"><span class="small">${told}</span>
      <button type="button" class="slim" disabled=${run.stopping} onClick=${halt}>${run.stopping ? "Stopping…" : "Stop"}</button></div>
  </div>`;
}
