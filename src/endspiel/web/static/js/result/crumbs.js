// The way from the root to the node: who did what, and the cards that came.
import { href } from "../app.js";
import { capital } from "../format.js";
import { html } from "../lib.js";
import { Card } from "../parts/card.js";
import { named } from "../units.js";

export const SIDES = ["OOP", "IP"];

function Step({ job, step }) {
  if (step.kind === "deal")
    return html`<a href=${href("result", job.id, step.line)} title="Choose another card">
      <${Card} text=${step.word} size="s" />
    </a>`;
  return html`<a href=${href("result", job.id, step.line)}><small>${SIDES[step.player]}</small>${capital(named(step.name))}</a>`;
}

const hereText = (node) => {
  if (node.kind === "decision") return `${SIDES[node.player]} to act`;
  if (node.kind === "deal") return "Next card";
  return node.outcome === "fold" ? `${SIDES[node.winner]} wins` : "Showdown";
};

export function Crumbs({ job, node }) {
  return html`<nav class="crumbs" aria-label="Way to this node">
    <ol>
      ${node.path.map((step, at) => html`<li key=${at}><${Step} job=${job} step=${step} /></li>`)}
      <li><span class="here" aria-current="location">${hereText(node)}</span></li>
    </ol>
  </nav>`;
}
