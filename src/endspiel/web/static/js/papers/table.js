// A table of a paper: numbers to the right, our columns set off.
import { html } from "../lib.js";
import { Exported } from "../parts/csv.js";

const NUMBER = /^[-+−±]?[\d,.]+(\s*(%|±|(to|s|ms|min|h)\b).*)?$/;

/** `show` makes elements of a cell's text. */
export function DataTable({ title, columns, rows, show = (text) => text }) {
  const numeric = columns.map((_, at) =>
    rows.every((row) => !row[at] || NUMBER.test(row[at].trim()) || row[at] === "not run"),
  );
  const mark = (at) => `${numeric[at] ? "num" : ""} ${/\bours\b/i.test(columns[at]) ? "ours" : ""}`;
  const cell = (text, at) => html`<td key=${at} class=${mark(at)}>${show(text)}</td>`;
  return html`<figure class="data">
    ${title && html`<figcaption>${title}</figcaption>`}
    <${Exported} name=${title || "table"}><div class="scroll-x"><table>
      <thead><tr>
        ${columns.map((name, at) =>
          name ? html`<th key=${at} scope="col" class=${mark(at)}>${show(name)}</th>` : html`<td key=${at}></td>`,
        )}
      </tr></thead>
      <tbody>${rows.map((row, line) => html`<tr key=${line}>${row.map(cell)}</tr>`)}</tbody>
    </table></div><//>
  </figure>`;
}

/** A picture with its title below. */
export function Picture({ url, title }) {
  return html`<figure class="picture">
    <img src=${url} alt=${title} loading="lazy" />
    <figcaption>${title}</figcaption>
  </figure>`;
}
