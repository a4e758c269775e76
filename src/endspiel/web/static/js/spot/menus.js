// Bet menus: a street a row, one for both players or one each, and the tree's thresholds.
import { href } from "../app.js";
import { capital } from "../format.js";
import { html, useState } from "../lib.js";
import { Field, Why } from "../parts/controls.js";
import { useStore } from "../store.js";
import { streetsOf } from "./fields.js";
import {
  dropLines,
  setApart,
  setEdits,
  setLimit,
  setMenu,
  setOwnDonk,
  showsDonk,
  spot,
  spreadMenu,
  whyOf,
} from "./store.js";

const KINDS = [
  ["bet", "Bet"],
  ["raise", "Raise"],
];
const WORDS = [
  ["50%", "of the pot"],
  ["2.5x", "the last bet"],
  ["100c", "chips"],
  ["2.5bb", "big blinds"],
  ["e", "geometric"],
  ["a", "all-in"],
];
const SIDES = ["OOP", "IP"];

function MenuInput({ street, kind, title, player, value, why, hideLabel }) {
  const id = `${street}-${kind}${player ? "-ip" : ""}`;
  return html`<input
    id=${id}
    value=${value}
    aria-label=${`${capital(street)} ${title.toLowerCase()} sizes${hideLabel}`}
    spellcheck=${false}
    autocomplete="off"
    placeholder="none"
    aria-invalid=${why ? "true" : undefined}
    onInput=${(event) => setMenu(street, kind, player, event.target.value)}
  />`;
}

const DONK = "A bet out of position into the player who bet last on the street before";

/** Donk sizes: the street's bet sizes, unless it has some of its own, perhaps none. */
function DonkMenu({ street, donk, why, children }) {
  return html`<div class="menu-line">
    <span class="label" title=${DONK}>Donk</span>
    <div class="inputs donk">
      <label class="row small">
        <input
          type="checkbox"
          aria-label=${`${capital(street)} donk sizes are the bet sizes`}
          checked=${!donk.own}
          onChange=${(event) => setOwnDonk(street, !event.target.checked)}
        />
        As bet
      </label>
      ${donk.own && children}
    </div>
    <${Why} id=${`${street}-donk`} text=${why} />
  </div>`;
}

function StreetMenu({ street }) {
  const menu = useStore(spot, (state) => state.menus[street]);
  const apart = useStore(spot, (state) => state.apart);
  const state = useStore(spot);
  const later = streetsOf(state).indexOf(street) < streetsOf(state).length - 1;
  const line = (kind, title, player) => {
    const why = whyOf(state, `${street}.${kind}`);
    return html`<${MenuInput}
      key=${player}
      street=${street}
      kind=${kind}
      title=${title}
      player=${player}
      value=${kind === "donk" ? menu.donk.text : menu[kind][player]}
      why=${why}
      hideLabel=${apart && kind !== "donk" ? `, ${SIDES[player]}` : ""}
    />`;
  };
  return html`<div class="street">
    <div class="row spread">
      <h3>${capital(street)}</h3>
      ${
        later &&
        html`<button type="button" class="bare slim" onClick=${() => spreadMenu(street)}>
          Copy to later streets
        </button>`
      }
    </div>
    ${KINDS.map(([kind, title]) => {
      const why = whyOf(state, `${street}.${kind}`);
      return html`<div class="menu-line" key=${kind}>
        <span class="label">${title}</span>
        <div class="inputs">${(apart ? [0, 1] : [0]).map((player) => line(kind, title, player))}</div>
        <${Why} id=${`${street}-${kind}`} text=${why} />
      </div>`;
    })}
    ${
      showsDonk(state, street) &&
      html`<${DonkMenu} street=${street} donk=${menu.donk} why=${whyOf(state, `${street}.donk`)}>
        ${line("donk", "Donk", 0)}
      <//>`
    }
  </div>`;
}

const LIMITS = [
  ["max_raises", "Most raises a street", "no limit"],
  ["add_allin_threshold", "Add all-in up to, × pot", "0"],
  ["force_allin_threshold", "Force all-in under, × pot", "0"],
  ["merging_threshold", "Merge sizes within", "0"],
  ["rake", "Rake", "none, or 5%"],
  ["rake_cap", "Rake cap", "no cap"],
  ["prizes", "Prizes, first place first", "none, or 50, 30, 20"],
  ["others", "Stacks of the others", "none, or 2000, 1200"],
];

function Limits() {
  const state = useStore(spot);
  return html`<div class="pair">
    ${LIMITS.map(
      ([key, label, placeholder]) => html`<${Field}
        key=${key}
        id=${key}
        label=${label}
        placeholder=${placeholder}
        inputmode="decimal"
        value=${state.limits[key]}
        why=${whyOf(state, key)}
        onInput=${(value) => setLimit(key, value)}
      />`,
    )}
  </div>`;
}

/** Where single nodes are changed, and what was changed so far. */
function TreeLine({ state }) {
  const { edits, lines } = state;
  const why = state.errors.edits ?? state.errors.lines;
  if (lines.length)
    return html`<p class="small">The tree is given by ${lines.length} lines, in place of these sizes.
      <button type="button" class="slim" onClick=${dropLines}>Use these sizes</button></p>`;
  return html`<div class="field"><div class="row spread">
      <a class="button slim" href=${href("tree")}>Edit single nodes…</a>
      ${edits.length > 0 && html`<span class="small">${edits.length} ${edits.length === 1 ? "node" : "nodes"} changed
        <button type="button" class="bare slim" onClick=${() => setEdits([])}>Undo all</button></span>`}
    </div><${Why} id="edits" text=${why} /></div>`;
}

export function MenuPanel() {
  const state = useStore(spot);
  const streets = streetsOf(state);
  const wrong = Object.keys(state.limits).some((key) => whyOf(state, key));
  const [open, setOpen] = useState(() => Object.values(state.limits).some(Boolean));
  return html`<section class="panel stack" aria-labelledby="menus-title">
    <div class="row spread">
      <h2 id="menus-title">Bet sizes</h2>
      <label class="row small">
        <input type="checkbox" checked=${state.apart} onChange=${(event) => setApart(event.target.checked)} />
        One menu each
      </label>
    </div>
    ${
      state.apart &&
      html`<div class="menu-line">
        <span></span>
        <div class="inputs small quiet"><span>Out of position</span><span>In position</span></div>
      </div>`
    }
    ${streets.map((street) => html`<${StreetMenu} key=${street} street=${street} />`)}
    <p class="quiet small">
      ${WORDS.map(
        ([word, meaning], at) =>
          html`<span class="nowrap" key=${word}>${at > 0 && "· "}<span class="mono">${word}</span> ${meaning}</span> `,
      )}
    </p>
    ${state.limits.max_raises && html`<p class="small">At most ${state.limits.max_raises} bets and raises a street (tree limits).</p>`}
    <${TreeLine} state=${state} />
    <details open=${open || wrong} onToggle=${(event) => setOpen(event.target.open)}>
      <summary>Tree limits, rake, prizes</summary>
      <${Limits} />
    </details>
  </section>`;
}
