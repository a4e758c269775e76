// Files: the whole solution, the spot, and the node as tables.
import { query } from "../api.js";
import { go, href } from "../app.js";
import { html } from "../lib.js";
import { loadSpot } from "../spot/store.js";
import { useStore } from "../store.js";
import { result } from "./store.js";

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
    <div><h2 class="overline">Every node</h2><ul>
      ${link("node.csv", "All hands of all nodes (.csv)", { line: "", all: 1 })}
      ${link("node.json", "All hands of all nodes (.json)", { line: "", all: 1 })}
    </ul></div>
    ${job && html`<div><button type="button" onClick=${edit}>Edit this spot</button></div>`}
  </div>`;
}
