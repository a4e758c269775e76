// Files: the whole solution, the spot, and the node as tables.
import { post, query } from "../api.js";
import { go, href } from "../app.js";
import { bytes, count } from "../format.js";
import { html, useEffect, useState } from "../lib.js";
import { loadSpot } from "../spot/store.js";
import { useStore } from "../store.js";
import { result } from "./store.js";

const MOST_ROWS = 500_000; // decisions times hands, as the server takes
const ROW_BYTES = 260; // of the CSV file, for a hand with some three actions

/** How large a file of every node is, before it is asked for. */
function AllNodesSize({ spot }) {
  const [size, setSize] = useState(null);
  useEffect(() => {
    if (spot) post("/api/spot/check", { spot }).then(setSize).catch(() => {});
  }, [spot]);
  if (!size) return null;
  const rows = size.infosets;
  return html`<p class="quiet small" data-value="rows">${
    rows > MOST_ROWS
      ? `${count(rows)} hands in all nodes, more than a file here may have (${count(MOST_ROWS)}): take the solution.`
      : `${count(rows)} hands in all nodes: about ${bytes(ROW_BYTES * rows)} as CSV.`
  }</p>`;
}

export function Files() {
  const { id, line, job, node } = useStore(result);
  const link = (file, title, parameters = {}) =>
    html`<li><a href=${`/api/jobs/${id}/${file}${query(parameters)}`} download>${title}</a></li>`;
  const edit = () => {
    loadSpot(job.spot);
    go(href("spot"));
  };
  return html`<div class="stack file-list">
    <div><h2 class="overline">Solution</h2><ul>
      ${link("solution.es", "Everything, to open again here or with the library (.es)")}
    </ul></div>
    <div><h2 class="overline">Spot, to share</h2><ul>
      ${link("spot.toml", "Spot file (.toml)")}
      ${link("spot.json", "Spot file (.json)")}
    </ul></div>
    ${
      node.kind === "decision" &&
      html`<div><h2 class="overline">This node</h2><ul>
      ${link("node.csv", "All hands as a table (.csv)", { line })}
      ${link("node.json", "All hands (.json)", { line })}
    </ul></div>`
    }
    <div><h2 class="overline">Every node</h2><${AllNodesSize} spot=${job?.spot} /><ul>
      ${link("node.csv", "All hands of all nodes (.csv)", { line: "", all: 1 })}
      ${link("node.json", "All hands of all nodes (.json)", { line: "", all: 1 })}
    </ul></div>
    ${job && html`<div><button type="button" onClick=${edit}>Edit this spot</button></div>`}
  </div>`;
}
