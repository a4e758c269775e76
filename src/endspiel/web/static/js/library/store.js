// The library: every solve and report, what is searched, and names and tags as they are changed.
import { attempt } from "../app.js";
import { get, post, remove } from "../api.js";
import { reports } from "../reports/store.js";
import { createStore } from "../store.js";

export const library = createStore({
  found: null, // what the server has; null until it is here
  text: "",
  tag: "",
  kind: "",
  sort: { key: "created", down: true },
  editing: "", // id of what is renamed or tagged
  draft: null,
});

export const loadLibrary = () => attempt(async () => library.set({ found: await get("/api/library") }));

export const edit = (item) =>
  library.set({ editing: item.id, draft: { name: item.name, tags: item.tags.join(", ") } });

export const stopEditing = () => library.set({ editing: "", draft: null });

export const save = ({ kind, id }) =>
  attempt(async () => {
    const { draft } = library.get();
    const tags = draft.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
    library.set({ found: await post("/api/library", { kind, id, name: draft.name, tags }) });
    reports.set(({ report }) => report?.id === id && { report: null }); // it has its old name
    stopEditing();
  });

export const forgetItem = ({ kind, id }) =>
  attempt(async () => {
    await remove(kind === "report" ? `/api/reports/${id}` : `/api/jobs/${id}`);
    await loadLibrary();
  });

/** All tags there are, the commonest first. */
export function tagsOf(items) {
  const counts = new Map();
  for (const { tags } of items) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]).map(([tag]) => tag);
}

const SORTS = {
  name: ({ name }) => name.toLowerCase(),
  created: ({ created }) => created,
  file_bytes: ({ file_bytes: size }) => size,
  boards: ({ boards }) => boards,
};

/** Sort by a column; once more turns it round. */
export const sortBy = (key) =>
  library.set(({ sort }) => ({ sort: { key, down: sort.key === key ? !sort.down : key !== "name" } }));

/** Those that the search lets through: every word in the name, a tag, the board or the street. */
export function filtered({ found, text, tag, kind, sort }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const value = SORTS[sort.key];
  const order = (one, other) => (value(one) < value(other) ? -1 : value(one) > value(other) ? 1 : 0);
  return found.items
    .filter((item) => {
      const said = [item.name, item.board, item.street, item.kind, ...item.tags].join(" ").toLowerCase();
      return (!kind || item.kind === kind) && (!tag || item.tags.includes(tag)) && words.every((word) => said.includes(word));
    })
    .sort((one, other) => (sort.down ? order(other, one) : order(one, other)));
}
