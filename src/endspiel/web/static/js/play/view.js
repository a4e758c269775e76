// Play: a table to sit down at, or the one that is open, with its log and review.
import { app, href, settle } from "../app.js";
import { chips, percent, signed } from "../format.js";
import { html, useEffect, useRef } from "../lib.js";
import { Cards } from "../parts/card.js";
import { recall, useStore } from "../store.js";
import { inText, money, moneyChange, named, showIn } from "../units.js";
import { Hands, LastHand } from "./hands.js";
import { Replay } from "./replay.js";
import { Review } from "./review.js";
import { Setup } from "./setup.js";
import { leave, open, play, refresh } from "./store.js";
import { Table } from "./table.js";

/** "calls" of the log is what the agent does; you "call". */
const yours = (text) => text.replace(/^([a-z]+)s\b/, "$1");

function LogLine({ who, text }) {
  if (who === "dealer")
    return html`<li class="dealer"><${Cards} cards=${text.split(" ")} size="s" /></li>`;
  return html`<li><b>${who === "you" ? "You" : "Agent"}</b> ${named(who === "you" ? yours(text) : text)}</li>`;
}

/** The hands as files, once there is one. */
function History({ table }) {
  return [["phhs", "Hands as PHH"], ["txt", "Hands as text"]].map(([ending, title]) =>
    table.hands
      ? html`<a key=${ending} class="button" href=${`/api/play/${table.id}/history.${ending}`} download>${title}</a>`
      : html`<span key=${ending} class="button off" aria-disabled="true">${title}</span>`,
  );
}

/** "+12.3 ± 45.0" big blinds in a hundred hands. */
function rateText({ bb_per_100: mean, half_width: half }) {
  if (mean === null) return "–";
  return half === null ? signed(mean, 1) : `${signed(mean, 1)} ± ${chips(half, 1)}`;
}

function ownText({ decisions, lost, waiting }) {
  const left = waiting ? `, ${waiting} ${waiting === 1 ? "hand" : "hands"} to judge` : "";
  return decisions ? `${chips(lost, 2)} bb in ${decisions} decisions${left}` : waiting ? "Being judged" : "–";
}

/** How the agent came to its decisions: what was solved, with what gaps, and what was not. */
function Solves({ table }) {
  const { solves, fallbacks, gaps } = table;
  const counts = [
    ...Object.entries(solves).map(([how, count]) => [`Solved ${how}`, count]),
    ...Object.entries(fallbacks).map(([why, count]) => [`Strategy file: ${why}`, count]),
  ];
  if (!counts.length) return null;
  return html`<details class="small">
    <summary>The agent's decisions</summary>
    <ul>
      ${counts.map(([what, count]) => html`<li key=${what}>${what}: ${count}</li>`)}
      ${Object.entries(gaps).map(
        ([street, { median, worst }]) =>
          html`<li key=${street}>Gap on the ${street}: ${percent(median, 2)}% of the pot (median), ${percent(worst, 2)}% (worst)</li>`,
      )}
    </ul>
  </details>`;
}

function Log({ table }) {
  const end = useRef(null);
  useEffect(() => {
    end.current.scrollTop = end.current.scrollHeight;
  }, [table.log.length]);
  return html`<section class="panel log" aria-label="Hand">
    <header>
      <h2>Hand ${table.hand}</h2>
      <span class="quiet small">Blinds ${money(table.blinds[1])} / ${money(table.blinds[0])}</span>
    </header>
    <ol ref=${end}>
      ${table.log.map((entry, at) => html`<${LogLine} key=${at} ...${entry} />`)}
      ${table.result && html`<li class="dealer">${inText(table.result.text)}</li>`}
    </ol>
    <dl class="facts two">
      <div><dt>Hands</dt><dd>${table.hands}</dd></div>
      <div><dt>Your total</dt><dd>${moneyChange(table.total)}</dd></div>
      <div><dt>bb/100, 95% interval</dt><dd data-value="rate">${rateText(table.rate)}</dd></div>
      <div><dt>EV lost by you</dt><dd data-value="own">${ownText(table.own)}</dd></div>
    </dl>
    <${Solves} table=${table} />
    <div class="row">
      <${History} table=${table} />
      <button type="button" class="bare" onClick=${leave}>Leave the table</button>
    </div>
  </section>`;
}

export function PlayView({ route }) {
  const table = useStore(play, (state) => state.table);
  const missing = useStore(play, (state) => state.missing);
  const connected = useStore(app, (state) => state.connected);
  useEffect(() => {
    const last = recall("play.table");
    if (route.id) open(route.id);
    else if (last) settle(route, href("play", last));
  }, [route.id]);
  useEffect(() => {
    if (connected && route.id && table) refresh(route.id);
  }, [connected]);
  if (!route.id || missing) {
    return html`<h1 class="hidden-label">Play</h1>
      ${missing && html`<p class="notice">That table is closed. Open another.</p>`}
      <${Setup} />`;
  }
  showIn(table?.blinds[0]);
  if (!table) return html`<p class="quiet" role="status">Sitting down…</p>`;
  return html`<h1 class="hidden-label">Play</h1>
    <div class="play">
      ${route.rest ? html`<${Replay} key=${route.rest} table=${table} number=${route.rest} />` : html`<${Table} table=${table} />`}
      <${Log} table=${table} />
      ${!route.rest && html`<${LastHand} table=${table} /><${Review} />`}
      <${Hands} table=${table} />
    </div>`;
}
