"""Who solves the spots of a batch: a backend draws jobs as it has room and hands back outcomes.

The backend for processors solves one spot a thread, side by side: the kernels run without Python's
lock. A backend that solves many spots in one walk draws as many jobs as fit, prepares them and
solves them together; nothing else in a batch knows the difference.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.solvers.spot import SpotTask
from endspiel.strategy.spot_solution import SpotSolution

DEVICES = ("cpu",)


@dataclass(frozen=True, eq=False)
class SpotJob:
    """One spot of a batch."""

    number: int
    prepare: Callable[[], SpotTask]  # may refuse the spot, with an EndspielError
    finish: Callable[[SpotSolution], Any]  # what the batch wants of its solution


class SpotOutcome(NamedTuple):
    """What became of a job: what `finish` made of its solution, or why there is none."""

    number: int
    found: Any
    error: Exception | None = None


SpotOutcomes = Generator[SpotOutcome, None, None]


class BatchBackend(Protocol):
    """Solves jobs, as many at once as it likes."""

    def solve(self, jobs: Iterator[SpotJob], limits: Limits) -> SpotOutcomes:
        """Draw the jobs one after another, and hand back each one's outcome as it is found.

        What one job raises is its outcome and stops no other. Closed by a caller who wants no more
        (after Ctrl-C), it ends the solves under way, which then have no outcome.
        """


def check_device(device: str) -> None:
    """Refuse a device that there is no backend for."""
    if device not in DEVICES:
        raise EndspielError(
            f"spots cannot be solved on {device[:20]!r}: there is {', '.join(DEVICES)}"
        )


def backend(device: str, workers: int) -> BatchBackend:
    """The backend of a device, with so many spots side by side."""
    check_device(device)
    return SpotThreads(workers)


class SpotThreads:
    """Some threads, each with one spot at a time."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def solve(self, jobs: Iterator[SpotJob], limits: Limits) -> SpotOutcomes:
        """See `BatchBackend`."""
        left, drawing = threading.Event(), threading.Lock()
        done: SimpleQueue[SpotOutcome | None] = SimpleQueue()  # None: a thread is through
        limits = replace(limits, halt=lambda iteration, seconds: left.is_set())

        def work() -> None:
            try:
                while not left.is_set():
                    with drawing:
                        job = next(jobs, None)
                    if job is None:
                        break
                    outcome = _outcome(job, limits)
                    if outcome is not None:
                        done.put(outcome)
            finally:
                done.put(None)

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        try:
            through = 0
            while through < len(threads):
                outcome = done.get()
                if outcome is None:
                    through += 1
                else:
                    yield outcome
        finally:
            left.set()
            for thread in threads:
                thread.join()


def _outcome(job: SpotJob, limits: Limits) -> SpotOutcome | None:
    """What a job comes to; nothing where it was ended before its time."""
    try:
        run = job.prepare().run(limits)
        if run.stopped == "interrupted":
            return None
        return SpotOutcome(job.number, job.finish(SpotSolution.of(run)))
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)
