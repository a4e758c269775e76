// A new table: the opponent by what it is, the depth, the seat; the rest is folded away.
import { app } from "../app.js";
import { html, useEffect } from "../lib.js";
import { Field, Segmented, Why, options } from "../parts/controls.js";
import { useStore } from "../store.js";
import { begin, play, setForm } from "./store.js";

const GAMES = [
  ["nolimit-holdem", "No-limit hold'em"],
  ["limit-holdem", "Limit hold'em"],
];
const SEATS = [
  ["alternate", "In turn"],
  ["button", "Always the button"],
  ["blind", "Always the big blind"],
];
const DEPTHS = ["10", "20", "50", "100", "200"].map((depth) => [depth, `${depth} bb`]);

/** Opponents to choose from, as cards. */
function Opponents({ legend, agents, chosen }) {
  return html`<fieldset class="opponents"><legend class="label">${legend}</legend>
    ${agents.map(
      ({ spec, title, text }) =>
        html`<label key=${spec} class=${spec === chosen ? "opponent chosen" : "opponent"}>
          <input
            type="radio"
            name="agent"
            value=${spec}
            checked=${spec === chosen}
            onChange=${(event) => setForm("agent", event.target.value)}
          />
          <span><b>${title}</b><span class="quiet small">${text}</span></span>
        </label>`,
    )}
  </fieldset>`;
}

/** What few change: the game, other opponents, how they solve, chips. */
function More({ form, errors, others, agent, technique, field }) {
  const limit = form.game === "limit-holdem";
  const techniques = agent?.techniques ?? [];
  const needs = limit && !others.some((one) => one.techniques.length);
  return html`<details class="more" open=${agent && !agent.usual}>
    <summary>Other games and opponents, clock, blinds</summary>
    <div class="stack">
      <${Field} id="play-game" label="Game" why=${errors.game ?? ""}
        hint=${needs ? "endspiel serve --strategy FILE offers a limit strategy here" : ""}
      >
        <select id="play-game" onChange=${(event) => setForm("game", event.target.value)}>${options(GAMES, form.game)}</select>
      <//>
      <${Opponents} legend="Other opponents" agents=${others} chosen=${agent?.spec} />
      ${
        techniques.length > 0 &&
        html`<${Field}
          id="play-technique"
          label="Endgame technique"
          why=${errors.technique ?? ""}
          hint=${technique?.text ?? "it plays its strategy to the end"}
        >
          <select id="play-technique" onChange=${(event) => setForm("technique", event.target.value)}>
            ${options([["", "None"], ...techniques.map(({ name }) => [name, name])], technique?.name ?? "")}
          </select>
        <//>`
      }
      <div class="pair">
        ${field("clock", "Seconds a decision")}
        ${field("big", "Big blind, chips", { why: errors.blinds ?? errors["blinds.0"] ?? "" })}
        ${field("small", "Small blind, chips", { why: errors["blinds.1"] ?? "" })}
      </div>
    </div>
  </details>`;
}

export function Setup() {
  const all = useStore(app, (state) => state.about?.agents) ?? [];
  const { form, errors, opening } = useStore(play);
  const limit = form.game === "limit-holdem";
  const agents = all.filter(({ games }) => games.includes(form.game));
  const agent = agents.find(({ spec }) => spec === form.agent) ?? agents[0];
  useEffect(() => {
    if (agent && agent.spec !== form.agent) setForm("agent", agent.spec);
  }, [agent?.spec]);
  const technique = agent?.techniques.find(({ name }) => name === form.technique);
  const field = (name, label, rest = {}) =>
    html`<${Field}
      id=${`play-${name}`}
      label=${label}
      value=${form[name]}
      inputmode="decimal"
      why=${errors[name] ?? ""}
      onInput=${(value) => setForm(name, value)}
      ...${rest}
    />`;
  const submit = (event) => {
    event.preventDefault();
    begin(technique?.name ?? "");
  };
  const usual = agents.filter((one) => one.usual);
  return html`<form class="panel setup" onSubmit=${submit} novalidate>
    <div>
      <h2>Heads-up hold'em</h2>
      <p class="quiet">
        After each hand you see what your decisions lost, the opponent's range, and what it would have done with every hand.
      </p>
    </div>
    ${usual.length > 0 && html`<${Opponents} legend="Opponent" agents=${usual} chosen=${agent?.spec} />`}
    <${Why} id="play-agent" text=${errors.agent} />
    ${
      !limit &&
      html`<div class="row depth">
        ${field("depth", "Depth, big blinds", { why: errors.stack ?? "" })}
        <${Segmented} label="Usual depths" options=${DEPTHS} value=${form.depth.trim()} onChange=${(depth) => setForm("depth", depth)} />
      </div>`
    }
    <${Field} id="play-seat" label="Your seat" why=${errors.seat ?? ""}>
      <select id="play-seat" onChange=${(event) => setForm("seat", event.target.value)}>${options(SEATS, form.seat)}</select>
    <//>
    <label class="check"><input type="checkbox" checked=${form.judge} onChange=${(event) => setForm("judge", event.target.checked)} />
      Judge my decisions after each hand, in the background</label>
    <${More} form=${form} errors=${errors} others=${agents.filter((one) => !one.usual)} agent=${agent} technique=${technique} field=${field} />
    ${errors[""] && html`<p class="notice bad" role="alert">${errors[""]}</p>`}
    ${opening && html`<p class="notice" role="status">The opponent is getting ready: it loads its strategy and the charts of this depth. The first time takes some seconds.</p>`}
    <button type="submit" class="primary wide" disabled=${!agent || opening}>${opening ? "Getting ready…" : "Deal"}</button>
  </form>`;
}
