// One player's range: the chart to paint, the brush, presets, single combos, and the text.
import { app, attempt, say } from "../app.js";
import { get } from "../api.js";
import { CLASS_NAMES } from "../cards.js";
import { percent } from "../format.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { Why } from "../parts/controls.js";
import { HandText } from "../parts/card.js";
import { Grid } from "../parts/grid.js";
import { loadSaved, ranges, saveRange } from "../ranges/store.js";
import { useStore } from "../store.js";
import { PLAYERS, paintRange, replaceRange, spot, typeRange, whyOf } from "./store.js";

const BRUSHES = [1, 0.75, 0.5, 0.25];
const EVERY = "random";

function cellOf(weight, mixed) {
  if (!(weight > 0)) return { tip: "not in the range" };
  const tip = `weight ${percent(weight, 0)}%${mixed ? ", combos differ" : ""}`;
  return {
    fill: "var(--range)",
    height: weight,
    tone: "ink",
    tip,
    value: weight < 0.995 ? percent(weight, 0) : undefined,
  };
}

/** The chart as an editor: a drag paints what its first cell was not. */
function Chart({ player, range, brush, onFocus }) {
  const [draft, setDraft] = useState(null); // cells painted by the drag under way
  const stroke = useRef({ weight: 1, cells: new Set() });
  const weightOf = (cell) => draft?.[cell] ?? range.weights?.[cell] ?? 0;

  const mark = (cell) => {
    stroke.current.cells.add(cell);
    setDraft(
      Object.fromEntries([...stroke.current.cells].map((at) => [at, stroke.current.weight])),
    );
  };
  const commit = async (cells, weight) => {
    await paintRange(
      player,
      Object.fromEntries([...cells].map((cell) => [CLASS_NAMES[cell], weight])),
    );
    setDraft(null);
  };
  const paint = {
    begin(cell) {
      // painting over a cell that already has the brush's weight erases
      const same = Math.abs(weightOf(cell) - brush) < 0.005;
      stroke.current = { weight: same ? 0 : brush, cells: new Set() };
      onFocus(cell);
      mark(cell);
    },
    over: mark,
    end: () => commit(stroke.current.cells, stroke.current.weight),
  };
  const key = (cell, event) => {
    onFocus(cell);
    if (/^[0-9]$/.test(event.key)) commit([cell], Number(event.key) / 10);
    else if (event.key === "Enter" || event.key === " ")
      commit([cell], Math.abs(weightOf(cell) - brush) < 0.005 ? 0 : brush);
    else if (event.key === "Delete" || event.key === "Backspace") commit([cell], 0);
    else return false;
    return true;
  };
  const cells = CLASS_NAMES.map((_, cell) => cellOf(weightOf(cell), range.mixed.includes(cell)));
  return html`<${Grid} label=${`Range ${PLAYERS[player].toLowerCase()}`} cells=${cells} paint=${paint} onKey=${key} />`;
}

/** The combos of one class, to set one by one. */
function Combos({ player, cell, range, brush }) {
  const name = CLASS_NAMES[cell];
  const [known, setKnown] = useState({ name, hands: [] });
  const hands = known.name === name ? known.hands : []; // those of another class are not shown
  useEffect(() => {
    let current = true;
    get("/api/range/combos", { text: range.valid, class: name })
      .then(({ hands }) => current && setKnown({ name, hands }))
      .catch(() => current && setKnown({ name, hands: [] }));
    return () => {
      current = false;
    };
  }, [range.valid, name]);
  return html`<div class="combos" role="group" aria-label=${`Combos of ${name}`}>
    <span class="label">${name}</span>
    ${hands.map(
      ({ hand, weight }) => html`<button
        type="button"
        key=${hand}
        class=${weight > 0 ? "held" : ""}
        aria-pressed=${weight > 0}
        title=${`weight ${percent(weight, 0)}%`}
        onClick=${() => paintRange(player, { [hand]: Math.abs(weight - brush) < 0.005 ? 0 : brush })}
      >
        <${HandText} hand=${hand} />
        ${weight > 0 && weight < 0.995 && html`<small>${percent(weight, 0)}</small>`}
      </button>`,
    )}
  </div>`;
}

/** Ranges to begin with: the server's, and those that were kept. */
function Presets({ player, range }) {
  const shipped = useStore(app, (state) => state.about?.presets) ?? [];
  const own = useStore(ranges, (state) => state.saved);
  useEffect(() => {
    loadSaved();
  }, []);
  const choose = (event) => {
    const { value } = event.target;
    event.target.value = "";
    if (value === "save") {
      const name = prompt("Name of the preset")?.trim();
      if (name) saveRange(name, range.valid);
    } else if (value) {
      replaceRange(player, [...shipped, ...own][Number(value)].text);
    }
  };
  const option = ({ name }, at) => html`<option key=${at} value=${at}>${name}</option>`;
  return html`<select aria-label=${`Preset for the range ${PLAYERS[player].toLowerCase()}`} onChange=${choose}>
    <option value="">Presets…</option>
    ${shipped.map(option)}
    ${
      own.length > 0 &&
      html`<optgroup label="Yours">${own.map((preset, at) => option(preset, shipped.length + at))}</optgroup>`
    }
    <option value="save" disabled=${!range.valid}>Save this range…</option>
  </select>`;
}

/** Put a range into the clipboard, as another program writes it. */
const copy = (text, program) =>
  attempt(async () => {
    await navigator.clipboard.writeText(text);
    say(`The range is in the clipboard, as ${program} writes it.`);
  });

export function RangeEditor({ player }) {
  const range = useStore(spot, (state) => state.ranges[player]);
  const why = useStore(spot, (state) => whyOf(state, `ranges.${player}`));
  const [brush, setBrush] = useState(1);
  const [cell, setCell] = useState(0);
  const id = `range-${player}`;
  return html`<section class="panel range-editor" aria-labelledby=${`${id}-title`}>
    <header>
      <h2 id=${`${id}-title`}>${PLAYERS[player]}</h2>
      <span class="quiet small">${range.live.toFixed(range.live % 1 ? 1 : 0)} combos · ${range.percent.toFixed(1)}%</span>
    </header>
    <${Chart} player=${player} range=${range} brush=${brush} onFocus=${setCell} />
    <div class="tools">
      <div class="brush">
        <label for=${`${id}-brush`}>Brush</label>
        <input
          id=${`${id}-brush`}
          type="range"
          min="5"
          max="100"
          step="5"
          value=${Math.round(100 * brush)}
          onInput=${(event) => setBrush(Number(event.target.value) / 100)}
        />
        <output for=${`${id}-brush`}>${percent(brush, 0)}%</output>
        <span class="quick">
          ${BRUSHES.map(
            (weight) =>
              html`<button
                type="button"
                class="bare slim"
                key=${weight}
                aria-pressed=${weight === brush}
                onClick=${() => setBrush(weight)}
              >${percent(weight, 0)}</button>`,
          )}
        </span>
      </div>
      <div class="row">
        <${Presets} player=${player} range=${range} />
        <button type="button" onClick=${() => replaceRange(player, EVERY)}>All</button>
        <button type="button" onClick=${() => replaceRange(player, "")}>Clear</button>
      </div>
    </div>
    <${Combos} player=${player} cell=${cell} range=${range} brush=${brush} />
    <div class="field">
      <label for=${`${id}-text`}>As text</label>
      <textarea
        id=${`${id}-text`}
        rows="3"
        spellcheck=${false}
        autocomplete="off"
        placeholder="TT+,AJs+,KQo:0.5"
        value=${range.text}
        aria-invalid=${why ? "true" : undefined}
        aria-describedby=${why ? `${id}-text-why` : undefined}
        onInput=${(event) => typeRange(player, event.target.value)}
      ></textarea>
      <${Why} id=${`${id}-text`} text=${why} />
      ${range.pio && html`<div class="row">
        <button type="button" class="bare slim" onClick=${() => copy(range.pio, "PioSOLVER")}>Copy for PioSOLVER</button>
        <button type="button" class="bare slim" onClick=${() => copy(range.gto_plus, "GTO+")}>Copy for GTO+</button>
      </div>`}
    </div>
  </section>`;
}
