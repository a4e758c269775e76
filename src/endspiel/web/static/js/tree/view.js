// The tree editor: the betting tree node by node, a size added or removed at one, and what it costs.
import { actionColors } from "../actions.js";
import { href } from "../app.js";
import { bytes, capital, chips, count, percent, roughly } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Field, Swatch } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { lineWords } from "../parts/line-words.js";
import { SIDES } from "../result/crumbs.js";
import { blindOf } from "../spot/fields.js";
import { spot } from "../spot/store.js";
import { useStore } from "../store.js";
import { named, showIn, stake } from "../units.js";
import { addSize, dropEdit, removeSize, showNode, tree } from "./store.js";

const PARTS = { deal: "next card", end: "the end" };

function Way({ node }) {
  const steps = [{ line: "", name: "start", player: null }, ...node.path];
  return html`<nav class="crumbs" aria-label="Way to this node"><ol>
    ${steps.map(({ line, name, player }, at) => html`<li key=${at}><a href=${href("tree", "at", line)}>
      ${player !== null && html`<small>${SIDES[player]}</small>`}${capital(named(name))}</a></li>`)}
    <li><span class="here" aria-current="location">${node.player === null ? "Next card" : `${SIDES[node.player]} to act`}</span></li>
  </ol></nav>`;
}

/** What the player may do here: each leads on, and bets can be taken out. */
function Actions({ node }) {
  const colors = actionColors(node.actions.map(({ word }) => word));
  return html`<${Exported} name=${`tree ${node.line}`.trim()}><div class="scroll-x"><table class="hands tree-actions">
    <thead><tr><th scope="col">Action</th><th class="num" scope="col">Of the pot, %</th><th class="num" scope="col">Decisions below</th><th class="num" scope="col">Share of the tree, %</th><td></td></tr></thead>
    <tbody>${node.actions.map(({ word, name, line, leads_to: leads, percent: size, added, share, decisions }, at) => html`<tr key=${word} data-action=${word}>
      <td><${Swatch} color=${word === "/" ? "var(--cell)" : colors[at]} />${
        leads === "end"
          ? html`${capital(named(name))} <span class="quiet small">${PARTS.end}</span>`
          : html`<a href=${href("tree", "at", line)}>${capital(named(name))}</a>`
      }${added && html` <span class="tag">added</span>`}</td>
      <td class="num">${size === null ? "–" : chips(size, 0)}</td>
      <td class="num">${count(decisions)}</td>
      <td class="num">${percent(share)}</td>
      <td class="num">${/^[br]/.test(word) && html`<button type="button" class="bare slim" aria-label=${`Remove ${named(name)}`} onClick=${() => removeSize(word)}>Remove</button>`}</td>
    </tr>`)}</tbody>
  </table></div><//>`;
}

function Add({ node }) {
  const { adding, error, field } = useStore(tree);
  const state = useStore(spot);
  if (node.least === null) return null;
  const blinds = (text) => text.replace(/(\d+(?:\.\d+)?)\s*bb\b/g, (_, number) => `${Math.round(Number(number) * blindOf(state))}c`);
  const verb = node.to_call ? "Raise" : "Bet";
  return html`<form class="row" aria-label="Add a size" onSubmit=${(event) => {
    event.preventDefault();
    if (adding.trim()) addSize(blinds(adding));
  }}>
    <${Field} id="tree-add" label=${`${verb} sizes to add here`} value=${adding} placeholder=${node.to_call ? "2.5x, 60%, a" : "33%, 150%, a"}
      why=${field === "add" ? error : ""} hint=${`${verb === "Bet" ? "a bet" : "a raise to"} is ${stake(node.least)} to ${stake(node.most)}`}
      onInput=${(value) => tree.set({ adding: value, error: "", field: "" })} />
    <button type="submit" disabled=${!adding.trim()}>Add</button>
  </form>`;
}

/** How large the spot is now. */
function Size() {
  const estimate = useStore(spot, (state) => state.estimate);
  const errors = useStore(spot, (state) => state.errors);
  const why = errors.edits ?? errors.spot;
  return html`<p role="status" aria-label="Size of the tree" data-value="tree-size">${
    estimate
      ? html`<b>${count(estimate.decisions)}</b> decisions, <b>${bytes(estimate.memory_bytes)}</b>${estimate.fits ? "" : ` (${bytes(estimate.memory_limit_bytes)} may be used)`}, ${roughly(estimate.seconds)}`
      : (why ?? "The size appears once the spot is complete.")
  }</p>`;
}

function Changes() {
  const edits = useStore(spot, (state) => state.edits);
  if (!edits.length) return html`<p class="quiet small">No node differs from the bet sizes of the spot.</p>`;
  const told = (text) => {
    const [line, changes] = text.split(/:\s*/);
    const sizes = changes.split(" ").map((word) => `${word[0] === "+" ? "with" : "without"} ${stake(Number(word.slice(1)))}`);
    return html`<a href=${href("tree", "at", line)}>${capital(lineWords(line, stake) || "start")}</a>: ${sizes.join(", ")}`;
  };
  return html`<ul class="stack">${edits.map((text) => html`<li key=${text} class="row spread" data-edit=${text}><span>${told(text)}</span>
    <button type="button" class="bare slim" onClick=${() => dropEdit(text)}>Undo</button></li>`)}</ul>`;
}

export function TreeView({ route }) {
  const { node, error, field } = useStore(tree);
  const state = useStore(spot);
  showIn(Number(state.big_blind) || null);
  useEffect(() => {
    showNode(route.rest);
  }, [route.rest]);
  return html`<div class="stack tree">
    <div class="row spread"><h1>Betting tree</h1><a class="button" href=${href("spot")}>Back to the spot</a></div>
    ${error && field !== "add" && html`<p class="notice bad" role="alert">${capital(error)}</p>`}
    ${node && html`<${Way} node=${node} />`}
    <div class="tree-parts">
      ${node && html`<section class="panel stack" aria-label="Actions here">
        <header><h2>${capital(node.street)}, pot ${stake(node.pot)}${node.to_call ? `, ${stake(node.to_call)} to call` : ""}</h2></header>
        <${Actions} node=${node} />
        ${node.removed.length > 0 && html`<p class="small">Removed here: ${node.removed.map(named).join(", ")}.</p>`}
        <${Add} node=${node} />
      </section>`}
      <div class="stack">
        <section class="panel stack" aria-label="Size"><h2>Size</h2><${Size} /></section>
        <section class="panel stack" aria-label="Changed nodes"><h2>Changed nodes</h2><${Changes} /></section>
      </div>
    </div>
  </div>`;
}
