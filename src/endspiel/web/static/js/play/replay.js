// A finished hand step by step, on the table on which it was played.
import { attempt, href } from "../app.js";
import { get } from "../api.js";
import { capital, signed } from "../format.js";
import { html, useEffect, useState } from "../lib.js";
import { Cards } from "../parts/card.js";
import { useStore } from "../store.js";
import { named } from "../units.js";
import { Own } from "./own.js";
import { play } from "./store.js";
import { Middle, Seat } from "./table.js";

/** What happened in a step, in words. */
function Happened({ step }) {
  if (!step.text) return html`<span>The blinds are posted.</span>`;
  if (step.who === "dealer") return html`<span>${capital(step.street)} <${Cards} cards=${step.text.split(" ")} size="s" /></span>`;
  return html`<span><b>${step.who === "you" ? "You" : "Agent"}</b> ${named(step.who === "you" ? step.text.replace(/^([a-z]+)s\b/, "$1") : step.text)}</span>`;
}

/** A step as the table is drawn: a state whose street begins where the step's does. */
const stateOf = (table, hand, step) => ({
  ...table,
  ...step,
  seat: hand.seat,
  hole: hand.hole,
  agent_hole: hand.agent_hole,
  legal: { street_start: step.street_start },
});

/** The buttons and the slider; the arrow keys step, too. */
function Steps({ at, last, go }) {
  useEffect(() => {
    const press = (event) => {
      if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowLeft") go(at - 1);
      else if (event.key === "ArrowRight") go(at + 1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [at, last]);
  return html`<div class="row centered steps-of">
    <button type="button" onClick=${() => go(0)} disabled=${at === 0}>First</button>
    <button type="button" onClick=${() => go(at - 1)} disabled=${at === 0}>Back</button>
    <input type="range" min="0" max=${last} value=${at} aria-label="Step" onInput=${(event) => go(Number(event.target.value))} />
    <button type="button" class="primary" onClick=${() => go(at + 1)} disabled=${at === last}>Forward</button>
    <button type="button" onClick=${() => go(last)} disabled=${at === last}>Last</button>
  </div>`;
}

export function Replay({ table, number }) {
  const [hand, setHand] = useState(null);
  const [at, setAt] = useState(0);
  const judged = useStore(play, (state) => state.hands?.find((row) => String(row.hand) === number)?.judged);
  useEffect(() => {
    attempt(async () => setHand(await get(`/api/play/${table.id}/hands/${number}`)));
  }, [table.id, number]);
  const back = html`<a class="button" href=${href("play", table.id)}>Back to the table</a>`;
  if (!hand) return html`<section class="panel table" aria-label="Replay"><p class="quiet" role="status">Hand ${number}</p>${back}</section>`;
  const last = hand.steps.length - 1;
  const step = hand.steps[Math.min(at, last)];
  const state = stateOf(table, hand, step);
  return html`<section class="panel table" aria-label="Replay">
    <header class="row spread replay-head"><h2>Hand ${hand.hand}: ${signed(hand.won / hand.blinds[0], 1)} bb</h2>${back}</header>
    <${Seat} table=${state} />
    <${Middle} table=${state} />
    <${Seat} table=${state} you />
    <div class="bottom">
      <p role="status" data-step=${at}><${Happened} step=${step} /></p>
      <${Steps} at=${at} last=${last} go=${(to) => setAt(Math.min(last, Math.max(0, to)))} />
      <${Own} judged=${judged ?? hand.judged} hand=${hand.hand} />
    </div>
  </section>`;
}
