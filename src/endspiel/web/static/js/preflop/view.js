// Preflop: the chart of each decision before the flop, and its ranges on to a flop spot.
import { actionColors, shareBars } from "../actions.js";
import { href } from "../app.js";
import { CLASS_NAMES } from "../cards.js";
import { capital, chips, percent } from "../format.js";
import { html, useEffect, useState } from "../lib.js";
import { FileButton, Heads, Segmented, Swatch } from "../parts/controls.js";
import { CsvButton, Exported } from "../parts/csv.js";
import { Grid, toneOf } from "../parts/grid.js";
import { heat, scaler } from "../heat.js";
import { useStore } from "../store.js";
import { PreflopForm, openTree } from "./form.js";
import { TreeProgress } from "./solving.js";
import { openCharts, openFlop, preflop } from "./store.js";
import { lineWords, seatName } from "./words.js";

const NOTHING =
  "Solve a tree before the flop here, or open the file that `endspiel preflop --stack 40 --json charts.json` writes.";
const VIEWS = [
  ["strategy", "Strategy"],
  ["ev", "EV"],
];

function strategyCell(chart, colors, name) {
  const weight = chart.weights[name] ?? 0;
  const shares = chart.classes[name];
  if (!(weight > 0.0005) || !shares) return { tip: "not held here" };
  const tip = chart.names.map((action, at) => `${action} ${percent(shares[at], 0)}%`).join(", ");
  return { fill: shareBars(shares, colors), height: weight, tone: toneOf(weight), tip };
}

function cellsOf(chart, colors, view) {
  if (view === "strategy") return CLASS_NAMES.map((name) => strategyCell(chart, colors, name));
  const values = CLASS_NAMES.map((name) => (chart.weights[name] > 0.0005 ? chart.evs[name] : null));
  const place = scaler(values);
  return values.map((value) =>
    value === null || value === undefined
      ? { tip: "not held here" }
      : { fill: heat(0.5 + place(value) / 2), tone: "ink", value: chips(value, 1), tip: `EV ${chips(value, 2)} bb` },
  );
}

/** What the class that was clicked does, and what it expects. */
function ClassTold({ chart, colors, name }) {
  if (!name) return html`<p class="quiet small">Click a class for its frequencies and EV.</p>`;
  const weight = chart.weights[name] ?? 0;
  const shares = chart.classes[name];
  if (!(weight > 0.0005) || !shares)
    return html`<p class="small" role="status" data-told="class"><b>${name}</b> is not held here.</p>`;
  const ev = chart.evs?.[name];
  return html`<p class="small legend" role="status" data-told="class"><b>${name}</b>
    ${chart.names.map((_, at) => html`<span key=${at}><${Swatch} color=${colors[at]} />${actionName(chart, at)} ${percent(shares[at])}%</span>`)}
    ${ev !== undefined && ev !== null && html`<span>EV ${chips(ev, 2)} bb</span>`}
    <span class="quiet">weight ${percent(weight)}%</span></p>`;
}

/** A chart's classes one a row: how much of each is here, what it does, what it expects. */
const chartRows = (chart) => [
  ["Class", "Weight", ...chart.names, "EV"],
  ...CLASS_NAMES.map((name) => [name, chart.weights[name], ...(chart.classes[name] ?? []), chart.evs?.[name]]),
];

/** How flops were valued, and how wrong that is where it was measured. */
function flopTold({ model, odds, checks = [], left = [], flops, by, lines = [] }, said) {
  if (model === "none") return "No line sees a flop: nothing here is a model.";
  if (model === "play") {
    const often = lines.filter(({ frequency }) => frequency >= 0.02).sort((one, two) => two.frequency - one.frequency);
    const off = often.map(({ line, error }) => `${said(line)} ±${error.toFixed(2)} bb`).join(", ");
    return `${flops} flops were played after every line, ${by}; what a flop is worth after ${off}.`;
  }
  if (!checks.length) return `Flops by equity realization: the button's odds times ${odds}, a model and a rough sketch.`;
  const rest = (line) => left.find((check) => check.line === line);
  const error = ({ line, error, uncertain = 0, by = "solved", flops }) =>
    `after ${said(line)} the model was wrong by ${error.toFixed(3)} bb (±${uncertain.toFixed(3)}; ${flops} flops ${by})` +
    (rest(line) ? `, now by ${rest(line).error.toFixed(3)}` : "");
  return `Flops by equity realization, set right on solved flops: ${checks.map(error).join("; ")}.`;
}

function Told({ file }) {
  if (typeof file.value !== "number" || !file.flop_value) return null;
  const unit = file.prizes ? "of the prizes" : "bb";
  return html`<p class="quiet small" data-told="value">The button wins ${file.value.toFixed(4)} ${unit} a hand; exploitability ${file.exploitability.toExponential(1)}. ${flopTold(file.flop_value, (line) => lineWords(file, line))}</p>`;
}

function Actions({ chart, lines, flops, colors }) {
  const after = (word) => `${chart.line} ${word}`.trim();
  const next = (word) => {
    const flop = flops.find(({ line }) => line === after(word));
    if (flop) return html`<button type="button" class="slim" onClick=${() => openFlop(flop)}>Open a flop</button>`;
    return lines.has(after(word)) ? html`<a href=${href("preflop", "", after(word))}>What follows</a>` : "";
  };
  return html`<${Exported} name="preflop"><div class="scroll-x"><table class="hands">
    <thead><tr><th>Action</th><${Heads} names=${["Frequency"]} /><td></td></tr></thead>
    <tbody>${chart.actions.map(
      (word, at) => html`<tr key=${word} data-action=${word}>
        <td><${Swatch} color=${colors[at]} />${actionName(chart, at)}</td>
        <td class="num strong">${percent(chart.frequencies[at])}%</td>
        <td class="num" data-value="">${next(word)}</td>
      </tr>`,
    )}</tbody>
  </table></div><//>`;
}

/** "Limp", "Raise to 2.5bb": an action's name as players say it. */
const actionName = ({ names, actions, line, player }, at) =>
  actions[at] === "c" && names[at] === "call" && !line && player === "button"
    ? "Limp"
    : capital(names[at].replace(/\d$/, "$&bb"));

function Flops({ file }) {
  return html`<section class="panel stack" aria-label="Flops">
    <h2>Lines that see a flop</h2>
    <${Exported} name="flops"><div class="scroll-x"><table class="hands">
      <thead><tr><th>Line</th><${Heads} names=${["Reached", "Pot, bb", "Behind, bb"]} /><td></td></tr></thead>
      <tbody>${file.flops.map(
        (flop) => html`<tr key=${flop.line} data-flop=${flop.line}>
          <td>${lineWords(file, flop.line)}</td>
          <td class="num">${percent(flop.reach ?? null)}%</td>
          <td class="num">${flop.pot}</td><td class="num">${flop.stack}</td>
          <td class="num" data-value=""><button type="button" class="slim" onClick=${() => openFlop(flop)}>Open a flop</button></td>
        </tr>`,
      )}</tbody>
    </table></div><//>
  </section>`;
}

export function PreflopView({ route }) {
  const file = useStore(preflop, (state) => state.file);
  const [view, setView] = useState("strategy");
  const [cell, setCell] = useState(-1);
  useEffect(() => {
    if (route.id === "open") openTree(route.rest);
  }, [route.id, route.rest]);
  const open = html`<${FileButton} accept=".json" onFile=${openCharts}>Open charts…<//>`;
  if (!file)
    return html`<div class="panel empty"><h1 class="hidden-label">Preflop</h1><p>${NOTHING}</p>
      <div class="row centered">${open}</div><${TreeProgress} /><div class="make-first"><${PreflopForm} /></div></div>`;
  const chart = file.charts.find(({ line }) => line === route.rest) ?? file.charts[0];
  const colors = actionColors(chart.actions);
  const lines = new Set(file.charts.map(({ line }) => line));
  return html`<div class="result">
    <h1 class="hidden-label">Preflop</h1>
    <section class="panel row spread">
      <div><h2>${file.name}</h2><span class="quiet small">${file.stack} big blinds · ${seatName(chart.player)} decides${chart.line ? ` after ${lineWords(file, chart.line)}` : " first"} · pot ${chart.pot}, ${chart.to_call} to call · reached ${percent(chart.reach)}%</span></div>
      <span class="row">${file.charts.length > 1 && chart.line && html`<a class="button" href=${href("preflop")}>First decision</a>`}${open}</span>
    </section>
    <${Told} file=${file} />
    <${TreeProgress} shown=${file.name} />
    <details class="panel"><summary>Solve another tree</summary><${PreflopForm} /></details>
    <div class="node">
      <section class="panel matrix" aria-label="Chart">
        <${Segmented} label="View" options=${VIEWS} value=${view} onChange=${setView} />
        <${Grid} label=${`Preflop, ${chart.player}`} cells=${cellsOf(chart, colors, view)} selected=${cell} onPick=${(at) => setCell(at === cell ? -1 : at)} />
        <${ClassTold} chart=${chart} colors=${colors} name=${CLASS_NAMES[cell]} />
        <${CsvButton} name=${`chart ${chart.line}`.trim()} rows=${() => chartRows(chart)} />
      </section>
      <div class="stack">
        <section class="panel stack" aria-label="Actions">
          <div class="bar-of-actions" style=${{ backgroundImage: shareBars(chart.frequencies, colors) }} aria-hidden="true"></div>
          <${Actions} chart=${chart} lines=${lines} flops=${file.flops} colors=${colors} />
        </section>
        ${file.flops.length > 0 && html`<${Flops} file=${file} />`}
      </div>
    </div>
  </div>`;
}
