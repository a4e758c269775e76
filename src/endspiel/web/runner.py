"""Solves in the order they came, one at a time, in a thread of their own.

The board kernels release Python's lock while they work, so pages are served meanwhile. Between
two steps the solver's thread looks whether it is to stop, and answers questions about the strategy
so far.
"""

import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Final

from endspiel.errors import EndspielError
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.methods import EXACT
from endspiel.solving.solution import SpotSolution
from endspiel.solving.solution_files import save_solution
from endspiel.solving.spots import PreparedSpot, SpotOptions
from endspiel.web.jobs import Question, SolveJob, describe, solver_limits
from endspiel.web.spots import build_spot, check_fits
from endspiel.web.store import ServerFolder

CHECKPOINT_SECONDS: Final = 60.0  # between checkpoints, at least
DISK_BYTES_A_SECOND: Final = 10e6  # large solvers are written down less often
ASK_SECONDS: Final = 60.0  # how long a question may wait for the solver to be between steps


class NotNow(EndspielError):  # noqa: N818  (a refusal)
    """A question that the solver's thread cannot answer at present."""


class Runner:
    """The thread that solves: takes jobs from a queue and notifies watchers."""

    def __init__(
        self,
        store: ServerFolder,
        memory: int | None,
        tell: Callable[[SolveJob], None],
        finish: Callable[[SolveJob, SpotSolution], None],
    ) -> None:
        self.store, self.memory = store, memory
        self._tell = tell  # a job changed its state
        self._finish = finish  # a job has a solution
        self.waiting: deque[SolveJob] = deque()
        self.running: SolveJob | None = None
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="endspiel-solver", daemon=True)
        self._thread.start()

    def add(self, job: SolveJob) -> None:
        """Put a job at the end of the queue."""
        with self._changed:
            job.record.state, job.record.stopped, job.record.error = "queued", "", ""
            self.waiting.append(job)
            self._changed.notify()
        self._note(job)

    @property
    def idle(self) -> bool:
        """Whether the next job begins at once."""
        return self.running is None and not self.waiting

    def stop(self, job: SolveJob) -> None:
        """Let a job end soon, or never start."""
        with self._changed:
            job.halted = True
            waited = job in self.waiting
            if waited:
                self.waiting.remove(job)
                job.record.state, job.task = "stopped", None
        self._note(job)
        if waited:
            self._tell_waiting()

    def wait(self, job: SolveJob, seconds: float) -> bool:
        """Wait until a job is neither waiting nor running; whether it is so."""
        with self._changed:
            return self._changed.wait_for(
                lambda: job is not self.running and job not in self.waiting, seconds
            )

    def ask(self, job: SolveJob, question: Question) -> Any:
        """Put a question to the job that runs; its answer comes between two steps."""
        answer: Future[Any] = Future()
        with self._changed:
            if not job.live:
                raise NotNow(f"{job.record.name} has nothing to show yet")
            job.questions.append((question, answer))
        try:
            return answer.result(ASK_SECONDS)
        except TimeoutError as error:
            raise NotNow("the solver is at a long step: ask again") from error

    def close(self, seconds: float = 60.0) -> None:
        """Stop what runs, keeping what it found, and end the thread.

        An exact method cannot be stopped and has nothing to keep: it is not waited for.
        """
        with self._changed:
            self._closing = True
            for job in self.waiting:
                job.record.state = "stopped"
            left = list(self.waiting)
            self.waiting.clear()
            if self.running is not None:
                self.running.halted = True
                if self.running.record.method in EXACT:
                    self.running.record.state = "stopped"
                    left.append(self.running)
                    seconds = 0.0
            self._changed.notify()
        for job in left:
            self._note(job)
        self._thread.join(seconds)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.waiting or self._closing)
                if self._closing:
                    return
                job = self.running = self.waiting.popleft()
                job.record.state = "running"
                job.begin()
            self._note(job)
            solution = self._attempt(job)
            self._note(job)
            if solution is not None:
                self._keep(job, solution)
            with self._changed:
                self.running = None
                self._changed.notify_all()
            self._tell(job)
            self._tell_waiting()

    def _attempt(self, job: SolveJob) -> SpotSolution | None:
        """Solve a job and show the solution; what goes wrong ends in its record, not the thread."""
        solution, state = None, "failed"
        try:
            solution = self._solve(job)
            describe(job.record, solution)
            self._finish(job, solution)
            state = "stopped" if solution.stopped == "interrupted" else "done"
        except EndspielError as error:
            job.record.error = str(error)
        except MemoryError:
            job.record.error = "there was not enough memory after all"
        except Exception as error:  # a fault of ours must not end the thread
            traceback.print_exc()
            job.record.error = f"the solver failed: {type(error).__name__}: {error}"
        with self._changed:
            job.record.state, job.boards, job.task = state, None, None
            left = list(job.questions)
            job.questions.clear()
        for _, answer in left:
            answer.set_exception(NotNow("the solve has just ended: ask again"))
        return solution if state != "failed" else None

    def _solve(self, job: SolveJob) -> SpotSolution:
        record = job.record
        task = job.task = job.task or self._build(job)
        check_fits(task, self.memory)
        record.memory_bytes = task.memory_bytes
        kept = None if record.method in EXACT else self.store.checkpoint(record.id)
        if kept is not None:
            self.store.check_room(2 * task.memory_bytes, "keeping this solve")
        limits = replace(
            solver_limits(record.limits),
            observe=job.observe,
            checkpoint=kept,
            checkpoint_seconds=CHECKPOINT_SECONDS + task.memory_bytes / DISK_BYTES_A_SECOND,
            halt=job.halt,
        )

        def started(solver: BoardCFR) -> None:
            job.boards = solver.backend.strategy()

        self._note(job)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the solution carries its warnings
            return task.run(limits, started)

    def _build(self, job: SolveJob) -> PreparedSpot:
        """The game of a job that has waited: nothing large is kept in the queue."""
        record = job.record
        locks = [lock["text"] for lock in record.locks]
        options = SpotOptions(record.threads, None, locks, storage=record.storage)
        return build_spot(record.spot, record.method, options)

    def _keep(self, job: SolveJob, solution: SpotSolution) -> None:
        """Write the solution down; pages look at it meanwhile."""
        try:
            save_solution(self.store.solution(job.id), solution)
        except EndspielError as error:
            job.record.error = str(error)
            self.store.save(job.record)

    def _tell_waiting(self) -> None:
        """Tell the jobs of the queue, whose places have changed."""
        with self._changed:
            waiting = list(self.waiting)
        for job in waiting:
            self._tell(job)

    def _note(self, job: SolveJob) -> None:
        """Write a job's state down and tell it."""
        try:
            self.store.save(job.record)
        except EndspielError as error:
            job.record.error = str(error)
        self._tell(job)
