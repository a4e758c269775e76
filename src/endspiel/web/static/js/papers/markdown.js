// The little Markdown that the notes use, as elements: headings, paragraphs, lists, tables, code.
// Text becomes text nodes, never markup, so nothing in a note can run.
import { html } from "../lib.js";
import { DataTable, Picture } from "./table.js";

const PICTURE = /^!\[([^\]]*)\]\(([^)]+)\)/;
const MARK = /^\s*([-*]|\d+\.) /;
const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/;

function inline(text) {
  return text.split(INLINE).map((part) => {
    if (/^`.+`$/.test(part)) return html`<code class="mono">${part.slice(1, -1)}</code>`;
    if (/^\*\*.+\*\*$/.test(part)) return html`<b>${part.slice(2, -2)}</b>`;
    const link = part.match(/^\[([^\]]+)\]\((https?:[^)\s]+)\)$/);
    if (link)
      return html`<a href=${link[2]} rel="noreferrer noopener" target="_blank">${link[1]}</a>`;
    return part.replace(/^\[([^\]]+)\]\([^)]*\)$/, "$1"); // a link to a file of the repository
  });
}

const cells = (line) =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split("|")
    .map((cell) => cell.trim());

function tableOf(lines) {
  const [columns, , ...rows] = lines.map(cells);
  return html`<${DataTable} columns=${columns} rows=${rows} show=${inline} />`;
}

/** A picture of the text, if it is among the figures that the server has. */
function pictureOf(line, figures) {
  const [, title, path] = line.match(PICTURE) ?? [null, "", line];
  const figure = figures.find(({ name }) => path.endsWith(name));
  return figure && html`<${Picture} url=${figure.url} title=${title || figure.title} />`;
}

function blockOf(block, figures) {
  const lines = block.split("\n");
  if (lines[0].startsWith("```"))
    return html`<pre class="mono" tabindex="0">${lines
      .slice(1)
      .filter((line) => !line.startsWith("```"))
      .join("\n")}</pre>`;
  if (/^#+ /.test(lines[0])) {
    const rest = lines.slice(1).join("\n").trim();
    return html`<h3>${inline(lines[0].replace(/^#+ /, ""))}</h3>${rest && blockOf(rest, figures)}`;
  }
  if (lines.length > 2 && lines[0].includes("|") && /^[\s|:-]+$/.test(lines[1]))
    return tableOf(lines.filter(Boolean));
  if (MARK.test(lines[0])) {
    const items = block.split(/\n(?=\s*(?:[-*]|\d+\.) )/);
    const plain = (item) => item.replace(MARK, "").replace(/\n\s*/g, " ");
    return html`<ul class="notes">${items.map((item) => html`<li>${inline(plain(item))}</li>`)}</ul>`;
  }
  if (PICTURE.test(lines[0])) return lines.map((line) => pictureOf(line, figures));
  return html`<p>${inline(lines.join(" "))}</p>`;
}

/** Blocks are set apart by blank lines, except inside code. */
function blocksOf(text) {
  const blocks = [];
  let code = false;
  for (const line of text.replace(/\r/g, "").split("\n")) {
    const fence = line.startsWith("```");
    if (!code && (fence || line.trim() === "" || !blocks.length)) blocks.push("");
    if (code || fence || line.trim() !== "")
      blocks[blocks.length - 1] += (blocks[blocks.length - 1] ? "\n" : "") + line;
    if (fence) code = !code;
  }
  return blocks.filter((block) => block.trim());
}

/** Notes as elements, without their title, which stands above them. */
export function Markdown({ text, figures }) {
  const blocks = blocksOf(text.replace(/^# .*\n/, ""));
  return html`<div class="prose">${blocks.map((block) => blockOf(block, figures))}</div>`;
}
