// The page: the bar with its tabs, and the view that the address names.
import { app, href, say, start } from "./app.js";
import { duration, gap } from "./format.js";
import { html, render, useErrorBoundary, useLayoutEffect } from "./lib.js";
import { Segmented } from "./parts/controls.js";
import { useStore } from "./store.js";
import { UNITS, setUnit, units } from "./units.js";
import { CompareView } from "./compare/view.js";
import { LibraryView } from "./library/view.js";
import { PapersView } from "./papers/view.js";
import { PlayView } from "./play/view.js";
import { PreflopView } from "./preflop/view.js";
import { RangesView } from "./ranges/view.js";
import { ReportsView } from "./reports/view.js";
import { ResultView } from "./result/view.js";
import { ReviewView } from "./review/view.js";
import { SolveView } from "./solve/view.js";
import { SpotView } from "./spot/view.js";
import { TreeView } from "./tree/view.js";
import { TrainView } from "./train/view.js";

const VIEWS = {
  spot: ["Spot", SpotView],
  solve: ["Solve", SolveView],
  result: ["Result", ResultView],
  compare: ["Compare", CompareView],
  reports: ["Reports", ReportsView],
  library: ["Library", LibraryView],
  ranges: ["Ranges", RangesView],
  preflop: ["Preflop", PreflopView],
  review: ["Review", ReviewView],
  train: ["Train", TrainView],
  play: ["Play", PlayView],
  papers: ["Papers", PapersView],
};
const INNER = { tree: TreeView }; // views that another one leads to, without a tab: the spot's

function changeTheme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("endspiel.theme", root.dataset.theme);
}

/** What the solver does now, on every view. */
function Live() {
  const connected = useStore(app, (state) => state.connected);
  const running = useStore(app, (state) => state.jobs.find((job) => job.state === "running"));
  const waiting = useStore(
    app,
    (state) => state.jobs.filter((job) => job.state === "queued").length,
  );
  if (connected === false)
    return html`<span class="live lost" role="status"><i class="dot"></i>No connection</span>`;
  if (!running) return null;
  const percent = running.exploitability_percent;
  const measured = percent === null ? "" : ` ${gap(percent / 100)}%`;
  const left = running.seconds_left === null ? "" : `, ${duration(running.seconds_left)} left`;
  return html`<a class="live" href=${href("solve", running.id)}>
    <i class="dot"></i>Solving${measured}${left}
    ${waiting > 0 && html`<span class="quiet">+${waiting} waiting</span>`}
  </a>`;
}

/** A view, or what went wrong in it: the other views still work. */
function Safe({ children }) {
  const [error, reset] = useErrorBoundary();
  if (!error) return children;
  return html`<div class="panel empty" role="alert">
    <p>This view failed: ${error.message}</p>
    <button type="button" onClick=${reset}>Try again</button>
  </div>`;
}

const scrolled = {}; // how far down each view was left

const TAKES_OVER = ["wheel", "touchmove", "pointerdown", "keydown"]; // a reader who moves the page

/** Each view is where it was left, once it is long enough; one opened first begins at its top. */
function useScroll(view) {
  useLayoutEffect(() => {
    const wanted = scrolled[view] ?? 0;
    let there = false;
    const settled = () => {
      there = true;
      observer.disconnect();
    };
    const reach = () => {
      scrollTo(0, wanted);
      if (scrollY >= wanted - 1) settled();
    };
    const observer = new ResizeObserver(reach);
    const note = () => {
      if (there) scrolled[view] = scrollY;
    };
    observer.observe(document.body);
    reach();
    addEventListener("scroll", note, { passive: true });
    for (const name of TAKES_OVER) addEventListener(name, settled, { passive: true, once: true });
    return () => {
      observer.disconnect();
      removeEventListener("scroll", note);
      for (const name of TAKES_OVER) removeEventListener(name, settled);
    };
  }, [view]);
}

function Page() {
  useStore(units); // everything is drawn again when the unit changes
  const route = useStore(app, (state) => state.route);
  const toast = useStore(app, (state) => state.toast);
  const inner = INNER[route.view];
  const current = VIEWS[route.view] ? route.view : "spot";
  const View = inner ?? VIEWS[current][1];
  const shown = inner ? route.view : current;
  useScroll(shown);
  return html`
    <header class="bar">
      <a class="brand" href=${href("spot")}>Endspiel</a>
      <nav class="tabs" aria-label="Views">
        ${Object.entries(VIEWS).map(
          ([name, [title]]) => html`<a
            key=${name}
            href=${href(name)}
            aria-current=${name === current ? "page" : undefined}
          >${title}</a>`,
        )}
      </nav>
      <div class="end">
        <${Live} />
        <${Segmented} label="Amounts in" options=${UNITS} value=${units.get().unit} onChange=${setUnit} />
        <button
          type="button"
          class="bare slim"
          onClick=${changeTheme}
          aria-label="Change between light and dark"
        >◐</button>
      </div>
    </header>
    <main><${Safe} key=${shown}><${View} route=${route} /><//></main>
    ${
      toast &&
      html`<div class="toast" role="alert">
      <span>${toast}</span><button type="button" class="slim" onClick=${() => say("", true)}>Close</button>
    </div>`
    }
  `;
}

start();
render(html`<${Page} />`, document.getElementById("page"));
