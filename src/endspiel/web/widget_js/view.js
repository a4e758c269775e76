// A solution in a notebook's cell: the page's chart, actions, tables and filter around one node.
import { answerBy } from "./api.js";
import { followBy, go } from "./app.js";
import { percent } from "../static/js/format.js";
import { html, render as draw } from "../static/js/lib.js";
import { Cards } from "../static/js/parts/card.js";
import { Segmented } from "../static/js/parts/controls.js";
import { Grid } from "../static/js/parts/grid.js";
import { Actions, Summary } from "../static/js/result/actions-panel.js";
import { Crumbs, SIDES } from "../static/js/result/crumbs.js";
import { FilterPanel, FilterTag } from "../static/js/result/filter.js";
import { Hands } from "../static/js/result/hands.js";
import { cellsOf } from "../static/js/result/matrix.js";
import { RunoutMap } from "../static/js/result/runouts.js";
import { pick, point, result, setPanel, setSide, setView, show, sideOf } from "../static/js/result/store.js";
import { useStore } from "../static/js/store.js";
import { stake } from "../static/js/units.js";

const ID = "solution"; // there is one
const VIEWS = [
  ["strategy", "Strategy"],
  ["ev", "EV"],
  ["equity", "Equity"],
  ["eqr", "EQR"],
  ["range", "Range"],
];
const PANELS = [
  ["hands", "Hands"],
  ["filter", "Filter"],
];

function Chart() {
  const state = useStore(result);
  const side = sideOf(state);
  return html`<section class="panel matrix" aria-label="Chart">
    <div class="row spread">
      <${Segmented} label="View" options=${VIEWS} value=${state.view} onChange=${setView} />
      <${Segmented} label="Player" options=${SIDES.map((name, at) => [at, name])} value=${side} onChange=${setSide} />
    </div>
    <${Grid} label=${`${state.view}, ${SIDES[side]}`} cells=${cellsOf(state)} selected=${state.selected} onPoint=${point} onPick=${pick} />
  </section>`;
}

function Details() {
  const panel = useStore(result, (state) => state.panel);
  const chosen = panel === "filter" ? "filter" : "hands";
  return html`<section class="panel panels" aria-label="Details">
    <${Segmented} label="Details" options=${PANELS} value=${chosen} onChange=${setPanel} />
    <${chosen === "filter" ? FilterPanel : Hands} />
  </section>`;
}

function Node({ node }) {
  if (node.kind === "decision")
    return html`<div class="widget-node">
      <${Chart} />
      <div class="stack"><section class="panel stack"><${Actions} id=${ID} node=${node} /><${Summary} node=${node} /></section><${Details} /></div>
    </div>`;
  if (node.kind === "deal") return html`<section class="panel stack">${result.get().runouts ? html`<${RunoutMap} />` : "Dealing…"}</section>`;
  return html`<section class="panel"><p>${
    node.outcome === "fold" ? `${SIDES[node.winner]} takes the pot of ${stake(node.pot)}` : `Showdown for ${stake(node.pot)}`
  }</p></section>`;
}

function Explorer({ measured }) {
  const { node, error } = useStore(result);
  if (!node) return html`<p class="quiet">${error || "…"}</p>`;
  return html`<div class="result widget" data-line=${node.line}>
    <div class="node-head"><${Crumbs} job=${{ id: ID }} node=${node} />
      <div class="row spread"><div class="row"><${Cards} cards=${node.board} /><b>Pot ${stake(node.pot)}</b>${
        node.kind === "decision" && html`<${FilterTag} node=${node} />`
      }</div><span class="quiet small" data-part="measured">${measured}</span></div></div>
    ${error && html`<p class="quiet">${error}</p>`}
    <${Node} node=${node} />
  </div>`;
}

/** Questions to the kernel and their answers, matched by number. */
function asking(model) {
  const waiting = new Map();
  let number = 0;
  const heard = ({ number: at, answer, error }) => {
    const found = waiting.get(at);
    if (!found) return;
    waiting.delete(at);
    if (error) found.reject(new Error(error));
    else found.resolve(answer);
  };
  model.on("msg:custom", heard);
  const ask = (path, parameters) =>
    new Promise((resolve, reject) => {
      number += 1;
      waiting.set(number, { resolve, reject });
      model.send({ number, path, parameters });
    });
  return { ask, end: () => model.off("msg:custom", heard) };
}

/** Draw into an element; gives the function that ends it. */
export function render({ model, el }, css) {
  const root = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css;
  const place = document.createElement("div");
  root.replaceChildren(style, place);
  const { ask, end } = asking(model);
  answerBy(ask);
  followBy((line) => {
    model.set("node", line);
    model.save_changes();
    show(ID, line);
  });
  place.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    go(link.getAttribute("href"));
  });
  const moved = () => model.get("node") !== result.get().line && show(ID, model.get("node"));
  model.on("change:node", moved);
  draw(html`<${Explorer} measured=${`${percent(model.get("exploitability"), 3)}% of the pot exploitable`} />`, place);
  show(ID, model.get("node"));
  return () => {
    end();
    model.off("change:node", moved);
    draw(null, place);
  };
}
