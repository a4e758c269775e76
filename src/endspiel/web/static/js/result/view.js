// The result: the way here, the chart, the actions, and panels for combos, locks and files.
import { actionColors } from "../actions.js";
import { app, href, jobOf, settle } from "../app.js";
import { gap, percent } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Segmented, Swatch } from "../parts/controls.js";
import { Grid } from "../parts/grid.js";
import { Cards } from "../parts/card.js";
import { OpenSolution } from "../solve/view.js";
import { recall, useStore } from "../store.js";
import { Actions, Summary } from "./actions-panel.js";
import { AllHands } from "./all-hands.js";
import { Blockers, NodeGraph } from "./blockers.js";
import { Crumbs, SIDES } from "./crumbs.js";
import { Files } from "./files.js";
import { FilterPanel, FilterTag } from "./filter.js";
import { Hands } from "./hands.js";
import { LockPanel } from "./lock.js";
import { cellsOf, tallestOf } from "./matrix.js";
import { Next } from "./next.js";
import { Runouts } from "./runouts.js";
import {
  isAsking,
  pick,
  point,
  result,
  setOverlay,
  setPanel,
  setSide,
  setView,
  show,
  sideOf,
} from "./store.js";
import { inBlinds, named, setBlind, showIn, stake, units } from "../units.js";

const VIEWS = [
  ["strategy", "Strategy"],
  ["ev", "EV"],
  ["equity", "Equity"],
  ["eqr", "EQR"],
  ["range", "Range"],
];
const PANELS = [
  ["hands", "Combos"],
  ["filter", "Filter"],
  ["lock", "Lock"],
  ["graph", "Graph"],
  ["blockers", "Blockers"],
  ["files", "Files"],
];
const PANEL_VIEWS = {
  hands: Hands,
  filter: FilterPanel,
  lock: LockPanel,
  graph: NodeGraph,
  blockers: Blockers,
  files: Files,
};
const NOT_REACHED = "Nobody gets here; the strategy is what early iterations left";
const NO_RESULT =
  "There is no result yet. Describe a spot and solve it, or open a solution that was saved.";
const REFRESH = 700; // milliseconds between looks at a solve that is still running

const OVERLAYS = [
  ["ev", "EV in cells"],
  ["suits", "Single suits"],
];

/** What else the chart of the strategy shows. */
function Overlays() {
  const overlay = useStore(result, (state) => state.overlay);
  return html`<div class="row">${OVERLAYS.map(
    ([name, title]) => html`<label class="row small" key=${name}><input type="checkbox" checked=${overlay[name]} onChange=${(event) => setOverlay(name, event.target.checked)} />${title}</label>`,
  )}</div>`;
}

function Legend({ node }) {
  const tallest = tallestOf(node);
  const colors = actionColors(node.actions.map(({ word }) => word));
  return html`<div class="legend small quiet">
    ${node.actions.map(({ word, name }, at) => html`<span key=${word}><${Swatch} color=${colors[at]} />${named(name)}</span>`)}
    ${tallest < 0.995 && html`<span>A full cell is ${percent(tallest)}% of its combos.</span>`}
  </div>`;
}

function Matrix() {
  const state = useStore(result);
  const { node, view, selected } = state;
  const side = sideOf(state);
  return html`<section class="panel matrix" aria-label="Chart">
    <div class="row spread">
      <${Segmented} label="View" options=${VIEWS} value=${view} onChange=${setView} />
      <${Segmented} label="Player" options=${SIDES.map((name, at) => [at, name])} value=${side} onChange=${setSide} />
    </div>
    <${Grid}
      label=${`${Object.fromEntries(VIEWS)[view]}, ${SIDES[side]}`}
      cells=${cellsOf(state)}
      selected=${selected}
      onPoint=${point}
      onPick=${pick}
    />
    ${view === "strategy" && html`<div class="row spread"><${Legend} node=${node} /><${Overlays} /></div>`}
  </section>`;
}

function Panels() {
  const panel = useStore(result, (state) => state.panel);
  const waiting = useStore(result, (state) => state.locks.length);
  const options = PANELS.map(([name, title]) => [
    name,
    name === "lock" && waiting ? `${title} (${waiting})` : title,
  ]);
  const Chosen = PANEL_VIEWS[panel] ?? Hands;
  return html`<section class="panel panels" aria-label="Details">
    <${Segmented} label="Details" options=${options} value=${panel} onChange=${setPanel} />
    <${Chosen} />
  </section>`;
}

function Ended({ node }) {
  return html`<section class="panel stack">
    <h2>${
      node.outcome === "fold"
        ? `${SIDES[node.winner]} takes the pot of ${stake(node.pot)}`
        : `Showdown for ${stake(node.pot)}`
    }</h2>
    <p class="quiet">The hand ends here. Choose an earlier step above to go another way.</p>
  </section>`;
}

/** What a big blind is, where amounts are shown in it and the solve does not say. */
function Blind() {
  const blind = useStore(units, (state) => state.blind);
  return html`<label class="row small quiet blind">1 bb =
    <input inputmode="numeric" value=${blind} onChange=${(event) => setBlind(Number(event.target.value))} aria-label="Chips of a big blind" /> chips</label>`;
}

function Header({ job, node }) {
  const share = job.exploitability_percent === null ? null : job.exploitability_percent / 100;
  return html`<div class="node-head" data-line=${node.line}>
    <${Crumbs} job=${job} node=${node} />
    <div class="row spread">
      <div class="row">
        <${Cards} cards=${node.board} />
        <div class="pot">
          <b>Pot ${stake(node.pot)}</b>
          ${node.to_call > 0 && html`<span class="quiet"> · ${stake(node.to_call)} to call</span>`}
        </div>
        ${inBlinds() && job.big_blind === null && html`<${Blind} />`}
        ${node.locked && html`<span class="tag">Locked</span>`}
        ${node.kind === "decision" && html`<${FilterTag} node=${node} />`}
        ${node.reached === false && html`<span class="tag" title=${NOT_REACHED}>Not reached</span>`}
      </div>
      <span class="row">
      <a class="small" href=${href("train", job.id)}>Drill</a>
      <a class="small" href=${href("compare", `${job.based_on ?? job.id}+${job.based_on ? job.id : ""}`, node.line)}>Compare</a>
      <a class="quiet small job-link" href=${href("solve", job.id)}>
        ${job.name} · ${gap(share)}% exploitable · ${job.iteration} iterations${node.final ? "" : " so far"}
      </a></span>
    </div>
  </div>`;
}

function Node({ job, node }) {
  if (node.kind === "end")
    return html`<${Header} job=${job} node=${node} /><${Ended} node=${node} />`;
  if (node.kind === "deal")
    return html`<${Header} job=${job} node=${node} /><section class="panel"><${Runouts} /></section>`;
  return html`<${Header} job=${job} node=${node} />
    <div class="node">
      <${Matrix} />
      <div class="stack">
        <section class="panel stack" aria-label="Actions">
          <${Actions} id=${job.id} node=${node} />
          <${Summary} node=${node} />
        </section>
        <${Panels} />
        <${Next} />
      </div>
    </div>
    <${AllHands} />`;
}

function Nothing({ text }) {
  return html`<div class="panel empty"><h1 class="hidden-label">Result</h1><p>${text}</p>
    <div class="row centered"><a class="button" href=${href("spot")}>Describe a spot</a><${OpenSolution} /></div></div>`;
}

export function ResultView({ route }) {
  const jobs = useStore(app, (state) => state.jobs);
  const job = useStore(app, (state) => jobOf(state, route.id));
  showIn(job?.big_blind);
  const node = useStore(result, (state) => state.node);
  const error = useStore(result, (state) => state.error);
  const id = useStore(result, (state) => state.id);
  const state = job?.state;
  useEffect(() => {
    if (route.id || !jobs.length) return;
    const last = recall("result");
    if (last && jobs.some((one) => one.id === last.id))
      settle(route, href("result", last.id, last.line));
    else if (jobs.some((one) => one.has_result))
      settle(route, href("result", jobs.find((one) => one.has_result).id));
  }, [route.id, jobs.length]);
  useEffect(() => {
    if (route.id && job?.has_result)
      show(route.id, route.rest, route.id === id && route.rest === result.get().line);
  }, [route.id, route.rest, job?.has_result, state]);
  useEffect(() => {
    if (state !== "running" || !job.has_result) return undefined;
    const timer = setInterval(
      () => !document.hidden && !isAsking() && show(route.id, route.rest, true),
      REFRESH,
    );
    return () => clearInterval(timer);
  }, [state, route.id, route.rest, job?.has_result]);
  if (!jobs.length) return html`<${Nothing} text=${NO_RESULT} />`;
  if (!route.id) return html`<${Nothing} text="No solve has a result yet." />`;
  if (!job) return html`<${Nothing} text="There is no such solve any more." />`;
  if (!job.has_result)
    return html`<${Nothing} text="This solve has nothing to show yet; it is waiting or has just begun." />`;
  return html`<div class="result">
    <h1 class="hidden-label">Result</h1>
    ${error && html`<p class="notice bad" role="alert">${error}</p>`}
    ${node && id === route.id && html`<${Node} job=${job} node=${node} />`}
  </div>`;
}
