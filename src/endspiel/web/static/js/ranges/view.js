// Ranges: the two of the spot to paint, how they fare against each other, and those kept by name.
import { html, useEffect, useState } from "../lib.js";
import { Exported } from "../parts/csv.js";
import { RangeEditor } from "../spot/range-editor.js";
import { begin, replaceRange, setField, spot } from "../spot/store.js";
import { useStore } from "../store.js";
import { EquityGraph } from "./graph.js";
import { askGraph, forgetRange, loadSaved, ranges, saveRange } from "./store.js";

const SIDES = ["OOP", "IP"];

function Saved() {
  const saved = useStore(ranges, (state) => state.saved);
  const both = useStore(spot, (state) => state.ranges);
  const [name, setName] = useState("");
  const save = (player) => saveRange(name, both[player].valid).then(() => setName(""));
  return html`<section class="panel stack" aria-label="Kept ranges">
    <h2>Kept ranges</h2>
    <div class="row">
      <input aria-label="Name of the range" placeholder="Name" value=${name} onInput=${(event) => setName(event.target.value)} />
      ${SIDES.map(
        (side, player) => html`<button type="button" key=${side} disabled=${!name.trim() || !both[player].valid} onClick=${() => save(player)}>Keep ${side}</button>`,
      )}
    </div>
    ${
      saved.length > 0 &&
      html`<${Exported} name="ranges"><div class="scroll-x"><table class="hands"><thead><tr><th>Name</th><th>Range</th><td></td></tr></thead>
        <tbody>${saved.map(
          (one) => html`<tr key=${one.id} data-range=${one.name}>
            <th scope="row">${one.name}</th>
            <td class="mono clip" title=${one.text}>${one.text}</td>
            <td class="num" data-value="">
              ${SIDES.map((side, player) => html`<button type="button" class="bare slim" key=${side} onClick=${() => replaceRange(player, one.text)}>${side}</button>`)}
              <button type="button" class="bare slim danger" aria-label=${`Forget ${one.name}`} onClick=${() => forgetRange(one.id)}>×</button>
            </td>
          </tr>`,
        )}</tbody></table></div><//>`
    }
    ${saved.length === 0 && html`<p class="quiet small">Ranges kept here stay on this machine and appear among the presets of every spot.</p>`}
  </section>`;
}

export function RangesView() {
  const board = useStore(spot, (state) => state.board);
  const valid = useStore(spot, (state) => state.ranges.map((range) => range.valid).join("|"));
  const { graph, error } = useStore(ranges);
  useEffect(() => {
    begin();
    loadSaved();
  }, []);
  useEffect(() => {
    askGraph();
  }, [board, valid]);
  return html`<div class="spot">
    <h1 class="hidden-label">Ranges</h1>
    <${RangeEditor} player=${0} />
    <${RangeEditor} player=${1} />
    <div class="stack side">
      <section class="panel stack" aria-label="Range against range">
        <header class="row spread"><h2>Range against range</h2>
          <label class="row small">Board
            <input value=${board} placeholder="none: before the flop" spellcheck=${false} onInput=${(event) => setField("board", event.target.value)} />
          </label></header>
        ${error && html`<p class="notice bad" role="alert">${error}</p>`}
        ${graph && html`<${EquityGraph} graph=${graph} />`}
      </section>
      <${Saved} />
    </div>
  </div>`;
}
