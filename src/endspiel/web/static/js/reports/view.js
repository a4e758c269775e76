// Reports: a table that sorts and filters, points and bars; a board opens as a study.
import { actionColors } from "../actions.js";
import { href, settle } from "../app.js";
import { capital, chips } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Cards } from "../parts/card.js";
import { FileButton, Swatch, options } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { GroupedBars, Scatter } from "../parts/plot.js";
import { SIDES } from "../result/crumbs.js";
import { useStore } from "../store.js";
import {
  deleteReport,
  filtered,
  loadReports,
  meanOf,
  metricsOf,
  openReport,
  reports,
  setAxis,
  setFilter,
  setGroup,
  showReport,
  shownValue,
  sortBy,
  sorted,
  study,
} from "./store.js";
import { showIn, stake } from "../units.js";
import { MakeReport, making } from "./make.js";
import { HIGH, PAIRED, SUITED, SUITED_COLORS } from "./texture.js";

const NOTHING_YET =
  "A report solves one spot on many boards. Make one here, or with `endspiel report spot.toml --flops 25 --json report.json` and open its file.";
const GROUPS = [
  ["suited", "Suits"],
  ["paired", "Pairs"],
  ["high", "High card"],
];
const ORDER = { suited: SUITED, paired: PAIRED, high: HIGH };

const shown = (value, digits = 1) =>
  value === null ? "–" : chips(value, Math.abs(value) < 99.95 ? digits : 0);

function List({ list, chosen }) {
  return html`<ul class="jobs">
    ${list.map(
      ({ id, name, kind, boards, node }) => html`<li key=${id}>
        <a href=${href("reports", id)} class=${id === chosen ? "chosen" : ""} aria-current=${id === chosen ? "true" : undefined}>
          <b class="title">${name}</b>
          <span class="small quiet">${boards} ${kind}s${node ? `, after ${node}` : ""}</span>
        </a>
      </li>`,
    )}
  </ul>`;
}

function Filters({ rows, all }) {
  const filter = useStore(reports, (state) => state.filter);
  const choice = (name, title, values) => html`<label class="field">
    <span class="label">${title}</span>
    <select aria-label=${title} onChange=${(event) => setFilter(name, event.target.value)}>
      ${options([["", "all"], ...values.map((value) => [value, value])], filter[name])}
    </select>
  </label>`;
  return html`<div class="row filters" role="group" aria-label="Filter">
    ${choice("suited", "Suits", SUITED)}
    ${choice("paired", "Pairs", PAIRED)}
    ${choice("high", "High card", HIGH)}
    <label class="field"><span class="label">Cards</span>
      <input value=${filter.text} placeholder="7h 2" onInput=${(event) => setFilter("text", event.target.value)} />
    </label>
    <span class="quiet small" role="status">${rows} of ${all} boards</span>
  </div>`;
}

function Points({ report, rows, metrics }) {
  const { x, y } = useStore(reports);
  const of = (key) => metrics.find((metric) => metric.key === key) ?? metrics[0];
  const [across, up] = [of(x), of(y)];
  const points = rows
    .map((row) => ({
      key: row.board,
      x: shownValue(across, row),
      y: shownValue(up, row),
      color: SUITED_COLORS[row.suited],
      title: `${row.board}: ${up.title} ${shown(shownValue(up, row), up.digits)}, ${across.title} ${shown(shownValue(across, row), across.digits)}`,
    }))
    .filter((point) => point.x !== null && point.y !== null);
  const choice = (axis, title, value) => html`<label class="row small">${title}
    <select onChange=${(event) => setAxis(axis, event.target.value)}>
      ${options(
        metrics.map((metric) => [metric.key, capital(metric.title)]),
        value.key,
      )}
    </select></label>`;
  return html`<section class="panel stack" aria-label="Boards as points">
    <div class="row">${choice("y", "Up", up)}${choice("x", "Across", across)}</div>
    <${Scatter} label=${`${up.title} against ${across.title}`} points=${points} xName=${across.title} yName=${up.title}
      onPick=${(board) => study(report, board)} />
    <div class="legend small quiet">${SUITED.map((name) => html`<span key=${name}><${Swatch} color=${SUITED_COLORS[name]} />${name}</span>`)}</div>
  </section>`;
}

function Bars({ report, rows, metrics }) {
  const group = useStore(reports, (state) => state.group);
  const shares = metrics.slice(0, report.words.length);
  const colors = actionColors(report.words);
  const groups = ORDER[group]
    .map((name) => ({ name, rows: rows.filter((row) => row[group] === name) }))
    .filter((one) => one.rows.length)
    .map((one) => ({
      name: one.name,
      count: one.rows.length,
      values: shares.map((metric) => meanOf(metric, one.rows)),
    }));
  return html`<section class="panel stack" aria-label="Frequencies by group">
    <label class="row small">Frequencies by
      <select onChange=${(event) => setGroup(event.target.value)}>${options(GROUPS, group)}</select>
    </label>
    <${GroupedBars} label="Mean frequencies by kind of board" groups=${groups} series=${report.actions} colors=${colors} yName="%" />
    <div class="legend small quiet">${report.actions.map((name, at) => html`<span key=${name}><${Swatch} color=${colors[at]} />${name}</span>`)}</div>
  </section>`;
}

function Table({ report, rows, metrics }) {
  const sort = useStore(reports, (state) => state.sort);
  const head = (key, title) => html`<th
    key=${key}
    class=${key === "board" ? "" : "num"}
    scope="col"
    aria-sort=${sort.key === key ? (sort.down ? "descending" : "ascending") : undefined}
  ><button type="button" class="bare slim" onClick=${() => sortBy(key)}>${capital(title)}</button></th>`;
  const cell = (metric, value) =>
    html`<td class="num" key=${metric.key} data-value=${value ?? ""}>${shown(value, metric.digits)}</td>`;
  return html`<section class="panel" aria-label="Boards">
    <${Exported} name=${report.name}><div class="scroll-x report-table"><table class="hands">
      <thead><tr>${head("board", report.kind)}${head("weight", "Weight")}${metrics.map(({ key, title }) => head(key, title))}</tr></thead>
      <tbody>
        <tr class="mean"><th scope="row">Mean of these</th><td class="num"></td>
          ${metrics.map((metric) => cell(metric, meanOf(metric, rows)))}</tr>
        ${sorted(rows, sort, metrics).map(
          (row) => html`<tr key=${row.board} data-board=${row.board}>
            <td data-value=${row.board}><button type="button" class="bare slim" title="Open as a study" onClick=${() => study(report, row.board)}>
              <${Cards} cards=${row.board.split(" ")} size="s" /></button></td>
            <td class="num">${chips(row.weight)}</td>
            ${metrics.map((metric) => cell(metric, shownValue(metric, row)))}
          </tr>`,
        )}
      </tbody>
    </table></div><//>
  </section>`;
}

function Report({ report }) {
  showIn(report.spot?.big_blind);
  const state = useStore(reports);
  const rows = filtered(state);
  const metrics = metricsOf(report);
  return html`<div class="stack report">
    <section class="panel stack">
      <header class="row spread">
        <div><h2>${report.name}</h2>
          <span class="quiet small">${report.rows.length} ${report.kind}s, pot ${stake(report.pot)}, ${stake(report.stack)} behind${" · "}${SIDES[report.player]} decides${report.node ? ` after ${report.node}` : " first"}${report.missing ? ` · ${report.missing} boards missing` : ""}</span></div>
        <span class="row">
          ${report.kind === "flop" && report.spot && html`<a class="button" href=${href("train", "of", `report ${report.id}`)}>Drill these flops</a>`}
          <button type="button" class="bare danger" onClick=${() => confirm(`Delete the report ${report.name}?`) && deleteReport(report.id)}>Delete</button>
        </span>
      </header>
      <${Filters} rows=${rows.length} all=${report.rows.length} />
    </section>
    ${rows.length > 0 && html`<div class="plots"><${Points} report=${report} rows=${rows} metrics=${metrics} /><${Bars} report=${report} rows=${rows} metrics=${metrics} /></div>`}
    <${Table} report=${report} rows=${rows} metrics=${metrics} />
  </div>`;
}

export function ReportsView({ route }) {
  const { list, report } = useStore(reports);
  const running = useStore(making, ({ run }) => run?.state === "running");
  useEffect(() => {
    loadReports();
  }, []);
  useEffect(() => {
    if (route.id) showReport(route.id);
    else if (list?.length) settle(route, href("reports", list[0].id));
  }, [route.id, list?.length]);
  const open = html`<${FileButton} accept=".json" onFile=${openReport}>Open report…<//>`;
  if (!list?.length)
    return html`<div class="panel empty"><h1 class="hidden-label">Reports</h1>
      <p>${list ? NOTHING_YET : "Looking for reports…"}</p>
      <div class="row centered">${open}</div>${list && html`<div class="make-first"><${MakeReport} /></div>`}</div>`;
  return html`<div class="solves">
    <h1 class="hidden-label">Reports</h1>
    <aside class="panel"><header><h2>Reports</h2>${open}</header><${List} list=${list} chosen=${route.id} />
      <details open=${running || undefined}><summary>Make a report</summary><${MakeReport} /></details></aside>
    ${report && report.id === route.id && html`<${Report} report=${report} />`}
  </div>`;
}
