// The filter of hands: made hands and draws with what each does, suits, and cards held.
import { get } from "../api.js";
import { actionColors, shareBars } from "../actions.js";
import { capital, chips, percent } from "../format.js";
import { html, useEffect, useState } from "../lib.js";
import { Heads, options } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { useStore } from "../store.js";
import { SIDES } from "./crumbs.js";
import { clearFilter, isFiltered, result, setFilter, sideOf } from "./store.js";
import { money } from "../units.js";

const SUITS = [
  ["", "any suits"],
  ["suited", "suited"],
  ["offsuit", "offsuit"],
  ...["s", "h", "d", "c"].map((suit) => [suit + suit, `both ${{ s: "♠", h: "♥", d: "♦", c: "♣" }[suit]}`]),
  ...["s", "h", "d", "c"].map((suit) => [`${suit}x`, `one ${{ s: "♠", h: "♥", d: "♦", c: "♣" }[suit]} or two`]),
];

/** The kinds of hands of the chart's player, asked for when the node or the player changes. */
function useKinds() {
  const node = useStore(result, (state) => state.node);
  const side = useStore(result, sideOf);
  const [kinds, setKinds] = useState(null);
  useEffect(() => {
    let current = true;
    get(`/api/jobs/${node.job}/kinds`, { line: node.line, player: side })
      .then((answer) => current && setKinds(answer))
      .catch((error) => current && setKinds({ error: error.message }));
    return () => {
      current = false;
    };
  }, [node, side]);
  return kinds;
}

function Kinds({ group, title, kinds, words, chosen }) {
  if (!kinds.length) return null;
  const colors = actionColors(words);
  const toggle = (name) =>
    setFilter({ [group]: chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name] });
  return html`<${Exported} name=${title.toLowerCase()}><table class="hands kinds">
    <thead><tr><th scope="col">${title}</th><th class="wide-cell"><span class="hidden-label">Strategy</span></th><${Heads} names=${["Combos", "Share", "EV", "Equity"]} /></tr></thead>
    <tbody>${kinds.map(
      ({ name, combos, share, frequencies, ev, equity }) => html`<tr key=${name} data-kind=${name}>
        <th scope="row" data-value=${name}><label class="row small"><input type="checkbox" checked=${chosen.includes(name)} onChange=${() => toggle(name)} />${capital(name)}</label></th>
        <td class="wide-cell">${frequencies && html`<span class="mini-bar" style=${{ backgroundImage: shareBars(frequencies, colors) }}></span>`}</td>
        <td class="num">${chips(combos, 1)}</td><td class="num">${percent(share)}%</td>
        <td class="num">${money(ev, 2)}</td><td class="num">${percent(equity)}%</td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** Cards held, asked for once the text reads: until then it stays as it was. */
function Holds({ holds }) {
  const [text, setText] = useState(holds);
  const tidy = text.trim().replace(/10/g, "T").split(/[\s,]+/).filter(Boolean)
    .map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase());
  const reads = tidy.every((word) => /^[2-9TJQKA][cdhs]?$/.test(word));
  useEffect(() => {
    if (reads && tidy.join(" ") !== holds) setFilter({ holds: tidy.join(" ") });
  }, [text]);
  useEffect(() => {
    if (!holds && reads) setText("");
  }, [holds]);
  return html`<label class="field"><span class="label">Holds one of</span>
    <input value=${text} placeholder="As K" spellcheck=${false} autocomplete="off" aria-invalid=${reads ? undefined : "true"}
      onInput=${(event) => setText(event.target.value)} /></label>`;
}

export function FilterPanel() {
  const filter = useStore(result, (state) => state.filter);
  const side = useStore(result, sideOf);
  const kinds = useKinds();
  if (!kinds) return html`<p class="quiet small pad">Sorting the hands…</p>`;
  if (kinds.error) return html`<p class="quiet small pad">${kinds.error}</p>`;
  return html`<div class="stack filter-panel">
    <div class="row filters">
      <label class="field"><span class="label">Suits</span>
        <select onChange=${(event) => setFilter({ suits: event.target.value })}>${options(SUITS, filter.suits)}</select></label>
      <${Holds} holds=${filter.holds} />
      <button type="button" disabled=${!isFiltered(filter)} onClick=${clearFilter}>Clear filter</button>
    </div>
    <p class="quiet small">What ${SIDES[side]} holds. Chosen kinds alone are then in the chart, the actions, the tables and the graph.</p>
    <${Kinds} group="made" title="Made hand" kinds=${kinds.made} words=${kinds.words} chosen=${filter.made} />
    <${Kinds} group="draws" title="Draw" kinds=${kinds.draws} words=${kinds.words} chosen=${filter.draws} />
  </div>`;
}

/** The filter in words: "set, two pair; flush draw; suited; As K". */
const filterText = ({ made, draws, suits, holds }) =>
  [made.join(", "), draws.join(", "), suits && (SUITS.find(([name]) => name === suits)?.[1] ?? suits), holds && `holds ${holds}`]
    .filter(Boolean)
    .join("; ");

/** That a filter is on, what passes it, and the way to clear it; nothing where none is. */
export function FilterTag({ node }) {
  const filter = useStore(result, (state) => state.filter);
  if (!isFiltered(filter)) return null;
  const { filtered, player } = node;
  return html`<span class="tag filtered" role="status">Filter: ${filterText(filter)}${
    filtered && html` <span class="quiet">· ${chips(filtered.combos[player], 1)} combos, ${percent(filtered.share)}%</span>`
  }<button type="button" class="bare slim" aria-label="Clear filter" onClick=${clearFilter}>×</button></span>`;
}
