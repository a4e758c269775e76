// The table: both players, the board, the pot, and what you may do.
import { app } from "../app.js";
import { highFirst } from "../cards.js";
import { duration } from "../format.js";
import { html, useLayoutEffect } from "../lib.js";
import { Card, Cards } from "../parts/card.js";
import { Why } from "../parts/controls.js";
import { useStore } from "../store.js";
import { inText, money, moneyChange, stake, unitName } from "../units.js";
import { act, amountChips, chooseAmount, deal, onlyRaise, play, raise, streetBase, typeAmount } from "./store.js";

const STEPS = 1000;
const BEND = 2.5; // the slider is finer near the smallest raise, where most raises are

const sliderAmount = (step, low, high) => Math.round(low + (high - low) * (step / STEPS) ** BEND);
const sliderStep = (amount, low, high) =>
  high > low
    ? Math.round(STEPS * Math.min(1, Math.max(0, (amount - low) / (high - low))) ** (1 / BEND))
    : 0;

export function Seat({ table, you }) {
  const title =
    useStore(app, (state) => state.about?.agents.find(({ spec }) => spec === table.agent)?.title) ??
    table.agent;
  const seat = you ? table.seat : 1 - table.seat;
  const cards = you ? table.hole : table.agent_hole;
  const base = streetBase(table);
  const bet = table.turn === "over" ? 0 : Math.max(0, table.spent[seat] - base);
  const active = table.turn === (you ? "you" : "agent");
  return html`<div class=${`seat ${you ? "you" : "agent"} ${active ? "active" : ""}`}>
    <${Cards} cards=${cards ? highFirst(cards) : [null, null]} size="l" />
    <div class="who">
      <b>${you ? "You" : title}</b>
      ${!you && table.technique && html`<span class="quiet small">with ${table.technique}</span>`}
      <span class="quiet small">${seat === 1 ? "Button" : "Big blind"}</span>
      ${table.stack !== null && html`<span class="behind">${stake(table.stack - table.spent[seat])}</span>`}
    </div>
    <span class="bet" aria-label=${bet ? `${you ? "Your" : "Its"} bet` : undefined}>${bet > 0 ? stake(bet) : ""}</span>
  </div>`;
}

const detailText = ([name, value]) =>
  `${name.replaceAll("_", " ")} ${typeof value === "number" ? Number(value.toPrecision(3)) : value}`;

function Thinking({ table }) {
  const thought = useStore(play, (state) => state.thought);
  if (!table.thinking) return null;
  const details = Object.entries(thought?.detail ?? {});
  return html`<div class="thinking" role="status">
    <span><b>Thinking</b> ${thought ? duration(thought.seconds) : ""}</span>
    <span class="quiet">${thought?.text ?? ""}</span>
    ${details.length > 0 && html`<span class="quiet small">${details.map(detailText).join(" · ")}</span>`}
  </div>`;
}

/** The raise: sizes to click, a slider, and an amount to type, all in chips of this street. */
function Raise({ table }) {
  const amount = useStore(play, (state) => state.amount);
  const chosen = amountChips();
  const why = useStore(play, (state) => state.errors.amount ?? "");
  const base = streetBase(table);
  const { min_to, max_to, sizes } = table.legal;
  const [low, high] = [min_to - base, max_to - base];
  const verb = Math.max(...table.spent) === base ? "Bet" : "Raise to";
  const only = onlyRaise(table);
  if (only !== null)
    return html`<div class="raise">
      <button type="button" class="primary" onClick=${() => act("raise", only)}>${verb} ${stake(only)}</button>
      <${Why} id="amount" text=${why} />
    </div>`;
  const slide = (event) => chooseAmount(sliderAmount(Number(event.target.value), low, high));
  return html`<div class="raise">
    <div class="row sizes">
      ${sizes.map(
        ({ name, to }) =>
          html`<button
            type="button"
            class="slim"
            key=${name}
            aria-pressed=${chosen === to - base}
            onClick=${() => chooseAmount(to - base)}
          >${name}</button>`,
      )}
    </div>
    <div class="raise-line">
      <input type="range" min="0" max=${STEPS} aria-label="Amount" value=${sliderStep(chosen || low, low, high)} onInput=${slide} />
      <input
        id="amount"
        inputmode="decimal"
        aria-label=${`${verb}, ${money(low)} to ${money(high)} ${unitName()}`}
        value=${amount}
        aria-invalid=${why ? "true" : undefined}
        onInput=${(event) => typeAmount(event.target.value)}
        onKeyDown=${(event) => event.key === "Enter" && raise()}
      />
      <button type="button" class="primary" onClick=${raise}>
        ${verb} ${chosen > 0 ? stake(chosen) : ""}
      </button>
    </div>
    <${Why} id="amount" text=${why} />
  </div>`;
}

function Choices({ table }) {
  const { legal } = table;
  // before the buttons are painted: a key pressed at once is not lost
  useLayoutEffect(() => {
    const key = (event) => {
      const typing = event.target.closest("input, select, textarea");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "f" && legal.fold) act("fold");
      else if (event.key === "c" && legal.call) act("call");
      else if (event.key === "r" && legal.min_to !== null && onlyRaise(table) !== null)
        act("raise", onlyRaise(table));
      else if (event.key === "r") document.getElementById("amount")?.select();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [table]);
  return html`<div class="choices">
    <div class="row">
      ${legal.fold && html`<button type="button" onClick=${() => act("fold")}>Fold</button>`}
      ${
        legal.call &&
        html`<button type="button" onClick=${() => act("call")}>
          ${legal.call_chips > 0 ? `Call ${stake(legal.call_chips)}` : "Check"}
        </button>`
      }
    </div>
    ${legal.min_to !== null && html`<${Raise} table=${table} />`}
  </div>`;
}

function Over({ table }) {
  const { won, text } = table.result;
  const tone = won > 0 ? "won" : won < 0 ? "lost" : "";
  return html`<div class="over" role="status">
    <span><b class=${tone}>${moneyChange(won)}</b> ${inText(text)}</span>
    <button type="button" class="primary" onClick=${deal}>Next hand</button>
  </div>`;
}

/** The board and the pot. */
export function Middle({ table }) {
  return html`<div class="middle">
    <div class="board" role="group" aria-label="Board">${[0, 1, 2, 3, 4].map((at) =>
      table.board[at]
        ? html`<${Card} key=${at} text=${table.board[at]} size="l" />`
        : html`<span key=${at} class="card l slot"></span>`,
    )}</div>
    <span class="pot">Pot <b data-value="pot">${stake(table.pot)}</b></span>
  </div>`;
}

export function Table({ table }) {
  return html`<section class="panel table" aria-label="Table">
    <${Seat} table=${table} />
    <${Middle} table=${table} />
    <${Seat} table=${table} you />
    <div class="bottom">
      ${table.error && html`<p class="notice bad" role="alert">${table.error}</p>`}
      <${Thinking} table=${table} />
      ${table.turn === "you" && table.legal && html`<${Choices} table=${table} />`}
      ${table.result && html`<${Over} table=${table} />`}
    </div>
  </section>`;
}
