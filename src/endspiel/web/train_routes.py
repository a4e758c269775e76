"""Routes of the trainer: a question, its answer, and how it goes."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from endspiel.errors import EndspielError
from endspiel.web.http import answered, aside, json_answer, receive
from endspiel.web.job_service import JobService
from endspiel.web.jobs import Job
from endspiel.web.messages import AnswerAsked, JobAsked, QuestionAsked, Refused, SpotText
from endspiel.web.reports import Report, spot_on
from endspiel.web.shelf import Shelf
from endspiel.web.store import ServerFolder
from endspiel.web.trainer import DrillBook
from endspiel.web.training import Question, Verdict, ask, deal_decision, judge

REPORT_PERCENT = 0.5  # of the pot: how closely a report's board is solved to be drilled


class QuestionAnswer(Struct):
    """A question; or the solve that must be waited for first."""

    question: Question | None
    solving: str | None


class TrainRoutes:
    """What the trainer answers."""

    def __init__(self, store: ServerFolder, service: JobService, reports: Shelf[Report]) -> None:
        self.service, self.reports = service, reports
        self.trainer = DrillBook(store.folder / "trainer.json")

    def routes(self) -> list[Route]:
        """All of them."""
        table: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("GET", "/api/train", self.progress),
            ("DELETE", "/api/train", self.forget),
            ("POST", "/api/train/question", self.question),
            ("POST", "/api/train/answer", self.answer),
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
        if (asked.job is None) == (asked.report is None):
            raise Refused("a drill is of a job or of a report", "job")
        if asked.job is not None:
            job = self.service.job(asked.job)
        else:
            job = self._job_of_report(self.reports.get(str(asked.report)))
            if job.record.state in ("queued", "running"):
                return QuestionAnswer(None, job.id)
        return QuestionAnswer(self._ask(job, asked.player), None)

    def _job_of_report(self, report: Report) -> Job:
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
        if ready:  # nobody waits while there is something to ask
            return self.service.job(ready[int(self.trainer.dice.integers(len(ready)))])
        return coming

    def _coming(self, spots: list[SpotText]) -> Job | None:
        """A solve of one of these spots that waits or runs."""
        for job in list(self.service.jobs.values()):
            if job.record.spot in spots and job.record.state in ("queued", "running"):
                return job
        return None

    def _ask(self, job: Job, player: int | None) -> Question:
        due = self.trainer.due(job.id)

        def find(solution: Any) -> tuple[Question, bool]:
            for item in due:
                try:
                    question = ask(solution, item.line, item.hand)
                except EndspielError:  # the solve has been made anew since
                    self.trainer.drop(item)
                    continue
                if player in (None, question.player):
                    return question, True
            return ask(solution, *deal_decision(solution, player, self.trainer.dice)), False

        found: tuple[Question, bool] = self.service.use(job, find)
        question, again = found
        question.id = self.trainer.remember(job.id, question.line, "".join(question.hand))
        question.job, question.name = job.id, job.record.name
        question.again, question.due = again, len(due)
        return question

    def _answer(self, asked: AnswerAsked) -> Verdict:
        found = self.trainer.asked(asked.question)
        if found is None:
            raise Refused("this question is unknown, or was answered", "question", 404)
        job, line, hand = found
        verdict: Verdict = self.service.use(
            self.service.job(job), lambda solution: judge(solution, line, hand, asked.word)
        )
        return self.trainer.note(asked.question, verdict)
