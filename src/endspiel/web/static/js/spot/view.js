// The spot: both ranges, the board, the money, the menus, what it will cost, and the start.
import { app, attempt } from "../app.js";
import { download, post, upload } from "../api.js";
import { cardText } from "../cards.js";
import { bytes, capital, count, roughly } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Card, Deck } from "../parts/card.js";
import { Field, FileButton, Why, options } from "../parts/controls.js";
import { useStore } from "../store.js";
import { units } from "../units.js";
import { EXAMPLES } from "./examples.js";
import { asSpot, boardOf } from "./fields.js";
import { MenuPanel } from "./menus.js";
import { RangeEditor } from "./range-editor.js";
import {
  begin,
  clearSpot,
  loadExample,
  loadSpot,
  openLink,
  setField,
  spot,
  startSolve,
  takeFit,
  toggleCard,
  whyOf,
} from "./store.js";

function BoardPicker() {
  const state = useStore(spot);
  const cards = boardOf(state).map(cardText);
  const why = whyOf(state, "board");
  const face = (text) => ({
    pressed: cards.includes(text),
    disabled: cards.length >= 5 && !cards.includes(text),
  });
  return html`<div class="stack">
    <div class="row spread">
      <label class="label" for="board">Board</label>
      <span class="cards">${[0, 1, 2, 3, 4].map((at) =>
        cards[at]
          ? html`<${Card} key=${at} text=${cards[at]} size="s" />`
          : html`<span key=${at} class="card s slot"></span>`,
      )}</span>
    </div>
    <${Deck} label="Cards of the board" face=${face} onPick=${toggleCard} />
    <div class="field">
      <input
        id="board"
        value=${state.board}
        placeholder="Qs Jh 2h 4c 9d"
        spellcheck=${false}
        autocomplete="off"
        aria-invalid=${why ? "true" : undefined}
        aria-describedby=${why ? "board-why" : undefined}
        onInput=${(event) => setField("board", event.target.value)}
      />
      <${Why} id="board" text=${why} />
    </div>
  </div>`;
}

const DECIMALS = "Choose bb at the top to write amounts with decimals.";

/** Pot and stacks in the page's unit, and what a big blind is. */
function Money() {
  const state = useStore(spot);
  const blinds = state.unit === "bb";
  const field = (name, label, placeholder, hint) => {
    const why = whyOf(state, name);
    return html`<${Field}
      id=${name}
      label=${label}
      value=${state[name]}
      placeholder=${placeholder}
      inputmode="decimal"
      why=${why && !blinds && /\d[.]\d/.test(state[name]) ? `${why}. ${DECIMALS}` : why}
      hint=${hint}
      onInput=${(value) => setField(name, value)}
    />`;
  };
  return html`<div class="pair">
      ${blinds ? field("pot", "Pot, bb", "5.5") : field("pot", "Pot", "200")}
      ${blinds ? field("stack", "Stack behind, bb", "97.5, or 97.5 / 60") : field("stack", "Stack behind", "900, or 900 / 600")}
      ${(blinds || state.big_blind) && field("big_blind", "A big blind, chips", String(units.get().blind), blinds && "Chips are whole: take 100 or more.")}
    </div>`;
}

/** What the solve will cost, before it is started. */
function Estimate() {
  const estimate = useStore(spot, (state) => state.estimate);
  const errors = useStore(spot, (state) => state.errors);
  const tried = useStore(spot, (state) => state.tried);
  const general = ["", "spot", "ranges"].map((field) => errors[field]).find(Boolean);
  if (!estimate) {
    if (general && tried) return html`<p class="notice bad" role="alert">${general}</p>`;
    return html`<p class="quiet small">
      The size of the tree and its memory appear here once the spot is complete.
    </p>`;
  }
  const used = Math.min(1, estimate.memory_bytes / estimate.memory_limit_bytes);
  const rows = [
    ["Street", capital(estimate.street)],
    ["Decisions", count(estimate.decisions)],
    ["Boards", estimate.boards.map(count).join(" → ")],
    ["Information sets", count(estimate.infosets)],
    ["Time", capital(roughly(estimate.seconds))],
  ];
  return html`<div class="estimate" aria-live="polite">
    <dl>${rows.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <div class="memory">
      <div class="row spread">
        <span>Memory</span>
        <span><b>${bytes(estimate.memory_bytes)}</b><span class="quiet"> of ${bytes(estimate.memory_limit_bytes)}${estimate.storage === 16 ? ", in 16 bits" : ""}</span></span>
      </div>
      <div class=${estimate.fits ? "meter" : "meter over"}><i style=${{ width: `${(100 * used).toFixed(1)}%` }}></i></div>
    </div>
    ${!estimate.fits && html`<p class="notice bad" role="alert">${estimate.why}</p>`}
  </div>`;
}

/** Why a spot cannot be solved here, and the change that would make it fit. */
function TooLarge({ estimate }) {
  const fit = useStore(spot, (state) => state.fit);
  const needed = `It needs ${bytes(estimate.memory_bytes)}; ${bytes(estimate.memory_limit_bytes)} may be used.`;
  if (!fit) return html`<p class="too-large" role="status"><span>${needed} Looking for bets that fit…</span></p>`;
  if (!fit.spot)
    return html`<p class="too-large" role="alert"><span>${needed} No smaller tree fits: narrow the ranges, or choose a turn.</span></p>`;
  const cost = `${bytes(fit.size.memory_bytes)}, ${roughly(fit.size.seconds)}`;
  return html`<p class="too-large" role="alert"><span>${needed} With ${fit.changes.join(", ")} it fits: ${cost}.</span>
    <button type="button" class="slim" onClick=${takeFit}>Use these bets</button></p>`;
}

/** What must be corrected before the spot can be solved, once that was tried. */
function Refused() {
  const state = useStore(spot);
  const [first, ...others] = state.tried ? Object.values(state.errors) : [];
  if (!first) return null;
  return html`<p class="too-large" data-value="refused"><span>${capital(first)}${others.length ? ` (and ${others.length} more)` : ""}</span></p>`;
}

/** The button that solves, always in sight, with what that will cost. */
function Start() {
  const starting = useStore(spot, (state) => state.starting);
  const estimate = useStore(spot, (state) => state.estimate);
  return html`<div class="start">
    ${estimate?.fits === false ? html`<${TooLarge} estimate=${estimate} />` : html`<${Refused} />`}
    <p class="small" data-value="cost">${
      estimate &&
      html`<b>${capital(roughly(estimate.seconds))}</b>
        <span class="quiet">${count(estimate.decisions)} decisions, ${bytes(estimate.memory_bytes)}</span>`
    }</p>
    <button type="submit" class="primary wide" disabled=${starting || estimate?.fits === false}>
      ${starting ? "Starting…" : "Solve"}
    </button>
  </div>`;
}

const STEPS = [
  ["Describe the spot", "ranges, board, bet sizes"],
  ["Solve", "as closely as you like"],
  ["Look and lock", "every hand’s play; fix a node, solve again"],
];

/** What there is to do here, in one line; of an example, that it can be solved as it is. */
function Steps() {
  const example = useStore(spot, (state) => state.example);
  return html`<div class="steps">
    <ol>
      ${STEPS.map(([name, text]) => html`<li key=${name}><b>${name}</b> <span class="quiet">${text}</span></li>`)}
    </ol>
    ${example && html`<p class="small">An example is ready: press <b>Solve</b>, or change anything.</p>`}
  </div>`;
}

const STORAGES = [
  ["", "what fits"],
  ["32", "32 bits"],
  ["16", "16 bits, half the memory"],
];

function SolveOptions() {
  const state = useStore(spot);
  const methods = useStore(app, (shared) => shared.about?.methods) ?? [
    { name: "dcfr", title: "discounted CFR" },
  ];
  const field = (name, label, rest = {}) => html`<${Field}
    id=${name}
    label=${label}
    value=${state[name]}
    inputmode="decimal"
    why=${whyOf(state, name)}
    onInput=${(value) => setField(name, value)}
    ...${rest}
  />`;
  const limited = [state.iterations, state.seconds].some((text) => text.trim());
  return html`<div class="options">
    <${Field} id="method" label="Method" why=${whyOf(state, "method")}>
      <select id="method" onChange=${(event) => setField("method", event.target.value)}>
        ${options(
          methods.map(({ name, title }) => [name, title]),
          state.method,
        )}
      </select>
    <//>
    ${field("target", "Target, % of pot", { placeholder: limited ? "no target" : "0.1" })}
    ${field("iterations", "Iterations", { placeholder: "no limit" })}
    ${field("seconds", "Seconds", { placeholder: "no limit" })}
    <${Field} id="storage" label="Storage" why=${whyOf(state, "storage")}>
      <select id="storage" onChange=${(event) => setField("storage", event.target.value)}>
        ${options(STORAGES, state.storage)}
      </select>
    <//>
  </div>`;
}

function Files() {
  const read = (file) =>
    attempt(async () => {
      const { spot: content } = await upload("/api/spot/read", file);
      loadSpot(content);
    });
  const write = () =>
    attempt(async () => {
      const { name, text } = await post("/api/spot/write", { spot: asSpot(spot.get()) });
      download(name, text);
    });
  const shown = useStore(spot, (state) => state.example);
  const choose = (event) => {
    const chosen = EXAMPLES.find(({ name }) => name === event.target.value);
    if (chosen) loadExample(chosen);
  };
  return html`<div class="row files">
    <select aria-label="Example spots" value=${shown} onChange=${choose}>
      ${options([["", "Examples…"], ...EXAMPLES.map(({ name }) => [name, name])], shown)}
    </select>
    <${FileButton} accept=".toml,.json,.txt" onFile=${read}>Open file…<//>
    <button type="button" onClick=${write}>Save file</button>
    <button type="button" class="bare" onClick=${clearSpot}>Clear</button>
  </div>`;
}

export function SpotView({ route }) {
  useEffect(() => (route.id === "open" ? openLink(route.rest) : begin()), [route.id, route.rest]);
  const submit = (event) => {
    event.preventDefault();
    startSolve();
  };
  return html`<form class="spot" onSubmit=${submit} novalidate>
    <h1 class="hidden-label">Spot</h1>
    <${Steps} />
    <${RangeEditor} player=${0} />
    <${RangeEditor} player=${1} />
    <div class="stack side">
      <${Files} />
      <section class="panel stack" aria-label="Board and money"><${BoardPicker} /><${Money} /></section>
      <${MenuPanel} />
      <section class="panel stack" aria-label="Solve"><${SolveOptions} /><${Estimate} /></section>
      <${Start} />
    </div>
  </form>`;
}
