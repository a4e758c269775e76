// Review: hands uploaded or pasted, what is assumed, and the decisions that lost.
import { follow, href, settle } from "../app.js";
import { moment } from "../format.js";
import { html, useEffect, useState } from "../lib.js";
import { FileButton } from "../parts/controls.js";
import { useStore } from "../store.js";
import { Assumed } from "./assumed.js";
import { Found } from "./found.js";
import {
  deleteReview,
  halt,
  loadReviews,
  lookAtRun,
  note,
  openHands,
  pasteHands,
  reviews,
  showReview,
} from "./store.js";

const KINDS =
  "Histories of PokerStars, GGPoker, 888poker and Winamax, ACPC logs, and PHH files. They stay on this machine.";

/** Where hands come from: a file, or the clipboard. */
function Upload() {
  const [text, setText] = useState("");
  const paste = (event) => {
    event.preventDefault();
    pasteHands(text);
  };
  return html`<form class="stack" aria-label="Hands" onSubmit=${paste}>
    <div class="field"><label for="hands-text">Hands</label>
      <textarea id="hands-text" rows="6" spellcheck=${false} placeholder="Paste hands here, or open a file" value=${text}
        onInput=${(event) => setText(event.target.value)}></textarea></div>
    <div class="row"><button type="submit" disabled=${!text.trim()}>Read hands</button>
      <${FileButton} accept=".txt,.log,.phh,.phhs" onFile=${openHands}>Open file…<//></div>
    <p class="small quiet">${KINDS}</p>
  </form>`;
}

function List({ list, chosen }) {
  return html`<ul class="jobs">${list.map(
    ({ id, name, created, hands, decisions }) => html`<li key=${id}>
      <a href=${href("review", id)} class=${id === chosen ? "chosen" : ""} aria-current=${id === chosen ? "true" : undefined}>
        <b class="title">${name}</b>
        <span class="small quiet">${moment(created)} · ${hands} hands${decisions === null ? "" : `, ${decisions} decisions judged`}</span>
      </a></li>`,
  )}</ul>`;
}

function Progress({ run }) {
  const told = `${run.finished} of ${run.hands} hands`;
  return html`<section class="panel stack" role="status" aria-label="Review under way">
    <progress max=${run.hands} value=${run.finished}>${told}</progress>
    <div class="row spread"><span class="small">${told}</span>
      <button type="button" class="slim" disabled=${run.stopping} onClick=${halt}>${run.stopping ? "Stopping…" : "Stop"}</button></div>
  </section>`;
}

function Unread({ review }) {
  if (!review.num_unread) return null;
  return html`<details><summary>${review.num_unread} hands could not be read</summary>
    <ul class="small">${review.unread.map((one, at) => html`<li key=${at}>Line ${one.line}, hand ${one.hand}: ${one.reason}</li>`)}</ul></details>`;
}

function Review({ review }) {
  const { run, changing } = useStore(reviews);
  const running = run?.state === "running" && run.review === review.id;
  return html`<div class="stack">
    <section class="panel stack">
      <header class="row spread"><div><h2>${review.name}</h2><span class="quiet small">${review.hands} hands, ${review.players.length} players</span></div>
        <button type="button" class="bare danger" onClick=${() => confirm(`Delete the review of ${review.name}?`) && deleteReview(review.id)}>Delete</button></header>
      <${Unread} review=${review} />
    </section>
    ${running && html`<${Progress} run=${run} />`}
    ${!running && (!review.result || changing) && html`<${Assumed} review=${review} />`}
    ${!running && review.result && html`<${Found} review=${review} />`}
  </div>`;
}

export function ReviewView({ route }) {
  const { list, review } = useStore(reviews);
  useEffect(() => {
    loadReviews();
    lookAtRun();
    return follow("review", note);
  }, []);
  useEffect(() => {
    if (route.id) showReview(route.id);
    else if (list?.length) settle(route, href("review", list[0].id));
  }, [route.id, list?.length]);
  if (!list?.length)
    return html`<div class="panel empty"><h1 class="hidden-label">Review</h1>
      <p>${list ? "Review hands that you played: each decision against a solution, and what it lost." : "Looking for reviews…"}</p>
      ${list && html`<div class="make-first"><${Upload} /></div>`}</div>`;
  return html`<div class="solves">
    <h1 class="hidden-label">Review</h1>
    <aside class="panel"><header><h2>Reviews</h2></header><${List} list=${list} chosen=${route.id} />
      <details><summary>More hands</summary><${Upload} /></details></aside>
    ${review && review.id === route.id && html`<${Review} review=${review} />`}
  </div>`;
}
