// A tree before the flop to solve: stacks, what is posted, the raises, rake or prizes; in big blinds.
import { post } from "../api.js";
import { go, href, say } from "../app.js";
import { typed } from "../format.js";
import { html } from "../lib.js";
import { Field, Segmented } from "../parts/controls.js";
import { createStore, recall, remember, useStore } from "../store.js";
import { begin, solving } from "./solving.js";
import { keepCharts } from "./store.js";

const TEXTS = ["opens", "reraises", "rake"];
const LISTS = ["prizes", "others", "stacks"];
const FIELDS = [
  ["stack", "Stack, the smaller", "40"],
  ["ante", "Ante of each", "0"],
  ["small_blind", "Small blind", "0.5"],
  ["straddle", "Straddle of the button", "none"],
  ["opens", "First raises", "2x, 3x, a"],
  ["reraises", "Later raises", "3x, a"],
  ["max_raises", "Most raises", "4"],
  ["rake", "Rake", "none, or 5%"],
  ["rake_cap", "Rake cap", "no cap"],
  ["prizes", "Prizes, first place first", "none, or 50, 30, 20"],
  ["others", "Stacks of the others", "20, 12"],
  ["stacks", "Stacks of blind and button", "15 / 8"],
];
const KINDS = [
  ["tree", "Whole tree"],
  ["push", "Push or fold, exactly"],
];
const FLOPS = [
  ["", "Flops by charts"],
  ["net", "Flops played here"],
  ["model", "Flops by a formula, a sketch"],
];
const OF_PUSH = ["stack", "ante", "small_blind"];
const BLANK = { ...Object.fromEntries(FIELDS.map(([key]) => [key, ""])), kind: "tree", limp: true, flops_by: "" };
const FIRST = { ...BLANK, stack: "40", opens: "2x, 3x, a", reraises: "3x, a" };

const form = createStore({ ...FIRST, ...recall("preflop.form"), errors: {}, asking: false });

const numbers = (text) => text.split(/[\s,/]+/).filter(Boolean).map(typed);

const shownFields = ({ kind }) => FIELDS.filter(([key]) => kind === "tree" || OF_PUSH.includes(key));

/** The request: fields left empty are left out, so that the server's defaults hold. */
function asked(state) {
  const given = shownFields(state).map(([key]) => [key, state[key].trim()]).filter(([, text]) => text);
  const value = (key, text) => (LISTS.includes(key) ? numbers(text) : TEXTS.includes(key) ? text : typed(text));
  const more = state.kind === "push" ? { push_fold: true } : { limp: state.limp, flops_by: state.flops_by };
  return { ...Object.fromEntries(given.map(([key, text]) => [key, value(key, text)])), ...more };
}

/** The fields of a request, as they are typed. */
function fieldsOf({ push_fold: push, limp = true, flops_by = "", ...given }) {
  const text = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  const known = FIELDS.map(([key]) => [key, text(given[key])]);
  return { ...BLANK, ...Object.fromEntries(known), kind: push ? "push" : "tree", limp, flops_by };
}

function change(key, value) {
  form.set({ [key]: value });
  const state = form.get();
  remember("preflop.form", Object.fromEntries(Object.keys(FIRST).map((name) => [name, state[name]])));
}

const titleOf = ({ stack }) => `${stack.trim()} big blinds, push or fold`;

/** Solve what is typed; push or fold is answered at once, a tree in rounds. */
async function solve(line = "") {
  const state = form.get();
  form.set({ asking: true, errors: {} });
  try {
    if (state.kind === "push") keepCharts(titleOf(state), await post("/api/preflop", asked(state)));
    else await begin(asked(state), line);
  } catch (error) {
    const errors = error.byField();
    form.set({ errors });
    if (!shownFields(form.get()).some(([key]) => errors[key])) say(error.message, true);
  }
  form.set({ asking: false });
}

/** A link of a review: its tree is solved, and the decision that it names shown. */
export function openTree(text) {
  let wanted = null;
  try {
    wanted = JSON.parse(text);
  } catch {
    // told below
  }
  go(href("preflop"), true);
  if (typeof wanted?.stack !== "number") {
    say("The link holds no tree before the flop.", true);
    return;
  }
  const { line = "", ...given } = wanted;
  form.set({ ...fieldsOf(given), errors: {} });
  solve(line);
}

export function PreflopForm() {
  const state = useStore(form);
  const busy = useStore(solving, ({ run }) => run?.state === "running") || state.asking;
  return html`<form class="stack" aria-label="Solve a tree before the flop" onSubmit=${(event) => {
    event.preventDefault();
    solve();
  }}>
    <${Segmented} label="What is solved" options=${KINDS} value=${state.kind} onChange=${(kind) => change("kind", kind)} />
    <div class="pair">${shownFields(state).map(
      ([key, label, placeholder]) => html`<${Field} key=${key} id=${`preflop-${key}`} label=${label} placeholder=${placeholder}
        value=${state[key]} why=${state.errors[key]} onInput=${(value) => change(key, value)} />`,
    )}</div>
    ${
      state.kind === "tree" &&
      html`<label class="row small"><input type="checkbox" checked=${state.limp} onChange=${(event) => change("limp", event.target.checked)} />
      Limping is allowed</label>
      <${Segmented} label="What flops are worth" options=${FLOPS} value=${state.flops_by} onChange=${(by) => change("flops_by", by)} />`
    }
    <button type="submit" class="primary" disabled=${busy}>${busy ? "Solving…" : state.kind === "tree" ? "Solve the tree" : "Solve push or fold"}</button>
  </form>`;
}
