// A table of many rows that sorts: only the rows in sight are drawn.
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { CsvButton } from "./csv.js";

const ROW = 26; // pixels
const BEYOND = 8; // rows drawn above and below those in sight

/** Rows by a column, unknown values last. */
function sorted(rows, column, down) {
  const value = column.sort ?? column.value;
  const order = (a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return (one === null) - (other === null);
    const less = typeof one === "string" ? one.localeCompare(other) : one - other;
    return down ? -less : less;
  };
  return [...rows].sort(order);
}

/**
 * `columns` are {key, title, value(row), show(row), sort(row), text}: what is exported, what is shown,
 * what it sorts by if that differs, and whether it is text. `keyOf(row)` names a row.
 */
export function LongTable({ name, label, columns, rows, first, keyOf, height = 440 }) {
  const [sort, setSort] = useState({ key: first, down: true });
  const [top, setTop] = useState(0);
  const frame = useRef(null);
  const column = columns.find(({ key }) => key === sort.key) ?? columns[0];
  const shown = useMemo(
    () => sorted(rows, column, sort.down),
    [rows, column.key, sort.down],
  );
  useEffect(() => {
    frame.current.scrollTop = 0;
  }, [column.key, sort.down]);
  const begin = Math.max(0, Math.min(Math.floor(top / ROW), shown.length) - BEYOND);
  const end = Math.min(shown.length, Math.ceil((top + height) / ROW) + BEYOND);
  const choose = (key, text) =>
    setSort((old) => ({ key, down: old.key === key ? !old.down : !text }));
  const space = (count, at) =>
    count > 0 && html`<tr key=${at} aria-hidden="true"><td colspan=${columns.length} style=${{ height: `${count * ROW}px`, padding: 0 }}></td></tr>`;
  return html`<div class="exported">
    <div
      class="long-table"
      role="region"
      aria-label=${label}
      tabindex="0"
      ref=${frame}
      style=${{ maxHeight: `${height}px` }}
      onScroll=${(event) => setTop(event.currentTarget.scrollTop)}
    ><table class="hands" aria-rowcount=${shown.length + 1}>
      <thead><tr aria-rowindex="1">${columns.map(
        ({ key, title, head, text }) => html`<th
          key=${key}
          scope="col"
          class=${text ? "" : "num"}
          aria-sort=${key === column.key ? (sort.down ? "descending" : "ascending") : undefined}
        ><button type="button" class="bare slim" title=${title} onClick=${() => choose(key, text)}>${head ?? title}</button></th>`,
      )}</tr></thead>
      <tbody>
        ${space(begin, "above")}
        ${shown.slice(begin, end).map(
          (row, at) => html`<tr key=${keyOf(row)} data-row=${keyOf(row)} aria-rowindex=${begin + at + 2}>
            ${columns.map(({ key, show, text }) => html`<td key=${key} data-column=${key} class=${text ? "" : "num"}>${show(row)}</td>`)}
          </tr>`,
        )}
        ${space(shown.length - end, "below")}
      </tbody>
    </table></div>
    <${CsvButton} name=${name} title="Save this table as CSV"
      rows=${() => [columns.map(({ title }) => title), ...shown.map((row) => columns.map(({ value }) => value(row)))]}>CSV ↓<//>
  </div>`;
}
