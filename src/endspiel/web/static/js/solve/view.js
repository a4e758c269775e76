// Solves: the queue on the left, the chosen one with its curve and controls on the right.
import { app, attempt, go, href, jobOf, loadJob, meetJob, say, settle } from "../app.js";
import { post, remove, upload } from "../api.js";
import { bytes, count, duration, gap, moment, typed } from "../format.js";
import { html, useEffect, useMemo, useState } from "../lib.js";
import { Cards } from "../parts/card.js";
import { Field, FileButton } from "../parts/controls.js";
import { useStore } from "../store.js";
import { Curve } from "./curve.js";
import { money, showIn, stake } from "../units.js";

const NO_POINTS = [];
const NOTHING_YET =
  "Nothing has been solved yet. Describe a spot and press Solve, or open a solution that was saved.";
const STATES = {
  queued: "Waiting",
  running: "Running",
  stopped: "Stopped",
  done: "Done",
  failed: "Failed",
};
const ENDS = {
  target: "The target was reached.",
  iterations: "The iterations were used up.",
  seconds: "The time was used up.",
  interrupted: "It was stopped; what it found is kept.",
  optimal: "The exact solution was found.",
};

/** The name that was given, or what tells the spot apart from others on its board. */
const titleOf = ({ name, board, pot, stack, big_blind: blind }) =>
  name === board.join(" ") ? `pot ${stake(pot, blind)}, ${stake(stack, blind)} behind` : name;

const gapOf = (job) =>
  job.exploitability_percent === null ? null : job.exploitability_percent / 100;

const gapText = (job) => (gapOf(job) === null ? "–" : `${gap(gapOf(job))}%`);

function JobList({ jobs, chosen }) {
  return html`<ul class="jobs">
    ${jobs.map(
      (job) => html`<li key=${job.id}>
        <a
          href=${href("solve", job.id)}
          class=${job.id === chosen ? "chosen" : ""}
          aria-current=${job.id === chosen ? "true" : undefined}
        >
          <span class="row spread">
            <${Cards} cards=${job.board} size="s" />
            <span class=${`state ${job.state}`}>${STATES[job.state]}</span>
          </span>
          <span class="row spread small quiet">
            <span class="title">${titleOf(job)}</span>
            <span>${job.num_locks > 0 ? `${job.num_locks} locked · ` : ""}${gapText(job)}</span>
          </span>
          <span class="small quiet" data-value="when">${moment(job.created)} · ${job.method}${job.limits.target_percent === null ? "" : `, target ${job.limits.target_percent}%`}</span>
        </a>
      </li>`,
    )}
  </ul>`;
}

function Facts({ job }) {
  const facts = [
    ["Exploitability", gapOf(job) === null ? "–" : `${gapText(job)} of the pot`],
    ["Iteration", count(job.iteration)],
    ["Time", duration(job.solve_seconds)],
    ["Time left", job.state === "running" ? duration(job.seconds_left) : "–"],
    ["Value", job.value ? job.value.map((amount) => money(amount, 2)).join(" / ") : "–"],
    ["Method", job.method],
    ["Threads", count(job.threads)],
    ["Memory", bytes(job.memory_bytes)],
  ];
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div key=${name}><dt>${name}</dt><dd data-fact=${name.toLowerCase()}>${value}</dd></div>`,
    )}
  </dl>`;
}

/** Go on from where a solve ended, with a lower target. */
function Resume({ job }) {
  const [target, setTarget] = useState(String(job.limits.target_percent ?? ""));
  const [why, setWhy] = useState("");
  const lower = job.state === "done" && job.stopped === "target";
  const resume = async () => {
    try {
      const limits = target.trim() ? { target_percent: typed(target) } : {};
      await post(`/api/jobs/${job.id}/resume`, limits);
      setWhy("");
    } catch (error) {
      setWhy(error.message);
    }
  };
  return html`<div class="resume">
    <${Field}
      id="resume-target"
      label="Target, % of pot"
      value=${target}
      onInput=${setTarget}
      inputmode="decimal"
      why=${why}
      hint=${lower ? "Lower it to go on." : ""}
    />
    <button type="button" onClick=${resume}>Resume</button>
  </div>`;
}

function Controls({ job }) {
  const stop = () => attempt(() => post(`/api/jobs/${job.id}/stop`));
  const discard = () =>
    confirm(`Delete the solve ${job.name}?`) &&
    attempt(async () => {
      await remove(`/api/jobs/${job.id}`);
      app.set(({ jobs }) => ({ jobs: jobs.filter(({ id }) => id !== job.id) }));
      go(href("solve"));
    });
  const rename = () => {
    const name = prompt("Name of this solve", job.name)?.trim();
    if (name) attempt(() => post(`/api/jobs/${job.id}/rename`, { name }));
  };
  const busy = job.state === "running" || job.state === "queued";
  return html`<div class="row">
    ${busy && html`<button type="button" onClick=${stop}>Stop</button>`}
    ${job.has_result && html`<a class="button" href=${href("result", job.id)}>Open result</a>`}
    <button type="button" class="bare" onClick=${rename}>Rename</button>
    <button type="button" class="bare danger" onClick=${discard}>Delete</button>
  </div>`;
}

function Job({ job }) {
  const curve = useStore(app, (state) => state.curves[job.id]) ?? NO_POINTS;
  useEffect(() => {
    attempt(() => loadJob(job.id));
  }, [job.id]);
  // Whoever just started this solve wants its result; whoever came to look at it does not.
  useEffect(() => {
    if (app.get().opening !== job.id || job.state === "queued" || job.state === "running") return;
    const line = app.get().openingLine;
    app.set({ opening: "", openingLine: "" });
    if (job.has_result && job.state === "done")
      settle({ view: "solve", id: job.id, rest: "" }, href("result", job.id, line));
  }, [job.state, job.has_result]);
  const locked = job.num_locks > 0 ? `, ${job.num_locks} locked` : "";
  const ahead = job.state === "queued" && job.ahead > 0 ? `, ${job.ahead} ahead` : "";
  return html`<section class="panel stack" aria-label="Solve">
    <header>
      <div class="row">
        <${Cards} cards=${job.board} />
        <div><h2>${job.name}</h2><span class="quiet small">Pot ${stake(job.pot)}, ${stake(job.stack)} behind${locked}</span></div>
      </div>
      <span class=${`state ${job.state}`} role="status">${STATES[job.state]}${ahead}</span>
    </header>
    ${job.error && html`<p class="notice bad" role="alert">${job.error}</p>`}
    <${Curve} points=${curve} target=${job.limits.target_percent} />
    <${Facts} job=${job} />
    ${job.warnings.map((text) => html`<p class="notice" key=${text}>${text}</p>`)}
    <div class="row spread">
      <${Controls} job=${job} />
      ${(job.state === "stopped" || job.state === "done") && html`<${Resume} key=${job.id} job=${job} />`}
    </div>
    ${ENDS[job.stopped] && job.state !== "running" && html`<p class="quiet small">${ENDS[job.stopped]}</p>`}
  </section>`;
}

/** Open a saved solution. */
export function OpenSolution() {
  const open = (file) =>
    attempt(async () => {
      const job = await upload("/api/solutions", file);
      meetJob(job);
      say(`Opened ${file.name}.`);
      go(href("result", job.id));
    });
  return html`<${FileButton} accept=".es" onFile=${open}>Open solution…<//>`;
}

export function SolveView({ route }) {
  const all = useStore(app, (state) => state.jobs);
  const jobs = useMemo(() => all.filter(({ report, id }) => !report || id === route.id), [all, route.id]);
  const known = useStore(app, (state) => state.connected !== null);
  const job = useStore(app, (state) => jobOf(state, route.id));
  showIn(job?.big_blind);
  useEffect(() => {
    if (!route.id && jobs.length)
      settle(route, href("solve", jobs.find(({ state }) => state === "running")?.id ?? jobs[0].id));
  }, [route.id, jobs.length]);
  if (!jobs.length) {
    return html`<div class="panel empty">
      <h1 class="hidden-label">Solve</h1>
      <p>${known ? NOTHING_YET : "Looking for solves…"}</p>
      <div class="row centered">
        <a class="button" href=${href("spot")}>Describe a spot</a>
        <${OpenSolution} />
      </div>
    </div>`;
  }
  return html`<div class="solves">
    <h1 class="hidden-label">Solve</h1>
    <aside class="panel">
      <header><h2>Solves</h2><${OpenSolution} /></header>
      <${JobList} jobs=${jobs} chosen=${route.id} />
    </aside>
    ${
      job
        ? html`<${Job} key=${job.id} job=${job} />`
        : html`<div class="panel empty"><p>There is no such solve any more.</p></div>`
    }
  </div>`;
}
