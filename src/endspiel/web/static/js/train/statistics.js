// What answers lost by street and by texture of the flop, lately and in all.
import { capital, percent } from "../format.js";
import { html } from "../lib.js";
import { Heads } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";

const STREETS = ["preflop", "flop", "turn", "river"];
const TEXTURES = ["rainbow", "two-tone", "monotone", "unpaired", "paired", "trips"];
const WHOLE = "whole hands";
const PERIODS = [
  ["7 days", 7],
  ["30 days", 30],
  ["In all", Infinity],
];
const DAY = 86_400_000; // milliseconds

/** The sums of a part over the days since a date. */
function sumOf(parts, part, days) {
  const since = Number.isFinite(days) ? Date.now() - days * DAY : 0;
  const sum = { questions: 0, good: 0, lost_percent: 0 };
  for (const [day, scores] of Object.entries(parts)) {
    const score = scores[part];
    if (!score || Date.parse(`${day}T23:59:59`) < since) continue;
    for (const key of Object.keys(sum)) sum[key] += score[key];
  }
  return sum;
}

const lossText = ({ questions, lost_percent: lost }) => (questions ? (lost / questions).toFixed(2) : "–");

function Rows({ parts, names }) {
  return names
    .map((name) => [name, PERIODS.map(([, days]) => sumOf(parts, name, days))])
    .filter(([, sums]) => sums.at(-1).questions > 0)
    .map(
      ([name, sums]) => html`<tr key=${name} data-part=${name}>
        <th scope="row">${capital(name)}</th>
        <td class="num">${sums.at(-1).questions}</td>
        <td class="num">${percent(sums.at(-1).good / sums.at(-1).questions, 0)}%</td>
        ${sums.map((sum, at) => html`<td key=${at} class="num">${lossText(sum)}</td>`)}
      </tr>`,
    );
}

/** Decisions by street and texture, then whole hands: how many, how many good, lost a decision or hand. */
export function Statistics({ progress }) {
  const parts = progress.parts ?? {};
  if (!Object.keys(parts).length) return null;
  return html`<div class="stack" role="group" aria-label="By street and flop"><h3>By street and flop, % of the pot lost</h3>
    <${Exported} name="by-street-and-flop"><table class="hands parts">
      <thead><tr><th scope="col">Part</th><${Heads} names=${["Count", "Good", ...PERIODS.map(([title]) => title)]} /></tr></thead>
      <tbody><${Rows} parts=${parts} names=${[...STREETS, ...TEXTURES, WHOLE]} /></tbody>
    </table><//>
  </div>`;
}
