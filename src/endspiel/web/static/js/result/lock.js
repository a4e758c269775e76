// Locks: hold a node's strategy, all of it or by class, and solve the rest against it.
import { actionColors } from "../actions.js";
import { CLASS_NAMES } from "../cards.js";
import { capital, percent } from "../format.js";
import { html, useState } from "../lib.js";
import { Segmented, Swatch } from "../parts/controls.js";
import { useStore } from "../store.js";
import {
  addLock,
  dropLock,
  editMix,
  resolve,
  setEverywhere,
  setWhole,
  toggleDropped,
  undoLocks,
} from "./lock-store.js";
import { result } from "./store.js";
import { named } from "../units.js";

const MEANINGS = [
  [false, "Each hand"],
  [true, "All together"],
];

/** A mix with one share set, the others scaled so that all sum to 1. */
function withShare(mix, words, word, share) {
  const rest = words.filter((other) => other !== word);
  const before = rest.reduce((sum, other) => sum + mix[other], 0);
  const next = { [word]: share };
  for (const other of rest)
    next[other] = before > 0 ? (mix[other] / before) * (1 - share) : (1 - share) / rest.length;
  return next;
}

/** What the solution does now: over the node, or with one class. */
function presentMix(node, name) {
  const cell = CLASS_NAMES.indexOf(name);
  return Object.fromEntries(
    node.actions.map(({ word, frequency }, at) => [
      word,
      (name ? node.classes.strategy[at][cell] : frequency) ?? 1 / node.actions.length,
    ]),
  );
}

/** A share to type; what is being typed is kept until it is finished, whatever else changes. */
function ShareInput({ label, share, onShare }) {
  const [draft, setDraft] = useState(null);
  const finish = () => {
    if (draft === null) return;
    if (draft.trim() && Number.isFinite(Number(draft))) onShare(Number(draft) / 100);
    setDraft(null);
  };
  return html`<input
    class="share"
    inputmode="decimal"
    aria-label=${label}
    value=${draft ?? percent(share)}
    onInput=${(event) => setDraft(event.target.value)}
    onBlur=${finish}
    onKeyDown=${(event) => event.key === "Enter" && finish()}
  />`;
}

function MixEditor({ node, name, mix }) {
  const words = node.actions.map(({ word }) => word);
  const colors = actionColors(words);
  const shown = mix ?? presentMix(node, name);
  const title = name || "All hands";
  const set = (word, share) =>
    editMix(name, withShare(shown, words, word, Math.min(1, Math.max(0, share))));
  return html`<fieldset class=${mix ? "mix changed" : "mix"}>
    <legend class="row spread"><span>${title}</span>
      ${
        mix
          ? html`<button type="button" class="bare slim" onClick=${() => editMix(name, null)}>Undo</button>`
          : html`<span class="quiet small">as solved</span>`
      }
    </legend>
    ${node.actions.map(
      ({ word, name: action }, at) => html`<div class="mix-line" key=${word}>
        <span><${Swatch} color=${colors[at]} />${capital(named(action))}</span>
        <input
          type="range"
          min="0"
          max="100"
          value=${Math.round(100 * shown[word])}
          aria-label=${`${title}: ${action}, slider`}
          onInput=${(event) => set(word, Number(event.target.value) / 100)}
        />
        <${ShareInput}
          label=${`${title}: ${action}, percent`}
          share=${shown[word]}
          onShare=${(share) => set(word, share)}
        />
        <button type="button" class="bare slim" onClick=${() => set(word, 1)}>Only</button>
      </div>`,
    )}
  </fieldset>`;
}

function Waiting({ locks, dropped, past }) {
  const undo =
    past.length > 0 &&
    html`<button type="button" class="bare slim" onClick=${undoLocks}>Undo</button>`;
  if (!locks.length && !dropped.length) return html`<div class="row">${undo}</div>`;
  const locked = locks.length === 1 ? "1 lock" : `${locks.length} locks`;
  const unlocked = dropped.length > 0 ? `${locks.length ? ", " : ""}${dropped.length} unlocked` : "";
  return html`<div class="stack">
    <div class="row spread"><h2 class="overline">Locked for the next solve</h2>${undo}</div>
    <ul class="locks">
      ${locks.map(
        ({ line, summary }) =>
          html`<li key=${line} class="row spread">
            <span class="mono">${summary}</span>
            <button type="button" class="bare slim" onClick=${() => dropLock(line)}>Remove</button>
          </li>`,
      )}
    </ul>
    <button type="button" class="primary" onClick=${resolve}>
      Re-solve with ${locks.length ? locked : ""}${unlocked}
    </button>
  </div>`;
}

export function LockPanel() {
  const { node, edit, selected, locks, dropped, past, job, everywhere } = useStore(result);
  if (node.kind !== "decision")
    return html`<p class="quiet small pad">Only a decision can be locked.</p>`;
  const name = selected >= 0 && node.classes.weight[selected] > 0 ? CLASS_NAMES[selected] : "";
  const changes = Object.keys(edit.classes);
  const changed = edit.all || changes.length > 0;
  const dealt = node.path.some(({ kind }) => kind === "deal");
  return html`<div class="stack lock-panel">
    <p class="quiet small">
      Hold what this node does and let the rest adapt. Set all hands at once, or click a class of the chart to set
      it alone.
    </p>
    <${MixEditor} node=${node} name="" mix=${edit.all} />
    ${
      edit.all &&
      html`<div class="row small"><span class="quiet">The frequencies are what</span>
        <${Segmented} label="What the frequencies mean" options=${MEANINGS} value=${edit.whole} onChange=${setWhole} />
        <span class="quiet">${edit.whole ? "does: hands that lose least change first" : "does"}</span></div>`
    }
    ${name && html`<${MixEditor} key=${name} node=${node} name=${name} mix=${edit.classes[name] ?? (edit.whole ? null : edit.all)} />`}
    ${
      dealt &&
      html`<label class="row small">
        <input
          type="checkbox"
          checked=${everywhere}
          onChange=${(event) => setEverywhere(event.target.checked)}
        />
        After the same betting on every board (needs a mix for all hands)
      </label>`
    }
    <div class="row">
      <button type="button" onClick=${addLock}>${changed ? "Lock this node" : "Lock this node as solved"}</button>
      ${changes.length > 0 && html`<span class="quiet small">changed: ${changes.join(", ")}</span>`}
    </div>
    <${Waiting} locks=${locks} dropped=${dropped} past=${past} />
    ${
      job?.locks.length > 0 &&
      html`<div class="stack">
        <h2 class="overline">Locked in this solve</h2>
        <ul class="locks">
          ${job.locks.map(
            ({ line, summary }) => html`<li key=${line} class="row spread">
              <span class=${dropped.includes(line) ? "mono struck" : "mono"}>${summary}</span>
              <button type="button" class="bare slim" onClick=${() => toggleDropped(line)}>
                ${dropped.includes(line) ? "Keep" : "Unlock"}
              </button>
            </li>`,
          )}
        </ul>
      </div>`
    }
  </div>`;
}
