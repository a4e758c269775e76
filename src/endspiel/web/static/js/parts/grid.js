// The 13 x 13 chart, shared by the range editors and the result: drawing, pointing, keys.
import { CLASS_NAMES } from "../cards.js";
import { html, useEffect, useRef, useState } from "../lib.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ROWS = Array.from({ length: 13 }, (_, row) => row);

/** The cell next to another in the direction of an arrow key; it stays inside the chart. */
function moved(cell, [down, right]) {
  const row = Math.min(12, Math.max(0, Math.floor(cell / 13) + down));
  const column = Math.min(12, Math.max(0, (cell % 13) + right));
  return 13 * row + column;
}

/** The cell under a pointer, or -1; found from coordinates, since a touch keeps its first target. */
function cellAt(chart, event) {
  const box = chart.getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * 13);
  const row = Math.floor(((event.clientY - box.top) / box.height) * 13);
  return column >= 0 && column < 13 && row >= 0 && row < 13 ? 13 * row + column : -1;
}

/** Where a cell's name stands with a dark fill of some height: never half on it. */
export const toneOf = (height) => (height >= 0.9 ? "on" : height > 0.6 ? "edge" : "ink");

/**
 * The chart. `cells` has for each class {fill, height, value, tone, tip}: a background, how much
 * of the cell it covers (0 to 1), a second line of text, and how text lies on the fill (`toneOf`).
 * `layers` ({image, size, position}) are several backgrounds in its place; `chip` puts the second
 * line on a ground of its own, as does the tone "chip" the name.
 * `paint` ({begin, over, end}) makes it an editor that follows drags; `onPick` a chooser.
 * `onKey(cell, event)` sees keys first and returns true for those it takes.
 */
export function Grid({ label, cells, selected = -1, onPoint, onPick, onKey, paint }) {
  const chart = useRef(null);
  const last = useRef(-1); // the cell painted or pointed at last
  const [focus, setFocus] = useState(0);
  const refocus = useRef(false);

  useEffect(() => {
    if (!refocus.current) return;
    refocus.current = false;
    chart.current.querySelector(`[data-cell="${focus}"]`).focus();
  }, [focus]);

  const down = (event) => {
    const cell = cellAt(chart.current, event);
    if (cell < 0 || event.button > 0) return;
    setFocus(cell);
    if (!paint) return;
    event.preventDefault();
    chart.current.setPointerCapture(event.pointerId);
    last.current = cell;
    paint.begin(cell);
  };
  const move = (event) => {
    const cell = cellAt(chart.current, event);
    if (cell === last.current) return;
    const drawing = paint && chart.current.hasPointerCapture(event.pointerId);
    last.current = cell;
    if (drawing && cell >= 0) paint.over(cell);
    if (!drawing) onPoint?.(cell);
  };
  const up = (event) => {
    if (!paint || !chart.current.hasPointerCapture(event.pointerId)) return;
    chart.current.releasePointerCapture(event.pointerId);
    paint.end();
  };
  const leave = () => {
    last.current = -1;
    onPoint?.(-1);
  };
  const key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) {
      refocus.current = true;
      const next = moved(focus, step);
      setFocus(next);
      onPoint?.(next);
    } else if (onKey?.(focus, event)) {
      // taken
    } else if (onPick && (event.key === "Enter" || event.key === " ")) {
      onPick(focus);
    } else {
      return;
    }
    event.preventDefault();
  };

  return html`<div
    class=${paint ? "chart painted" : "chart"}
    role="grid"
    aria-label=${label}
    ref=${chart}
    onPointerDown=${down}
    onPointerMove=${move}
    onPointerUp=${up}
    onPointerCancel=${up}
    onPointerLeave=${leave}
    onKeyDown=${key}
  >
    ${ROWS.map(
      (row) => html`<div role="row" key=${row}>
        ${ROWS.map((column) => {
          const at = 13 * row + column;
          return html`<${Cell}
            key=${column}
            at=${at}
            ...${cells[at]}
            tabbed=${at === focus}
            chosen=${at === selected}
            onPick=${onPick}
          />`;
        })}
      </div>`,
    )}
  </div>`;
}

function backgroundOf(fill, height, layers) {
  const all = (part) => layers.map((layer) => layer[part]).join(", ");
  if (layers?.length)
    return { backgroundImage: all("image"), backgroundSize: all("size"), backgroundPosition: all("position") };
  if (!fill) return { backgroundImage: "none", backgroundSize: "auto", backgroundPosition: "" };
  return {
    backgroundImage: fill.includes("gradient") ? fill : `linear-gradient(${fill}, ${fill})`,
    backgroundSize: `100% ${(100 * height).toFixed(1)}%`,
    backgroundPosition: "",
  };
}

function Cell({ at, fill, height = 1, layers, value, chip, tone, tip, locked, pending, tabbed, chosen, onPick }) {
  const style = backgroundOf(fill, height, layers);
  const name = CLASS_NAMES[at];
  return html`<div
    role="gridcell"
    data-cell=${at}
    data-class=${name}
    class=${`cell ${tone ?? ""} ${chosen ? "chosen" : ""} ${locked ? "locked" : ""} ${pending ? "pending" : ""}`}
    style=${style}
    tabindex=${tabbed ? 0 : -1}
    aria-label=${tip ? `${name}: ${tip}` : name}
    aria-selected=${chosen}
    onClick=${onPick ? () => onPick(at) : undefined}
  ><b aria-hidden="true">${name}</b>${value !== undefined && html`<i aria-hidden="true" class=${chip ? "chip" : ""}>${value}</i>`}</div>`;
}
