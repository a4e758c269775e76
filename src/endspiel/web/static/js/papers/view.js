// Papers: the tables and figures that were reproduced, ours beside the paper's.
import { href, settle } from "../app.js";
import { get } from "../api.js";
import { html, useEffect, useState } from "../lib.js";
import { Markdown } from "./markdown.js";
import { DataTable, Picture } from "./table.js";

/** A paper as its notes tell it, tables and figures in their places; without notes, these alone. */
function Paper({ paper }) {
  const { title, source, text, tables, figures } = paper;
  const loose = figures.filter(({ name }) => !text.includes(name));
  return html`<article class="panel paper">
    <header><div><h2>${title}</h2><p class="quiet">${source}</p></div></header>
    ${
      text
        ? html`<${Markdown} text=${text} figures=${figures} />`
        : tables.map((table, at) => html`<${DataTable} key=${at} ...${table} />`)
    }
    ${loose.map((figure) => html`<${Picture} key=${figure.name} ...${figure} />`)}
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
      settle(route, href("papers", papers[0].name));
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
