// Papers: the tables and figures that were reproduced, ours beside the paper's.
import { go, href } from "../app.js";
import { get } from "../api.js";
import { html, useEffect, useState } from "../lib.js";
import { Markdown } from "./markdown.js";

const NUMBER = /^[-+−±]?[\d,.]+(\s*(%|±|to).*)?$/;

function DataTable({ title, columns, rows }) {
  const numeric = columns.map((_, at) =>
    rows.every((row) => NUMBER.test((row[at] ?? "").trim()) || !row[at]),
  );
  const mark = (at) =>
    `${numeric[at] ? "num" : ""} ${/\b(ours)\b/i.test(columns[at]) ? "ours" : ""}`;
  return html`<figure class="data">
    ${title && html`<figcaption>${title}</figcaption>`}
    <div class="scroll-x"><table>
      <thead><tr>
        ${columns.map((name, at) => html`<th key=${at} scope="col" class=${mark(at)}>${name}</th>`)}
      </tr></thead>
      <tbody>
        ${rows.map(
          (row, line) =>
            html`<tr key=${line}>${row.map((cell, at) => html`<td key=${at} class=${mark(at)}>${cell}</td>`)}</tr>`,
        )}
      </tbody>
    </table></div>
  </figure>`;
}

function Paper({ paper }) {
  return html`<article class="panel paper">
    <header><div><h2>${paper.title}</h2><p class="quiet">${paper.source}</p></div></header>
    ${paper.tables.map((table, at) => html`<${DataTable} key=${at} ...${table} />`)}
    ${paper.figures.map(
      ({ name, title, url }) =>
        html`<figure key=${name} class="picture">
          <img src=${url} alt=${title} loading="lazy" />
          <figcaption>${title}</figcaption>
        </figure>`,
    )}
    ${
      paper.text &&
      html`<details open=${!paper.tables.length && !paper.figures.length}>
        <summary>Notes</summary>
        <${Markdown} text=${paper.text} />
      </details>`
    }
  </article>`;
}

export function PapersView({ route }) {
  const [papers, setPapers] = useState(null);
  const [error, setError] = useState("");
  useEffect(() => {
    get("/api/papers").then(
      (answer) => setPapers(answer.papers),
      (refusal) => setError(refusal.message),
    );
  }, []);
  useEffect(() => {
    if (papers?.length && !papers.some(({ name }) => name === route.id))
      go(href("papers", papers[0].name), true);
  }, [papers, route.id]);
  if (error) return html`<p class="notice bad" role="alert">${error}</p>`;
  if (!papers) return html`<p class="quiet" role="status">Reading…</p>`;
  if (!papers.length)
    return html`<div class="panel empty"><p>Nothing has been reproduced yet.</p></div>`;
  const paper = papers.find(({ name }) => name === route.id) ?? papers[0];
  return html`<div class="papers">
    <h1 class="hidden-label">Papers</h1>
    <nav class="panel" aria-label="Papers"><ul class="jobs">
      ${papers.map(
        ({ name, title }) =>
          html`<li key=${name}>
            <a
              href=${href("papers", name)}
              class=${name === paper.name ? "chosen" : ""}
              aria-current=${name === paper.name ? "true" : undefined}
            >${title}</a>
          </li>`,
      )}
    </ul></nav>
    <${Paper} key=${paper.name} paper=${paper} />
  </div>`;
}
