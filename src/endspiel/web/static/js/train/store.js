// The drill: what is drilled, the question asked, the verdict on the answer, and how it goes.
import { attempt } from "../app.js";
import { get, post, remove } from "../api.js";
import { createStore, recall, remember } from "../store.js";

export const train = createStore({
  source: recall("train.source") ?? "", // "job ID", "report ID" or "preflop BLINDS"
  player: recall("train.player") ?? null, // 0, 1, or null: either
  mode: recall("train.mode") ?? "decisions", // or "hands": whole ones
  question: null,
  solving: "", // the solve that a report's board waits for
  verdict: null,
  progress: null,
  session: [], // verdicts of this visit, the latest last
  busy: false,
});

let counting = 0; // the newest request counts
let asking = 0;

export async function loadProgress() {
  const own = ++counting;
  await attempt(async () => {
    const progress = await get("/api/train");
    if (own === counting) train.set({ progress });
  });
}

/** Choose what is drilled, and ask the first question. */
export function drill(source, player = train.get().player) {
  remember("train.source", source);
  remember("train.player", player);
  train.set({ source, player, question: null, verdict: null, solving: "" });
  return nextQuestion();
}

/** Ask for single decisions or for whole hands. */
export function setMode(mode) {
  remember("train.mode", mode);
  train.set({ mode });
}

export async function nextQuestion() {
  const { source, player, mode } = train.get();
  const [kind, id] = source.split(" ");
  if (!id || mode === "hands") return;
  asking += 1;
  const mine = asking;
  train.set({ busy: true });
  const what = kind === "preflop" ? Number(id) : id;
  const found = await attempt(() => post("/api/train/question", { [kind]: what, player }));
  if (mine !== asking) return;
  train.set({ busy: false });
  if (!found) return;
  train.set({ question: found.question, solving: found.solving ?? "", verdict: null });
}

export async function answerQuestion(word) {
  const { question, verdict, busy } = train.get();
  if (!question || verdict || busy) return;
  train.set({ busy: true });
  const found = await attempt(() => post("/api/train/answer", { question: question.id, word }));
  train.set({ busy: false });
  if (!found) return;
  train.set({ verdict: found });
  countAnswer({ ...found, board: question.board, hand: question.hand, line: question.line });
}

/** Count an answer in this visit, and ask how it all goes. */
export function countAnswer(answered) {
  train.set(({ session }) => ({ session: [...session, answered] }));
  loadProgress();
}

export function forgetProgress() {
  return attempt(async () => {
    await remove("/api/train");
    train.set({ session: [] });
    await loadProgress();
  });
}
