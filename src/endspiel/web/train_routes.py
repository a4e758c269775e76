"""Routes of the trainer: a question, its answer, and how it goes."""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from endspiel.cards.text import format_card
from endspiel.errors import EndspielError
from endspiel.solving.solution import SpotSolution
from endspiel.web.http import answered, aside, json_answer, receive
from endspiel.web.job_service import JobService
from endspiel.web.jobs import SolveJob
from endspiel.web.lines import find_line
from endspiel.web.messages import (
    AnswerAsked,
    HandAsked,
    JobAsked,
    QuestionAsked,
    Refused,
    SpotText,
    WordAsked,
)
from endspiel.web.preflop_training import (
    PreflopDrills,
    ask_preflop,
    deal_preflop,
    judge_preflop,
    source_of,
    stack_of,
)
from endspiel.web.reports import Report, spot_on
from endspiel.web.shelf import Shelf
from endspiel.web.store import ServerFolder
from endspiel.web.trainer import DrillBook
from endspiel.web.training import Question, Verdict, ask, deal_decision, judge
from endspiel.web.whole_hands import (
    HandAnswer,
    WholeHand,
    WholeHands,
    act_in,
    answer_hand,
    deal_whole,
)

HANDS = "/api/train/hands"
REPORT_PERCENT = 0.5  # of the pot: how closely a report's board is solved to be drilled


class QuestionAnswer(Struct):
    """A question; or the solve that must be waited for first."""

    question: Question | None
    solving: str | None


class TrainRoutes:
    """What the trainer answers."""

    def __init__(self, store: ServerFolder, service: JobService, reports: Shelf[Report]) -> None:
        self.service, self.reports = service, reports
        self.drills = PreflopDrills()
        self.trainer = DrillBook(store.folder / "trainer.json")
        self.hands = WholeHands()

    def routes(self) -> list[Route]:
        """All of them."""
        table: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("GET", "/api/train", self.progress),
            ("DELETE", "/api/train", self.forget),
            ("POST", "/api/train/question", self.question),
            ("POST", "/api/train/answer", self.answer),
            ("POST", HANDS, self.deal),
            ("GET", f"{HANDS}/{{id}}", self.hand),
            ("POST", f"{HANDS}/{{id}}/act", self.act),
        ]
        return [Route(path, answered(handler), methods=[method]) for method, path, handler in table]

    async def progress(self, request: Request) -> Response:
        return json_answer(self.trainer.answer())

    async def forget(self, request: Request) -> Response:
        await aside(self.trainer.forget)
        return json_answer({})

    async def question(self, request: Request) -> Response:
        return json_answer(await aside(self._question, await receive(request, QuestionAsked)))

    async def answer(self, request: Request) -> Response:
        return json_answer(await aside(self._answer, await receive(request, AnswerAsked)))

    def _question(self, asked: QuestionAsked) -> QuestionAnswer:
        if asked.player not in (None, 0, 1):
            raise Refused(f"player is 0 or 1, not {asked.player}", "player")
        if sum(one is not None for one in (asked.job, asked.report, asked.preflop)) != 1:
            raise Refused("a drill is of a job, of a report or of charts before the flop", "job")
        if asked.preflop is not None:
            return QuestionAnswer(self._ask_preflop(asked.preflop, asked.player), None)
        if asked.job is not None:
            job = self.service.job(asked.job)
        else:
            job = self._job_of_report(self.reports.get(str(asked.report)))
            if job.record.state in ("queued", "running"):
                return QuestionAnswer(None, job.id)
        return QuestionAnswer(self._ask(job, asked.player), None)

    def _job_of_report(self, report: Report) -> SolveJob:
        """A solve of one of a report's boards: one with something due, else any."""
        spots = [spot_on(report, row.board) for row in report.rows]
        solved = [self.service.solved(spot, live=False) for spot in spots]
        for known in filter(None, solved):
            if self.trainer.due(known):
                return self.service.job(known)
        at = int(self.trainer.dice.integers(len(report.rows)))
        name, ready = solved[at], [known for known in solved if known is not None]
        if name is not None:
            return self.service.job(name)
        coming = self._coming(spots)
        if coming is None:
            coming = self.service.create(JobAsked(spots[at], target_percent=REPORT_PERCENT))
        if ready:  # no page waits while there is a question
            return self.service.job(ready[int(self.trainer.dice.integers(len(ready)))])
        return coming

    def _coming(self, spots: list[SpotText]) -> SolveJob | None:
        """A solve of one of these spots that waits or runs."""
        for job in list(self.service.jobs.values()):
            if job.record.spot in spots and job.record.state in ("queued", "running"):
                return job
        return None

    def _ask(self, job: SolveJob, player: int | None) -> Question:
        def find(solution: Any) -> Question:
            deal = partial(deal_decision, solution, player, self.trainer.dice)
            return self._next(job.id, player, partial(ask, solution), deal)

        question: Question = self.service.use(job, find)
        question.name = job.record.name
        return question

    def _ask_preflop(self, stack: float, player: int | None) -> Question:
        tree = self.drills.tree(stack)
        deal = partial(deal_preflop, tree.charts, player, self.trainer.dice)
        return self._next(source_of(stack), player, partial(ask_preflop, tree), deal)

    def _next(
        self,
        source: str,
        player: int | None,
        ask_one: Callable[[str, str], Question],
        deal: Callable[[], tuple[str, str]],
    ) -> Question:
        """A decision that is due, or else one as play comes to it."""
        due, question, again = self.trainer.due(source), None, False
        for item in due:
            try:
                found = ask_one(item.line, item.hand)
            except EndspielError:  # the solve has been made once more since
                self.trainer.drop(item)
                continue
            if player in (None, found.player):
                question, again = found, True
                break
        question = question or ask_one(*deal())
        question.id = self.trainer.remember(source, question.line, "".join(question.hand))
        question.job, question.again, question.due = source, again, len(due)
        return question

    def _answer(self, asked: AnswerAsked) -> Verdict:
        found = self.trainer.asked(asked.question)
        if found is None:
            raise Refused("this question is unknown, or was answered", "question", 404)
        job, line, hand = found
        stack = stack_of(job)
        if stack is not None:
            told = judge_preflop(self.drills.tree(stack), line, hand, asked.word)
            return self.trainer.note(asked.question, told)

        def work(solution: SpotSolution) -> tuple[Verdict, list[str]]:
            board = [format_card(card) for card in find_line(solution.game, line).board]
            return judge(solution, line, hand, asked.word), board

        verdict, board = self.service.use(self.service.job(job), work)
        return self.trainer.note(asked.question, verdict, board)

    # Whole hands

    async def deal(self, request: Request) -> Response:
        asked = await receive(request, HandAsked)
        return json_answer(await aside(self._deal, asked), 201)

    async def hand(self, request: Request) -> Response:
        return json_answer(await aside(self._show, self.hands.get(request.path_params["id"])))

    async def act(self, request: Request) -> Response:
        hand, asked = self.hands.get(request.path_params["id"]), await receive(request, WordAsked)
        return json_answer(await aside(self._act, hand, asked.word))

    def _deal(self, asked: HandAsked) -> HandAnswer:
        if asked.player not in (None, 0, 1):
            raise Refused(f"player is 0 or 1, not {asked.player}", "player")
        job, dice = self.service.job(asked.job), self.trainer.dice
        player = int(dice.integers(2)) if asked.player is None else asked.player

        def work(solution: SpotSolution) -> tuple[WholeHand, HandAnswer]:
            hand = deal_whole(solution, job.id, job.record.name, player, dice)
            return hand, answer_hand(solution, hand)

        hand, answer = self.service.use(job, work)
        self.hands.add(hand)
        found: HandAnswer = answer
        return found

    def _show(self, hand: WholeHand) -> HandAnswer:
        found: HandAnswer = self.service.use(
            self.service.job(hand.job), lambda solution: answer_hand(solution, hand)
        )
        return found

    def _act(self, hand: WholeHand, word: str) -> HandAnswer:
        def work(solution: SpotSolution) -> HandAnswer:
            board = [format_card(card) for card in find_line(solution.game, hand.line).board]
            with hand.lock:
                decision = act_in(solution, hand, word, self.trainer.dice)
                name = self.trainer.remember(hand.job, decision.line, hand.text)
                self.trainer.note(name, decision.verdict, board)
                if hand.ending is not None:
                    self.trainer.note_hand(hand.flawless, hand.lost_percent(solution))
                return answer_hand(solution, hand)

        found: HandAnswer = self.service.use(self.service.job(hand.job), work)
        return found
