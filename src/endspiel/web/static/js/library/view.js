// Library: every solve and report with its name, tags, date and size; searched, sorted, renamed, deleted.
import { href } from "../app.js";
import { bytes, gap, moment } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Cards } from "../parts/card.js";
import { Field, Segmented } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { useStore } from "../store.js";
import { stake } from "../units.js";
import { edit, filtered, forgetItem, library, loadLibrary, save, sortBy, stopEditing, tagsOf } from "./store.js";

const KINDS = [
  ["", "All"],
  ["report", "Reports"],
  ["solve", "Solves"],
];
const NOTHING_YET = "Nothing is stored yet. `endspiel library` builds one overnight: single-raised and 3-bet pots on 25 flops.";

const openAddress = (item) =>
  item.kind === "report" ? href("reports", item.id) : href(item.solved ? "result" : "solve", item.id);

function About({ item }) {
  const money = item.pot ? `pot ${stake(item.pot, item.big_blind)}, ${stake(item.stack, item.big_blind)} behind` : "";
  if (item.kind === "solve") return html`<${Cards} cards=${item.board.split(" ")} size="s" /> <span class="quiet small">${money}</span>`;
  const solved = item.solved ? `, ${item.solved} open solved` : "";
  return html`<span class="small">${item.boards} ${item.street}s${solved}</span> <span class="quiet small">${money}</span>`;
}

function Edit({ item }) {
  const draft = useStore(library, (state) => state.draft);
  const set = (patch) => library.set({ draft: { ...draft, ...patch } });
  return html`<tr class="editing"><td colspan="6"><form class="row" aria-label=${`Name and tags of ${item.name}`} onSubmit=${(event) => {
    event.preventDefault();
    save(item);
  }}>
    <${Field} id="library-name" label="Name" value=${draft.name} onInput=${(name) => set({ name })} />
    <${Field} id="library-tags" label="Tags, with commas between" value=${draft.tags} placeholder="3-bet, 100bb" onInput=${(tags) => set({ tags })} />
    <button type="submit" class="primary">Save</button><button type="button" onClick=${stopEditing}>Cancel</button>
  </form></td></tr>`;
}

function Row({ item }) {
  const { editing, tag: chosen } = useStore(library);
  const discard = () =>
    confirm(`Delete ${item.kind === "report" && item.solved ? `the report ${item.name} and its ${item.solved} solutions` : item.name}?`) && forgetItem(item);
  if (editing === item.id) return html`<${Edit} item=${item} />`;
  const accuracy = item.exploitability_percent === null ? "" : ` · ${gap(item.exploitability_percent / 100)}%`;
  return html`<tr data-item=${item.id}>
    <td class="wrap"><a href=${openAddress(item)}>${item.name}</a> ${item.tags.map((tag) => html`<button type="button" key=${tag} class="tag" aria-pressed=${tag === chosen}
      onClick=${() => library.set({ tag: tag === chosen ? "" : tag })}>${tag}</button> `)}</td>
    <td><${About} item=${item} /></td>
    <td class="num small">${moment(item.created)}</td>
    <td class="small">${item.state === "done" ? "solved" : item.state}${accuracy}</td>
    <td class="num">${item.file_bytes ? bytes(item.file_bytes) : "–"}</td>
    <td class="num nowrap" data-value=""><button type="button" class="bare slim" aria-label=${`Name and tags: ${item.name}`} onClick=${() => edit(item)}>Edit</button>
      <button type="button" class="bare slim danger" aria-label=${`Delete ${item.name}`} onClick=${discard}>Delete</button></td>
  </tr>`;
}

export function LibraryView() {
  const state = useStore(library);
  const { found, text, tag, kind, sort } = state;
  useEffect(() => {
    loadLibrary();
  }, []);
  if (!found?.items.length)
    return html`<div class="panel empty"><h1 class="hidden-label">Library</h1><p>${found ? NOTHING_YET : "Looking into the folder…"}</p></div>`;
  const items = filtered(state);
  const tags = tagsOf(found.items);
  const head = (key, title, number) => html`<th scope="col" class=${number ? "num" : ""} aria-sort=${sort.key === key ? (sort.down ? "descending" : "ascending") : undefined}>
    <button type="button" class="bare slim" onClick=${() => sortBy(key)}>${title}</button></th>`;
  return html`<div class="stack library">
    <h1 class="hidden-label">Library</h1>
    <section class="panel stack" aria-label="Search">
      <div class="row filters">
        <${Field} id="library-text" label="Search names, tags, boards" value=${text} placeholder="3-bet Ks" onInput=${(value) => library.set({ text: value })} />
        <${Segmented} label="Kind" options=${KINDS} value=${kind} onChange=${(value) => library.set({ kind: value })} />
        <span class="quiet small" role="status">${items.length} of ${found.items.length}, ${bytes(found.file_bytes)} stored, ${bytes(found.free_bytes)} free</span>
      </div>
      ${tags.length > 0 && html`<div class="row" role="group" aria-label="Tags">${tags.map((name) => html`<button type="button" key=${name} class="tag" aria-pressed=${name === tag}
        onClick=${() => library.set({ tag: name === tag ? "" : name })}>${name}</button>`)}</div>`}
    </section>
    <section class="panel" aria-label="Stored"><${Exported} name="library"><div class="scroll-x"><table class="hands">
      <thead><tr>${head("name", "Name")}${head("boards", "Boards")}${head("created", "Made", true)}<th scope="col">State</th>${head("file_bytes", "Size", true)}<td></td></tr></thead>
      <tbody>${items.map((item) => html`<${Row} key=${item.id} item=${item} />`)}</tbody>
    </table></div><//></section>
    <p class="quiet small">Everything is in <span class="mono">${found.folder}</span>. Copy its folders jobs and reports into that of another machine, and open its library.</p>
  </div>`;
}
