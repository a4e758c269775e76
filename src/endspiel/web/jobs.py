"""Jobs: one solve each, its state while it runs, and the record that pages get."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from endspiel.cards.text import format_card
from endspiel.engine.limits import Limits, TracePoint
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.forecast import seconds_left
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot
from endspiel.web.locks import describe_lock
from endspiel.web.messages import JobAnswer, JobLimits, Point, played_stack
from endspiel.web.spots import spot_text
from endspiel.web.store import JobRecord

Question = Callable[[SpotSolution], Any]


@dataclass(eq=False)
class SolveJob:
    """A solve, waiting, running or over."""

    record: JobRecord
    iteration: int = 0
    seconds: float = 0.0
    trace: list[TracePoint] = field(default_factory=list)
    halted: bool = False  # asked to stop
    boards: BoardStrategy | None = None  # averages so far, while it runs on the board kernels
    task: PreparedSpot | None = None  # the game once it is built, while it runs or is about to
    questions: "deque[tuple[Question, Future[Any]]]" = field(default_factory=deque)
    told: int = 0  # points of the curve that pages have been told

    @property
    def id(self) -> str:
        """Its name in addresses and in the folder."""
        return self.record.id

    @property
    def live(self) -> bool:
        """Whether it runs and has an average to look at."""
        running = self.record.state == "running"
        return running and self.boards is not None and bool(self.trace)

    def begin(self) -> None:
        """Forget an earlier run but for its curve, which a resumed one goes on from."""
        self.halted, self.iteration, self.seconds = False, self.record.iteration, 0.0
        self.trace = [TracePoint(i, s, e / 100) for i, s, e in self.record.curve]
        self.told = len(self.trace)

    def observe(self, point: TracePoint) -> None:
        """A measurement; called by the solver's thread."""
        self.trace.append(point)

    def halt(self, iteration: int, seconds: float) -> bool:
        """Between two steps, on the solver's thread: answer questions, and say whether to stop."""
        self.iteration, self.seconds = iteration, seconds
        while self.questions:
            question, answer = self.questions.popleft()
            _settle(answer, lambda question=question: question(self._so_far()))  # type: ignore[misc]
        return self.halted

    def _so_far(self) -> SpotSolution:
        """The average so far as a solution."""
        assert self.boards is not None
        assert self.task is not None
        return self.task.solved(
            self.boards,
            value=float("nan"),
            exploitability=self.trace[-1].exploitability,
            iterations=self.iteration,
            seconds=self.seconds,
            trace=tuple(self.trace),
            parameters={},
            stopped="",
        )

    @property
    def limits(self) -> Limits | None:
        """When it ends; known once its game is built."""
        return None if self.task is None else self.task.limits(solver_limits(self.record.limits))

    @property
    def fresh(self) -> list[Point]:
        """Points of the curve that no page has yet."""
        return [percent(point) for point in self.trace[self.told :]]


def solver_limits(limits: JobLimits) -> Limits:
    """The limits of a job as the solvers read them."""
    share = None if limits.target_percent is None else limits.target_percent / 100
    return Limits(share, limits.iterations, limits.seconds)


def percent(point: TracePoint) -> Point:
    """A measurement as the page draws it."""
    return point.iteration, round(point.seconds, 4), 100 * point.exploitability


def _settle(answer: "Future[Any]", make: Callable[[], Any]) -> None:
    """Give a future its result, or the error that making it met."""
    try:
        answer.set_result(make())
    except Exception as error:  # the job reports it
        answer.set_exception(error)


def describe(record: JobRecord, solution: SpotSolution) -> None:
    """Put a solution's figures into its job's record."""
    record.iteration = solution.iterations
    record.exploitability_percent = 100 * solution.exploitability
    record.solve_seconds = solution.seconds
    record.stopped = solution.stopped
    record.value = solution.evs
    record.warnings = list(solution.warnings)
    record.memory_bytes = solution.memory_bytes
    record.curve = [percent(point) for point in solution.trace]


def record_of(job: str, name: str, solution: SpotSolution) -> JobRecord:
    """The record of a job whose solution came from elsewhere."""
    spot = solution.spot
    record = JobRecord(
        id=job,
        name=name,
        created=time.time(),
        spot=spot_text(spot),
        board=[format_card(card) for card in spot.board],
        method=solution.method,
        limits=JobLimits(),
        threads=1,
        locks=[describe_lock(text) for text in solution.locks],
        state="done",
    )
    describe(record, solution)
    return record


def answer_job(job: SolveJob, ahead: int, has_result: bool, file_bytes: int) -> JobAnswer:
    """A job as pages see it."""
    record, running = job.record, job.record.state == "running"
    last = job.trace[-1] if running and job.trace else None
    return JobAnswer(
        id=record.id,
        name=record.name,
        state=record.state,
        created=record.created,
        board=record.board,
        pot=record.spot.pot,
        stack=played_stack(record.spot),
        big_blind=record.spot.big_blind,
        method=record.method,
        limits=record.limits,
        threads=record.threads,
        iteration=job.iteration if running else record.iteration,
        exploitability_percent=100 * last.exploitability if last else record.exploitability_percent,
        solve_seconds=job.seconds if running else record.solve_seconds,
        seconds_left=left_of(job),
        value=record.value,
        stopping=running and job.halted,
        stopped=record.stopped,
        error=record.error,
        warnings=record.warnings,
        memory_bytes=record.memory_bytes,
        file_bytes=file_bytes,
        has_result=has_result,
        ahead=ahead,
        based_on=record.based_on,
        num_locks=len(record.locks),
        report=record.report,
        tags=record.tags,
    )


def left_of(job: SolveJob) -> float | None:
    """Seconds that a running job may still take."""
    limits = job.limits
    if job.record.state != "running" or not job.trace or limits is None:
        return None
    left = seconds_left(job.trace, limits)
    since = job.seconds - job.trace[-1].seconds
    return None if left is None else max(0.0, left - since)


def progress_of(job: SolveJob) -> dict[str, Any]:
    """The record of a running job that pages get ten times a second."""
    return {
        "id": job.id,
        "iteration": job.iteration,
        "seconds": round(job.seconds, 3),
        "seconds_left": left_of(job),
        "exploitability_percent": 100 * job.trace[-1].exploitability if job.trace else None,
        "points": job.fresh,
    }
