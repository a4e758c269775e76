// Train: a hand at a node, the actions as buttons, and what the answer lost.
import { actionColors, shareBars } from "../actions.js";
import { app, href, jobOf } from "../app.js";
import { capital, duration, percent } from "../format.js";
import { html, useEffect } from "../lib.js";
import { Cards, HandText } from "../parts/card.js";
import { Heads, Segmented, Swatch, options } from "../parts/controls.js";
import { Exported } from "../parts/csv.js";
import { loadReports, reports } from "../reports/store.js";
import { SIDES } from "../result/crumbs.js";
import { useStore } from "../store.js";
import { actInHand, dealHand, whole } from "./hands-store.js";
import { WholeHand } from "./hands.js";
import { Answers, History } from "./question.js";
import { Statistics } from "./statistics.js";
import { answerQuestion, drill, forgetProgress, loadProgress, nextQuestion, setMode, train } from "./store.js";
import { money, named, showIn, stake, unitName } from "../units.js";

const PLAYERS = [
  [null, "Either"],
  [0, "OOP"],
  [1, "IP"],
];
const MODES = [
  ["decisions", "Single decisions"],
  ["hands", "Whole hands"],
];
const CHART_BLIND = 100; // chips, as charts before the flop count
const DEPTHS = [10, 15, 20, 30, 50, 100, 200]; // big blinds of the charts before the flop
const NOTHING =
  "Choose a solved spot, a report or charts before the flop. You are dealt a hand where play comes to, choose an action, and see what it loses.";
const GRADES = ["A blunder", "A mistake", "Not so good", "Close enough", "Good", "As solved"];

/** What can be drilled, and whose decisions. */
function Choose() {
  const { source, player, progress, mode } = useStore(train);
  const jobs = useStore(app, (state) => state.jobs).filter((job) => job.has_result);
  const list = useStore(reports, (state) => state.list) ?? [];
  const due = (id) => (progress?.due[id] ? ` · ${progress.due[id]} due` : "");
  const choices = [
    ["", "Choose…"],
    ...jobs.map((job) => [`job ${job.id}`, `${job.name}${due(job.id)}`]),
    ...(mode === "hands" ? [] : [
      ...list.filter(({ kind }) => kind === "flop").map(({ id, name, boards }) => [`report ${id}`, `Report ${name}, ${boards} flops`]),
      ...DEPTHS.map((blinds) => [`preflop ${blinds}`, `Before the flop, ${blinds} big blinds${due(`preflop ${blinds}`)}`]),
    ]),
  ];
  return html`<section class="panel row" aria-label="What to drill">
    <label class="field grow"><span class="label">Drill</span>
      <select aria-label="Drill" onChange=${(event) => drill(event.target.value)}>${options(choices, source)}</select>
    </label>
    <div class="field"><span class="label">Ask for</span>
      <${Segmented} label="Ask for" options=${MODES} value=${mode} onChange=${setMode} /></div>
    <div class="field"><span class="label">Decisions of</span>
      <${Segmented} label="Decisions of" options=${PLAYERS} value=${player} onChange=${(side) => drill(source, side)} /></div>
  </section>`;
}

/** Why an answer is not judged: the charts may be off by more than it loses. */
const notJudged = ({ judged, lost, error }) =>
  judged ? "" : ` It loses ${money(lost, 2)} ${unitName()} by the charts, which may be off by ${money(error, 2)}.`;

function Told({ question, verdict }) {
  const colors = actionColors(verdict.words);
  const again =
    verdict.next_seconds === null ? "" : ` It comes again in ${duration(verdict.next_seconds)}.`;
  return html`<div class="stack told" role="status" data-grade=${verdict.grade}>
    <p class=${!verdict.judged ? "quiet" : verdict.good ? "good" : "bad"}>
      <b>${verdict.judged ? GRADES[verdict.grade] : "Not judged"}.</b>
      ${notJudged(verdict)}${verdict.lost > 0 && verdict.judged ? ` It loses ${money(verdict.lost, 2)} ${unitName()}, ${percent(verdict.lost_percent / 100, 2)}% of the pot.` : verdict.judged ? " Nothing is lost." : ""}${again}
    </p>
    <div class="mini-bar" style=${{ backgroundImage: shareBars(verdict.strategy, colors) }} aria-hidden="true"></div>
    <${Exported} name="answer"><table class="hands">
      <thead><tr><th>Action</th><${Heads} names=${["Solved", "EV", "Loses"]} /></tr></thead>
      <tbody>${verdict.words.map((word, at) => {
        const lost = Math.max(...verdict.action_ev) - verdict.action_ev[at];
        return html`<tr key=${word} data-verdict=${word} class=${word === verdict.word ? "mean" : ""}>
          <td><${Swatch} color=${colors[at]} />${capital(named(verdict.actions[at]))}</td>
          <td class="num strong">${percent(verdict.strategy[at])}%</td>
          <td class="num">${money(verdict.action_ev[at], 2)}</td>
          <td class="num">${lost > 0.005 ? money(lost, 2) : "–"}</td>
        </tr>`;
      })}</tbody>
    </table><//>
    ${verdict.by && html`<p class="quiet small">By ${verdict.by}. Big blind: ${verdict.ranges[0]}. Button: ${verdict.ranges[1]}.</p>`}
    <div class="row">
      <button type="button" class="primary" onClick=${nextQuestion}>Next</button>
      <a class="button" href=${question.link || href("result", question.job, question.line)}>Study this node</a>
    </div>
  </div>`;
}

function Asked({ question, verdict }) {
  showIn(question.job ? jobOf(app.get(), question.job)?.big_blind : CHART_BLIND);
  return html`<section class="panel stack question" aria-label="Question">
    <header class="row spread">
      <span class="quiet small">${question.name}</span>
      ${question.again && html`<span class="tag">Again</span>`}
      ${question.due > 0 && html`<span class="quiet small">${question.due} due</span>`}
    </header>
    <${History} path=${question.path} />
    <div class="seats">
      ${question.board.length > 0 && html`<div><span class="label">Board</span><${Cards} cards=${question.board} size="l" /></div>`}
      <div><span class="label">Your hand, ${SIDES[question.player]}</span><${Cards} cards=${question.hand} size="l" /></div>
      <div class="pot"><b>Pot ${stake(question.pot)}</b>${question.to_call > 0 ? ` · ${stake(question.to_call)} to call` : ""}
        <br /><span class="quiet small">${stake(question.behind[question.player])} behind</span></div>
    </div>
    <${Answers} actions=${question.actions} done=${Boolean(verdict)} chosen=${verdict?.word} onAnswer=${answerQuestion} />
    ${verdict && html`<${Told} question=${question} verdict=${verdict} />`}
  </section>`;
}

/** The score of this visit, of each day, and what waits. */
function Score() {
  const { progress, session } = useStore(train);
  if (!progress) return null;
  const total = (all, verdicts = all.filter(({ judged }) => judged)) => ({
    questions: verdicts.length,
    good: verdicts.filter(({ good }) => good).length,
    lost_percent: verdicts.reduce((sum, { lost_percent: lost }) => sum + lost, 0),
  });
  const days = Object.entries(progress.days).sort(([a], [b]) => b.localeCompare(a));
  const rows = [["This visit", total(session)], ...days.slice(0, 14), ["In all", progress.total]];
  const due = Object.values(progress.due).reduce((sum, number) => sum + number, 0);
  return html`<aside class="panel stack" aria-label="Progress">
    <h2>Progress</h2>
    <${Exported} name="progress"><table class="hands">
      <thead><tr><th>When</th><${Heads} names=${["Hands", "Good", "Lost, % of pot"]} /></tr></thead>
      <tbody>${rows.map(
        ([name, score]) => html`<tr key=${name} data-when=${name}><th scope="row">${name}</th>
          <td class="num">${score.questions}</td>
          <td class="num">${score.questions ? `${percent(score.good / score.questions, 0)}%` : "–"}</td>
          <td class="num">${score.questions ? (score.lost_percent / score.questions).toFixed(2) : "–"}</td></tr>`,
      )}</tbody>
    </table><//>
    <${Statistics} progress=${progress} />
    <p class="quiet small">${due} to repeat now, ${progress.waiting} later. What goes wrong comes back.</p>
    ${
      session.length > 0 &&
      html`<ul class="latest">${session
        .slice(-8)
        .reverse()
        .map(
          (one, at) => html`<li key=${session.length - at} class="row spread small">
            <span><${HandText} hand=${one.hand.join("")} /> ${one.actions[one.words.indexOf(one.word)]}</span>
            <span class=${one.good || !one.judged ? "good" : "bad"}>${!one.judged ? "not judged" : one.lost_percent > 0.005 ? `−${one.lost_percent.toFixed(2)}%` : "✓"}</span></li>`,
        )}</ul>`
    }
    ${progress.total.questions > 0 && html`<button type="button" class="bare slim danger" onClick=${() => confirm("Forget all progress?") && forgetProgress()}>Forget progress</button>`}
  </aside>`;
}

function Waiting({ id }) {
  const job = useStore(app, (state) => jobOf(state, id));
  useEffect(() => {
    if (job && job.state !== "queued" && job.state !== "running") nextQuestion();
  }, [id, job?.state]); // another solve may be done before it is waited for
  return html`<section class="panel empty" role="status"><p>Solving ${job ? job.board.join(" ") : "a board of the report"} first…</p></section>`;
}

/** Number keys answer, Enter asks the next one. */
function useKeys() {
  useEffect(() => {
    const press = (event) => {
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      const { question, verdict, mode } = train.get();
      if (mode === "hands") {
        const { hand } = whole.get();
        if (hand?.ending && event.key === "Enter" && event.target.tagName !== "BUTTON") dealHand();
        else if (hand?.actions[Number(event.key) - 1]) actInHand(hand.actions[Number(event.key) - 1].word);
        return;
      }
      const action = question?.actions[Number(event.key) - 1];
      if (verdict && event.key === "Enter" && event.target.tagName !== "BUTTON") nextQuestion();
      else if (action && !verdict) answerQuestion(action.word);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

export function TrainView({ route }) {
  const { source, question, solving, verdict, mode } = useStore(train);
  const wanted = route.rest || (route.id ? `job ${route.id}` : source);
  const ready = useStore(app, (state) => {
    const [kind, id] = wanted.split(" ");
    return kind === "report" || kind === "preflop" || Boolean(jobOf(state, id)?.has_result);
  });
  useKeys();
  useEffect(() => {
    loadProgress();
    loadReports();
  }, []);
  useEffect(() => {
    if (wanted && ready && (wanted !== train.get().source || (mode === "decisions" && !question))) drill(wanted);
  }, [wanted, ready, mode]);
  return html`<div class="train">
    <h1 class="hidden-label">Train</h1>
    <div class="stack">
      <${Choose} />
      ${!source && html`<div class="panel empty"><p>${NOTHING}</p></div>`}
      ${mode === "hands" && source && html`<${WholeHand} />`}
      ${mode === "decisions" && solving && !question && html`<${Waiting} id=${solving} />`}
      ${mode === "decisions" && question && html`<${Asked} question=${question} verdict=${verdict} />`}
    </div>
    <${Score} />
  </div>`;
}
