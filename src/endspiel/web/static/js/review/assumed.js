// What a review assumes, stated before any verdict: ranges by kind of pot, whom it judges, where it begins.
import { app } from "../app.js";
import { capital } from "../format.js";
import { html } from "../lib.js";
import { Field, Segmented, Why, options } from "../parts/controls.js";
import { useStore } from "../store.js";
import { begin, reviews, setForm, setRange } from "./store.js";

export const BEGINS = [
  ["preflop", "the blinds"],
  ["flop", "the flop"],
  ["turn", "the turn"],
  ["river", "the river"],
];
const TOLD = {
  preflop: "Hands between two players are judged from the blinds on by charts, which give the ranges on the flop; other hands from the flop on.",
  flop: "Whole flops are solved: half a minute of a core or more for each.",
  turn: "Turns are solved with these ranges; rivers are judged with what the turn leaves.",
  river: "Rivers alone are judged, with these ranges.",
};
const SIDES = ["Out of position", "In position"];

export const shareText = (share) => (share === null || share === undefined ? "–" : `${share.toFixed(1)}%`);

function Range({ pot, player, text, why }) {
  const share = useStore(reviews, ({ shares }) => shares[text]);
  const presets = useStore(app, ({ about }) => about?.presets) ?? [];
  const id = `review-${pot.replaceAll(" ", "-")}-${player}`;
  const choose = (event) => {
    const chosen = presets[Number(event.target.value)];
    event.target.value = "";
    if (chosen) setRange(pot, player, chosen.text);
  };
  return html`<div class="field">
    <div class="row spread"><label for=${id}>${SIDES[player]} <span class="quiet">${shareText(share)} of hands</span></label>
      <select class="slim" aria-label=${`Preset ${SIDES[player].toLowerCase()}, ${pot}`} onChange=${choose}>
        ${options([["", "Presets…"], ...presets.map(({ name }, at) => [at, name])], "")}
      </select></div>
    <textarea id=${id} rows="3" spellcheck=${false} autocomplete="off" value=${text}
      aria-invalid=${why ? "true" : undefined} aria-describedby=${why ? `${id}-why` : undefined}
      onInput=${(event) => setRange(pot, player, event.target.value)}></textarea>
    <${Why} id=${id} text=${why} />
  </div>`;
}

/** One line of what the last review assumed. */
export function Summary({ review }) {
  const shares = useStore(reviews, (state) => state.shares);
  const { assumed } = review.result;
  const pots = review.pots.map(({ pot, ranges }) => {
    const both = (assumed.pots[pot] ?? ranges).map((text) => shareText(shares[text]));
    return `${pot}: ${both[0]} of hands against ${both[1]}`;
  });
  const from = BEGINS.find(([name]) => name === assumed.begins)[1];
  return html`<p class="small" data-value="assumed"><b>Assumed</b>, out of position against in position: ${pots.join("; ")}. From ${from} on.</p>`;
}

export function Assumed({ review }) {
  const form = useStore(reviews, (state) => state.form);
  const errors = useStore(reviews, (state) => state.errors);
  const run = useStore(reviews, (state) => state.run);
  const players = [["", "all with known cards"], ...review.players.map(({ name, known }) => [name, `${name} (${known} with cards)`])];
  const field = (key, label, more = {}) => html`<${Field} id=${`review-${key}`} label=${label} value=${form[key]} why=${errors[key]}
    onInput=${(value) => setForm({ [key]: value })} ...${more} />`;
  const whole = form.begins === "preflop" || form.begins === "flop";
  return html`<form class="panel stack" aria-label="What is assumed" onSubmit=${(event) => {
    event.preventDefault();
    begin();
  }}>
    <header><h2>What is assumed</h2><span class="quiet small">Every loss depends on these ranges</span></header>
    <div class="pair">
      <label class="field"><span class="label">Decisions of</span>
        <select aria-label="Decisions of" onChange=${(event) => setForm({ player: event.target.value })}>${options(players, form.player)}</select></label>
      <div class="field"><span class="label">Solved from here</span>
        <${Segmented} label="Solved from here" options=${BEGINS} value=${form.begins} onChange=${(begins) => setForm({ begins })} /></div>
    </div>
    <p class="small quiet">${TOLD[form.begins]}</p>
    ${review.pots.map(({ pot, hands }) => html`<fieldset class="stack" key=${pot}>
      <legend class="overline">${capital(pot)}, ${hands} ${hands === 1 ? "hand" : "hands"}</legend>
      <div class="pair">${form.pots[pot].map((text, player) => html`<${Range} key=${player} pot=${pot} player=${player} text=${text}
        why=${errors[`pots.${pot}.${player}`]} />`)}</div>
    </fieldset>`)}
    <div class="pair">
      ${field("bet", "Bets besides those made", { placeholder: whole ? "66%" : "50%, 100%" })}
      ${field("raise", "Raises besides those made", { placeholder: whole ? "none" : "60%" })}
      ${field("target", "Target, % of pot", { inputmode: "decimal" })}
    </div>
    <div class="row"><button type="submit" class="primary" disabled=${run?.state === "running"}>Review ${review.hands} ${review.hands === 1 ? "hand" : "hands"}</button></div>
  </form>`;
}
