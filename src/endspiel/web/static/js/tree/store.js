// The tree editor: a node of the spot's tree, and sizes added and removed there.
import { post } from "../api.js";
import { asSpot } from "../spot/fields.js";
import { setEdits, spot } from "../spot/store.js";
import { createStore } from "../store.js";

export const tree = createStore({ node: null, line: "", adding: "", error: "", field: "" });

let asking = 0; // the newest request counts

/** Ask for a node; a line that is no longer there leads to the root. */
async function ask(line, change = {}) {
  const own = ++asking;
  try {
    const node = await post("/api/spot/tree", { spot: asSpot(spot.get()), line, ...change });
    if (own !== asking) return null;
    tree.set({ node, line: node.line, error: "", field: "" });
    return node;
  } catch (error) {
    if (own !== asking) return null;
    if (error.field === "line" && line) return ask("");
    tree.set({ error: error.message, field: error.field, ...(change.add || change.remove ? {} : { node: null }) });
    return null;
  }
}

export const showNode = (line) => ask(line);

async function edit(change) {
  const node = await ask(tree.get().line, change);
  if (node) setEdits(node.edits);
  return node !== null;
}

export const removeSize = (word) => edit({ remove: word });

export async function addSize(text) {
  if (await edit({ add: text })) tree.set({ adding: "" });
}

/** Take back the changes of one node. */
export async function dropEdit(text) {
  setEdits(spot.get().edits.filter((other) => other !== text));
  await ask(tree.get().line);
}
