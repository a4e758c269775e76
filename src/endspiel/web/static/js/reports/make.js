// A report started here: the spot of the Spot view on many flops, how far it is, and its end.
import { follow, go, href, say } from "../app.js";
import { get, post, remove } from "../api.js";
import { bytes, typed } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Field, options } from "../parts/controls.js";
import { asSpot, boardOf } from "../spot/fields.js";
import { spot } from "../spot/store.js";
import { createStore, useStore } from "../store.js";
import { loadReports } from "./store.js";

const SETS = [
  ["25", "25 flops"],
  ["49", "49 flops"],
  ["95", "95 flops"],
  ["184", "184 flops"],
  ["all", "all 1,755 flops"],
  ["list", "a list of flops"],
];
const ANY_FLOP = "Qs Jh 2h"; // a report puts others in its place

export const making = createStore({
  set: "25",
  list: "",
  target: "0.5",
  node: "",
  solutions: true,
  errors: {},
  run: null, // what the server says of the report in the making; null until it has
});

/** The spot as typed, on a flop: a report needs the menus of every street. */
function onFlop() {
  const state = spot.get();
  const flop = state.board.trim().split(/\s+/).slice(0, 3).join(" ");
  return asSpot({ ...state, board: boardOf(state).length >= 3 ? flop : ANY_FLOP });
}

let noted = 0; // events so far
let starting = false; // a report was asked for, and there is no answer yet

/** Take an answer over; while it was on its way, an event may have brought what is newer. */
async function take(answer) {
  const before = noted;
  const run = await answer;
  if (noted === before) making.set({ run });
}

async function begin() {
  const { set, list, target, node, solutions } = making.get();
  const flops = set === "list" ? list : set;
  starting = true;
  try {
    const asked = { spot: onFlop(), flops, node, target_percent: typed(target), solutions };
    await take(post("/api/reports/run", asked));
    making.set({ errors: {} });
  } catch (error) {
    making.set({ errors: error.byField() });
    if (!["flops", "target", "node"].includes(error.field)) say(error.message, true);
  }
  starting = false;
}

const halt = () => take(remove("/api/reports/run"));

/** News of the report: one that has ended is shown. */
async function note(run) {
  const ours = starting || making.get().run?.state === "running";
  noted += 1;
  making.set({ run });
  if (run.state === "running" || !ours) return;
  if (run.error) say(run.error, true);
  if (!run.report) return;
  go(href("reports", run.report));
  await loadReports();
}

function Progress({ run }) {
  const told = `${run.finished} of ${run.boards} flops, ${run.seconds.toFixed(0)} s`;
  return html`<div class="stack" role="status" aria-label="Report in the making">
    <progress max=${run.boards} value=${run.finished}>${told}</progress>
    <div class="row spread"><span class="small">${told}</span>
      <button type="button" class="slim" disabled=${run.stopping} onClick=${halt}>${run.stopping ? "Stopping…" : "Stop"}</button></div>
  </div>`;
}

const NUMBERS = { 25: 25, 49: 49, 95: 95, 184: 184, all: 1755 };

/** Whether the flops will open solved, and about what that takes on the disk. */
function Storing({ state }) {
  const estimate = useStore(spot, (form) => form.estimate);
  const listed = state.list.split(/[,;\n]/).filter((flop) => flop.trim()).length;
  const flops = NUMBERS[state.set] ?? listed;
  const size = estimate?.street === "flop" && flops ? `, about ${bytes(flops * estimate.file_bytes)}` : "";
  return html`<label class="row small"><input type="checkbox" checked=${state.solutions} onChange=${(event) => making.set({ solutions: event.target.checked })} />
    Store the solutions: each flop opens solved${size}</label>`;
}

export function MakeReport() {
  const state = useStore(making);
  useEffect(() => {
    take(get("/api/reports/run")).catch(() => {});
    return follow("report", note);
  }, []);
  if (state.run?.state === "running") return html`<${Progress} run=${state.run} />`;
  const field = (key, label, more = {}) => html`<${Field} id=${`report-${key}`} label=${label} value=${state[key]}
    why=${state.errors[key]} onInput=${(value) => making.set({ [key]: value })} ...${more} />`;
  return html`<form class="stack make-report" aria-label="Make a report" onSubmit=${(event) => {
    event.preventDefault();
    begin();
  }}>
    <p class="small quiet">The ranges, money and bet sizes of the <a href=${href("spot")}>spot</a>, solved on</p>
    <select aria-label="Flops" onChange=${(event) => making.set({ set: event.target.value })}>${options(SETS, state.set)}</select>
    ${
      state.set === "list"
        ? html`<${Field} id="report-flops" label="Flops, with weights or without" value=${state.list} placeholder="Ks 7h 2d, 9s 8s 7s"
          why=${state.errors.flops} onInput=${(value) => making.set({ list: value })} />`
        : state.errors.flops && html`<span class="why" role="alert">${state.errors.flops}</span>`
    }
    <div class="pair">
      ${field("target", "Target, % of pot", { inputmode: "decimal" })}
      ${field("node", "Node", { placeholder: "the first, or c" })}
    </div>
    <${Storing} state=${state} />
    <button type="submit" class="primary">Make report</button>
  </form>`;
}
