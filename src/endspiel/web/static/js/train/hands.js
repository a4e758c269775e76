// A whole hand against the solution: the table, the actions, and what each decision has lost.
import { app, href, jobOf } from "../app.js";
import { actionColors, shareBars } from "../actions.js";
import { capital, percent } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Cards } from "../parts/card.js";
import { Heads } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { SIDES } from "../result/crumbs.js";
import { useStore } from "../store.js";
import { money, moneyChange, named, showIn, stake, unitName } from "../units.js";
import { actInHand, dealHand, openHand, whole } from "./hands-store.js";
import { Answers, History } from "./question.js";
import { train } from "./store.js";

/** Where a decision stands in the list: its action and what it lost. */
function Decided({ decision, job }) {
  const { street, line, verdict } = decision;
  const colors = actionColors(verdict.words);
  const at = verdict.words.indexOf(verdict.word);
  return html`<tr data-decision=${street} class=${verdict.good ? "" : "bad-row"}>
    <td>${capital(street)}</td>
    <td>${capital(named(verdict.actions[at]))}</td>
    <td><span class="mini-bar" style=${{ backgroundImage: shareBars(verdict.strategy, colors) }} role="img"
      aria-label=${verdict.words.map((_, i) => `${named(verdict.actions[i])} ${percent(verdict.strategy[i], 0)}%`).join(", ")}></span></td>
    <td>${capital(named(verdict.actions[verdict.words.indexOf(verdict.best)]))}</td>
    <td class="num">${money(verdict.lost, 2)}</td>
    <td class="num">${verdict.lost_percent.toFixed(2)}%</td>
    <td><a href=${href("result", job, line)}>Study</a></td>
  </tr>`;
}

function Decisions({ hand }) {
  if (!hand.decisions.length) return null;
  return html`<${Exported} name="hand"><table class="hands" aria-label="Your decisions">
    <thead><tr><th scope="col">Street</th><th scope="col">You did</th><th scope="col">Solved</th><th scope="col">Best</th>
      <${Heads} names=${["EV lost", "% of pot"]} /><th scope="col"><span class="hidden-label">Study</span></th></tr></thead>
    <tbody>${hand.decisions.map((decision, at) => html`<${Decided} key=${at} decision=${decision} job=${hand.job} />`)}</tbody>
    <tfoot><tr class="mean"><th scope="row" colspan="4">In all</th>
      <td class="num strong" data-value="lost">${money(hand.lost, 2)}</td><td class="num">${hand.lost_percent.toFixed(2)}%</td><td></td></tr></tfoot>
  </table><//>`;
}

const endText = ({ how, won }) =>
  `${how === "fold" ? "The hand ends by a fold" : "The hands are shown"}: ${moneyChange(won)} ${unitName()} of the pot for you, less what you put in.`;

export function WholeHand() {
  const { hand, busy } = useStore(whole);
  const { source, player } = useStore(train);
  useEffect(() => {
    openHand();
  }, [source, player]);
  if (!hand) return html`<section class="panel empty" role="status"><p>${busy ? "Dealing…" : "Choose a solved spot to play hands of it."}</p></section>`;
  showIn(jobOf(app.get(), hand.job)?.big_blind);
  const { ending } = hand;
  return html`<section class="panel stack question" aria-label="Hand">
    <header class="row spread"><span class="quiet small">${hand.name}</span><span class="quiet small">Whole hand, ${SIDES[hand.player]}</span></header>
    <${History} path=${hand.path} />
    <div class="seats">
      <div><span class="label">Board</span><${Cards} cards=${ending?.board ?? hand.board} size="l" /></div>
      <div><span class="label">Your hand, ${SIDES[hand.player]}</span><${Cards} cards=${hand.hand} size="l" /></div>
      ${ending && html`<div><span class="label">Its hand</span><${Cards} cards=${ending.other} size="l" /></div>`}
      <div class="pot"><b>Pot ${stake(hand.pot)}</b>${hand.to_call > 0 ? ` · ${stake(hand.to_call)} to call` : ""}
        <br /><span class="quiet small">${stake(hand.behind[hand.player])} behind</span></div>
    </div>
    ${!ending && html`<${Answers} actions=${hand.actions} done=${busy} chosen="" onAnswer=${actInHand} />`}
    ${
      ending &&
      html`<div class="stack" role="status" data-ending=${ending.how}><p>${endText(ending)}</p>
        <p>Your decisions lost <b>${money(hand.lost, 2)}</b> ${unitName()}, ${hand.lost_percent.toFixed(2)}% of the pot at the start.</p>
        <div class="row"><button type="button" class="primary" onClick=${dealHand}>Next hand</button></div></div>`
    }
    <${Decisions} hand=${hand} />
  </section>`;
}
