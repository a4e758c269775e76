// Any table on the page as a CSV file.
import { download } from "../api.js";
import { html } from "../lib.js";

/** A cell as it is exported: its data-value, else its text, with plain minus signs. */
function cellText(cell) {
  const text = cell.dataset.value ?? cell.innerText.trim();
  return text.replaceAll("−", "-").replace(/^–$/, "").replace(/^(-?[\d,.]+)%$/, "$1");
}

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const plain = (text) => (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text);

const csvOf = (rows) => rows.map((row) => row.map(quoted).join(",")).join("\n");

/** The rows of a table, heads first. */
export const tableCsv = (table) =>
  csvOf([...table.rows].map((row) => [...row.cells].map((cell) => plain(cellText(cell)))));

/** A button that saves rows of values, heads first, under a name. */
export function CsvButton({ name, rows, title = "Save this chart as CSV", children = "Chart as CSV ↓" }) {
  const save = () => download(`${name}.csv`, `${csvOf(rows().map((row) => row.map((value) => String(value ?? ""))))}\n`);
  return html`<button type="button" class="bare slim csv" onClick=${save} title=${title}>${children}</button>`;
}

/** A table with a button below that saves it under a name. */
export function Exported({ name, children }) {
  const save = (event) => {
    const table = event.target.closest(".exported").querySelector("table");
    download(`${name}.csv`, `${tableCsv(table)}\n`);
  };
  return html`<div class="exported">
    ${children}
    <button type="button" class="bare slim csv" onClick=${save} title="Save this table as CSV">CSV ↓</button>
  </div>`;
}
