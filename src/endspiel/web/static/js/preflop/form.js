// A tree before the flop to solve: stacks, what is posted, the raises, rake or prizes; in big blinds.
import { post } from "../api.js";
import { say } from "../app.js";
import { typed } from "../format.js";
import { html } from "../lib.js";
import { Field } from "../parts/controls.js";
import { createStore, recall, remember, useStore } from "../store.js";
import { keepCharts } from "./store.js";

const TEXTS = ["opens", "reraises", "rake"];
const LISTS = ["prizes", "others", "stacks"];
const FIELDS = [
  ["stack", "Stack, the smaller", "40"],
  ["ante", "Ante of each", "0"],
  ["straddle", "Straddle of the button", "none"],
  ["opens", "First raises", "2.5x"],
  ["reraises", "Later raises", "3x, a"],
  ["max_raises", "Most raises", "4"],
  ["rake", "Rake", "none, or 5%"],
  ["rake_cap", "Rake at most", "no cap"],
  ["prizes", "Prizes, first place first", "none, or 50, 30, 20"],
  ["others", "Stacks of the others", "20, 12"],
  ["stacks", "Stacks of blind and button", "15 / 8"],
];
const FIRST = { ...Object.fromEntries(FIELDS.map(([key]) => [key, ""])), stack: "40", opens: "2.5x", reraises: "3x, a", limp: true };

const form = createStore({ ...FIRST, ...recall("preflop.form"), errors: {}, solving: false });

const numbers = (text) => text.split(/[\s,/]+/).filter(Boolean).map(typed);

/** The request: fields left empty are left out, so that the server's defaults hold. */
function asked(state) {
  const given = FIELDS.map(([key]) => [key, state[key].trim()]).filter(([, text]) => text);
  const value = (key, text) => (LISTS.includes(key) ? numbers(text) : TEXTS.includes(key) ? text : typed(text));
  return { ...Object.fromEntries(given.map(([key, text]) => [key, value(key, text)])), limp: state.limp };
}

function change(key, value) {
  form.set({ [key]: value });
  const state = form.get();
  remember("preflop.form", Object.fromEntries(Object.keys(FIRST).map((name) => [name, state[name]])));
}

async function solve() {
  form.set({ solving: true, errors: {} });
  try {
    const state = form.get();
    const charts = await post("/api/preflop", asked(state));
    keepCharts(`${state.stack.trim()} big blinds, ${state.opens.trim() || "2.5x"}`, charts);
  } catch (error) {
    const errors = error.byField();
    form.set({ errors });
    if (!FIELDS.some(([key]) => errors[key])) say(error.message, true);
  }
  form.set({ solving: false });
}

export function PreflopForm() {
  const state = useStore(form);
  return html`<form class="stack" aria-label="Solve a tree before the flop" onSubmit=${(event) => {
    event.preventDefault();
    solve();
  }}>
    <div class="pair">${FIELDS.map(
      ([key, label, placeholder]) => html`<${Field} key=${key} id=${`preflop-${key}`} label=${label} placeholder=${placeholder}
        value=${state[key]} why=${state.errors[key]} onInput=${(value) => change(key, value)} />`,
    )}</div>
    <label class="row small"><input type="checkbox" checked=${state.limp} onChange=${(event) => change("limp", event.target.checked)} />
      Who begins may call</label>
    <button type="submit" class="primary" disabled=${state.solving}>${state.solving ? "Solving…" : "Solve the tree"}</button>
  </form>`;
}
