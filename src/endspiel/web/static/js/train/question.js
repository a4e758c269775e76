// What a drill and a whole hand share: what happened so far, and the actions as buttons.
import { actionColors } from "../actions.js";
import { capital } from "../format.js";
import { html } from "../lib.js";
import { Card } from "../parts/card.js";
import { SIDES } from "../result/crumbs.js";
import { named } from "../units.js";

export function History({ path }) {
  return html`<ol class="history" aria-label="What happened">
    ${path.map((step, at) =>
      step.kind === "deal"
        ? html`<li key=${at}><${Card} text=${step.word} size="s" /></li>`
        : html`<li key=${at}><small>${SIDES[step.player]}</small> ${capital(named(step.name))}</li>`,
    )}
  </ol>`;
}

/** The actions to choose from; `chosen` is the word of the one that was. */
export function Answers({ actions, done, chosen, onAnswer }) {
  const colors = actionColors(actions.map(({ word }) => word));
  return html`<div class="answers" role="group" aria-label="Your action">
    ${actions.map(
      ({ word, name, allin }, at) => html`<button
        type="button"
        key=${word}
        data-answer=${word}
        class=${chosen === word ? "chosen" : ""}
        style=${{ background: colors[at] }}
        disabled=${done}
        onClick=${() => onAnswer(word)}
      ><small>${at + 1}</small>${capital(named(name))}${allin ? ", all-in" : ""}</button>`,
    )}
  </div>`;
}
