// A new table: the opponent, its technique and clock, stacks and blinds.
import { app } from "../app.js";
import { html, useEffect } from "../lib.js";
import { Field, Why, options } from "../parts/controls.js";
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

export function Setup() {
  const all = useStore(app, (state) => state.about?.agents) ?? [];
  const { form, errors } = useStore(play);
  const limit = form.game === "limit-holdem";
  const agents = all.filter(({ games }) => games.includes(form.game));
  const agent = agents.find(({ spec }) => spec === form.agent) ?? agents[0];
  useEffect(() => {
    if (agent && agent.spec !== form.agent) setForm("agent", agent.spec);
  }, [agent?.spec]);
  const techniques = agent?.techniques ?? [];
  const technique = techniques.find(({ name }) => name === form.technique);
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
  const choose = (name) => (event) => setForm(name, event.target.value);
  const submit = (event) => {
    event.preventDefault();
    begin(technique?.name ?? "");
  };
  return html`<form class="panel setup" onSubmit=${submit} novalidate>
    <div>
      <h2>Heads-up hold'em</h2>
      <p class="quiet">
        Play against the agent. After each hand it shows its range and what it would have done with every hand.
      </p>
    </div>
    <${Field} id="play-game" label="Game" why=${errors.game ?? ""}
      hint=${limit && !agents.some(({ techniques }) => techniques.length) ? "endspiel serve --strategy FILE offers a limit strategy here" : ""}
    >
      <select id="play-game" onChange=${choose("game")}>${options(GAMES, form.game)}</select>
    <//>
    <fieldset class="opponents"><legend class="label">Opponent</legend>
      ${agents.map(
        ({ spec, title, text }) =>
          html`<label key=${spec} class=${spec === agent?.spec ? "opponent chosen" : "opponent"}>
            <input
              type="radio"
              name="agent"
              value=${spec}
              checked=${spec === agent?.spec}
              onChange=${choose("agent")}
            />
            <span><b>${title}</b><span class="quiet small">${text}</span></span>
          </label>`,
      )}
      <${Why} id="play-agent" text=${errors.agent} />
    </fieldset>
    ${
      techniques.length > 0 &&
      html`<${Field}
        id="play-technique"
        label="Endgame technique"
        why=${errors.technique ?? ""}
        hint=${technique?.text ?? "it plays its strategy to the end"}
      >
        <select id="play-technique" onChange=${choose("technique")}>
          ${options([["", "None"], ...techniques.map(({ name }) => [name, name])], technique?.name ?? "")}
        </select>
      <//>`
    }
    <div class="pair">
      ${!limit && field("stack", "Stacks, chips")}
      ${field("clock", "Seconds a decision")}
      ${field("big", "Big blind", { why: errors.blinds ?? errors["blinds.0"] ?? "" })}
      ${field("small", "Small blind", { why: errors["blinds.1"] ?? "" })}
    </div>
    <${Field} id="play-seat" label="Your seat" why=${errors.seat ?? ""}>
      <select id="play-seat" onChange=${choose("seat")}>${options(SEATS, form.seat)}</select>
    <//>
    ${errors[""] && html`<p class="notice bad" role="alert">${errors[""]}</p>`}
    <button type="submit" class="primary wide" disabled=${!agent}>Deal</button>
  </form>`;
}
