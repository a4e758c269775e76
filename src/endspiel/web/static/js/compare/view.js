// Compare: two solves at one node, side by side, with their difference.
import { actionColors } from "../actions.js";
import { app, go, href, jobOf, settle } from "../app.js";
import { CLASS_NAMES } from "../cards.js";
import { capital, gap, moment, percent, signed } from "../format.js";
import { heat, scaler, tint } from "../heat.js";
import { html, useEffect } from "../lib.js";
import { Card, Deck } from "../parts/card.js";
import { Segmented, Swatch, options } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { Grid } from "../parts/grid.js";
import { SIDES } from "../result/crumbs.js";
import { useStore } from "../store.js";
import { compare, partnerOf, setMetric, showBoth } from "./store.js";
import { money, moneyChange, moneyShort, named, showIn, stake } from "../units.js";

const NEED_TWO =
  "To compare, solve two spots on the same board: one with a lock and one without, with rake and without, or with two menus.";
const nothing = { tip: "not held here" };
const address = (first, second, line) => href("compare", `${first}+${second}`, line);

const nameOf = (job) =>
  `${job.name}${job.num_locks ? ` (${job.num_locks} locked)` : ""}, pot ${stake(job.pot, job.big_blind)} · ${moment(job.created)} · ${gap(job.exploitability_percent === null ? null : job.exploitability_percent / 100)}%`;

/** What may be shown: an action's share, EV, equity; of both nodes, with a text for values. */
function metricsOf(first, second) {
  const shares = first.actions.map((action, at) => {
    const other = partnerOf(action, second.actions);
    return {
      key: `a${at}`,
      title: capital(named(action.name)),
      values: [first.classes.strategy[at], other < 0 ? null : second.classes.strategy[other]],
      text: (value) => percent(value, 0),
      change: (value) => signed(100 * value, 0),
      color: actionColors(first.actions.map(({ word }) => word))[at],
    };
  });
  const value = (key, title, text, change) => ({
    key,
    title,
    values: [first.classes[key], second.classes[key]],
    text,
    change,
    color: null,
  });
  return [
    ...shares,
    value("ev", "EV", (x) => moneyShort(x), (x) => moneyChange(x, 1)),
    value("equity", "Equity", (x) => percent(x, 0), (x) => signed(100 * x, 0)),
  ];
}

const known = (value) => value !== null && value !== undefined;

function cellsOf(metric, values, all) {
  const place = scaler(all.filter(known));
  return CLASS_NAMES.map((_, cell) => {
    const value = values?.[cell];
    if (!known(value)) return nothing;
    const fill = metric.color ? tint(metric.color, value) : heat(0.5 + place(value) / 2);
    return { fill, tone: metric.color ? "on" : "ink", value: metric.text(value), tip: metric.text(value) };
  });
}

function differenceCells({ values: [one, other], change }) {
  const changes = CLASS_NAMES.map((_, cell) =>
    known(one[cell]) && known(other?.[cell]) ? other[cell] - one[cell] : null,
  );
  const most = Math.max(...changes.map((value) => Math.abs(value ?? 0)), 1e-9);
  return changes.map((value) =>
    value === null
      ? nothing
      : {
          fill: heat(0.5 + value / most / 2),
          tone: "ink",
          value: Math.abs(value) < most / 200 ? "" : change(value),
          tip: `change ${change(value)}`,
        },
  );
}

function Charts({ first, second }) {
  const chosen = useStore(compare, (state) => state.metric);
  const metrics = metricsOf(first, second);
  const metric = metrics.find(({ key }) => key === chosen) ?? metrics[0];
  const [one, other] = metric.values;
  const all = [...one, ...(other ?? [])];
  const chart = (title, cells) => html`<figure class="compared"><figcaption>${title}</figcaption><${Grid} label=${`${metric.title}, ${title}`} cells=${cells} /></figure>`;
  return html`<section class="panel stack" aria-label="Charts">
    <${Segmented} label="Compare" options=${metrics.map(({ key, title }) => [key, title])} value=${metric.key} onChange=${setMetric} />
    <div class="three">
      ${chart("First", cellsOf(metric, one, all))}
      ${chart("Second", cellsOf(metric, other, all))}
      ${chart("Change", differenceCells(metric))}
    </div>
  </section>`;
}

function Actions({ pair, first, second }) {
  const colors = actionColors(first.actions.map(({ word }) => word));
  const found = first.actions.map((action) => partnerOf(action, second.actions));
  const left = second.actions.filter((_, at) => !found.includes(at));
  const cells = (one, other, show, changed) => {
    const change = known(one) && known(other) ? other - one : null;
    return html`<td class="num">${show(one)}</td><td class="num">${show(other)}</td>
      <td class="num strong">${change === null ? "–" : changed(change)}</td>`;
  };
  const share = (value) => (known(value) ? `${percent(value)}%` : "–");
  const worth = (value) => money(value, 2);
  const byShare = (change) => signed(100 * change, 1);
  const byWorth = (change) => moneyChange(change, 2);
  return html`<${Exported} name="compared actions"><div class="scroll-x"><table class="hands">
    <thead><tr><th>Action</th>${["Frequency", "second", "change", "EV", "second", "change"].map((name, at) => html`<th class="num" key=${at}>${name}</th>`)}</tr></thead>
    <tbody>
      ${first.actions.map((action, at) => {
        const other = second.actions[found[at]];
        return html`<tr key=${action.word} data-action=${action.word}>
          <td><a href=${address(...pair, action.line)}><${Swatch} color=${colors[at]} />${capital(named(action.name))}</a>
            ${other && other.word !== action.word && html`<small class="quiet"> as ${named(other.name)}</small>`}</td>
          ${cells(action.frequency, other?.frequency, share, byShare)}
          ${cells(action.ev, other?.ev, worth, byWorth)}
        </tr>`;
      })}
      ${left.map(
        (action) => html`<tr key=${`second ${action.word}`}><td class="quiet">${capital(named(action.name))}, in the second alone</td>
          ${cells(null, action.frequency, share, byShare)}${cells(null, action.ev, worth, byWorth)}</tr>`,
      )}
      ${[0, 1].map(
        (player) => html`<tr key=${player} data-player=${player} class="mean"><th scope="row">${SIDES[player]}, equity and EV</th>
          ${cells(first.ranges[player].equity, second.ranges[player].equity, share, byShare)}
          ${cells(first.ranges[player].ev, second.ranges[player].ev, worth, byWorth)}</tr>`,
      )}
    </tbody>
  </table></div><//>`;
}

function Way({ pair, node }) {
  return html`<nav class="crumbs" aria-label="Way to this node"><ol>
    ${node.path.map(
      (step, at) => html`<li key=${at}><a href=${address(...pair, step.line)}>${
        step.kind === "deal"
          ? html`<${Card} text=${step.word} size="s" />`
          : html`<small>${SIDES[step.player]}</small>${capital(named(step.name))}`
      }</a></li>`,
    )}
    <li><span class="here" aria-current="location">${node.kind === "decision" ? `${SIDES[node.player]} to act` : node.kind === "deal" ? "Next card" : "End"}</span></li>
  </ol></nav>`;
}

function Both({ answer, pair }) {
  const { first, second, why, near } = answer;
  const cards = Object.fromEntries((first.cards ?? []).map((card) => [card.card, card.line]));
  return html`<${Way} pair=${pair} node=${first} />
    ${why && html`<p class="notice" role="status">${capital(why)}.</p>`}
    ${near.length > 0 && html`<p class="notice" role="status">The menus differ: ${near.map(([word, other]) => `${word} is compared with ${other}`).join(", ")}.</p>`}
    ${first.kind === "deal" && html`<section class="panel"><${Deck} label="Cards that can come" face=${(name) => ({ disabled: !cards[name] })} onPick=${(name) => go(address(...pair, cards[name]))} /></section>`}
    ${first.kind === "end" && html`<section class="panel">The hand ends here.</section>`}
    ${second && first.kind === "decision" && second.kind === "decision" && html`
      <section class="panel" aria-label="Actions"><${Actions} pair=${pair} first=${first} second=${second} /></section>
      <${Charts} first=${first} second=${second} />`}`;
}

/** The solves that can be compared with one: those on the same board first. */
function Choice({ label, jobs, value, onChoose }) {
  return html`<label class="field grow"><span class="label">${label}</span>
    <select aria-label=${label} onChange=${(event) => onChoose(event.target.value)}>
      ${options([["", "Choose a solve…"], ...jobs.map((job) => [job.id, nameOf(job)])], value)}
    </select></label>`;
}

export function CompareView({ route }) {
  const jobs = useStore(app, (state) => state.jobs).filter((job) => job.has_result);
  const { answer, error } = useStore(compare);
  const pair = (route.id || "+").split("+");
  const [first, second] = pair;
  const chosen = useStore(app, (state) => jobOf(state, first));
  const board = chosen?.board.join(" ");
  showIn(chosen?.big_blind);
  const partners = jobs.filter((job) => job.id !== first && job.board.join(" ") === board);
  useEffect(() => {
    if (first && second) showBoth(first, second, route.rest);
    else if (!first && jobs.length > 1) {
      const locked = jobs.find((job) => job.based_on && jobs.some(({ id }) => id === job.based_on));
      if (locked) settle(route, address(locked.based_on, locked.id, ""));
    }
  }, [route.id, route.rest, jobs.length]);
  if (jobs.length < 2)
    return html`<div class="panel empty"><h1 class="hidden-label">Compare</h1><p>${NEED_TWO}</p>
      <div class="row centered"><a class="button" href=${href("spot")}>Describe a spot</a></div></div>`;
  return html`<div class="stack compare">
    <h1 class="hidden-label">Compare</h1>
    <section class="panel row">
      <${Choice} label="First solve" jobs=${jobs} value=${first} onChoose=${(id) => go(address(id, "", ""))} />
      <${Choice} label="Second solve" jobs=${partners} value=${second} onChoose=${(id) => go(address(first, id, ""))} />
      ${first && second && html`<button type="button" onClick=${() => go(address(second, first, ""))}>Swap</button>`}
    </section>
    ${error && html`<p class="notice bad" role="alert">${error}</p>`}
    ${answer && first && second && answer.first.job === first && html`<${Both} answer=${answer} pair=${pair} />`}
  </div>`;
}
