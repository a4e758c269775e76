"""Who solves the spots of a batch: a backend draws jobs as it has room and hands back outcomes.

The backend for processors solves one spot a thread, side by side: the kernels run without Python's
lock. A backend that solves many spots in one walk draws as many jobs as keep it busy and solves
them together; nothing else in a batch knows the difference.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

from endspiel.engine.limits import Limits
from endspiel.gpu.backend import Maker
from endspiel.gpu.cuda.device import cuda_device
from endspiel.gpu.cuda.machine import cuda_machine
from endspiel.gpu.devices import CUDA, check_device
from endspiel.gpu.spots import Make, check_room, run_together, same_run
from endspiel.solvers.memory import SHARE
from endspiel.solvers.spots.task import SpotRun, SpotTask
from endspiel.strategy.spot_solution import SpotSolution

BUSY = 16_000  # boards that keep a GPU busy: those that are done early run on with the others
BESIDE = (
    4  # threads that work beside a GPU: more would keep Python's lock from the one that runs it
)


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


def backend(device: str, workers: int, memory: int | None) -> BatchBackend:
    """The backend of a device; that of processors takes so many spots at once in so many bytes."""
    check_device(device)
    if device == CUDA:
        return SpotsTogether(cuda_machine, cuda_device().free_bytes, min(workers, BESIDE))
    return SpotThreads(workers, memory)


class MemoryRoom:
    """Bytes that solves side by side take and give back; one alone is always let in."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self._taken: list[int] = []
        self._change = threading.Condition()

    @contextmanager
    def taken(self, count: int) -> Iterator[None]:
        """Wait until so many bytes are free, and have them while inside."""
        with self._change:
            self._change.wait_for(lambda: self._fits(count))
            self._taken.append(count)
        try:
            yield
        finally:
            with self._change:
                self._taken.remove(count)
                self._change.notify_all()

    def _fits(self, count: int) -> bool:
        return not self._taken or self.limit is None or sum(self._taken) + count <= self.limit


class SpotThreads:
    """Some threads, each with one spot at a time."""

    def __init__(self, workers: int, memory: int | None) -> None:
        self.workers = workers
        self.room = MemoryRoom(memory)

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
                    outcome = self._outcome(job, limits)
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

    def _outcome(self, job: SpotJob, limits: Limits) -> SpotOutcome | None:
        """What a job comes to; nothing where it was ended before its time."""
        try:
            task = job.prepare()
            with self.room.taken(task.memory_bytes):
                run = task.run(limits)
                return None if run.stopped == "interrupted" else _finished(job, run)
        except Exception as error:  # whatever it is, the other spots are none of its business
            return SpotOutcome(job.number, None, error)


class SpotsTogether:
    """One machine that solves many spots in one batch: as many as keep it busy, and as fit.

    Spots are prepared ahead, and solutions finished, in threads beside it.
    """

    def __init__(self, maker: Maker, free: Callable[[], int], workers: int = 1) -> None:
        self.maker, self.free, self.workers = maker, free, workers

    def solve(self, jobs: Iterator[SpotJob], limits: Limits) -> SpotOutcomes:
        """See `BatchBackend`."""
        pool = ThreadPoolExecutor(self.workers)
        try:
            drawn = _Drawn(jobs, int(SHARE * self.free()), pool, self.workers)
            finishing = _Finishing(pool, self.workers)
            while drawn.fill():
                yield from drawn.failed()
                groups: dict[tuple[str, float | None], list[tuple[SpotJob, SpotTask]]] = {}
                for job, task in drawn.taken():
                    groups.setdefault(same_run(task, limits), []).append((job, task))
                for group in groups.values():
                    self._run(group, limits, finishing)
                    yield from finishing.done()
            yield from finishing.rest()
        finally:
            pool.shutdown(cancel_futures=True)

    def _run(
        self, group: list[tuple[SpotJob, SpotTask]], limits: Limits, finishing: "_Finishing"
    ) -> None:
        """Solve spots of one method and target together."""
        jobs, tasks = [job for job, _ in group], [task for _, task in group]
        left = {job.number for job in jobs}

        def finish(number: int, make: Make) -> None:
            left.remove(jobs[number].number)
            finishing.begin(jobs[number], make)

        try:
            run_together(tasks, limits, self.maker, finish)
        except Exception as error:  # it is that of every spot that has no outcome yet
            finishing.outcomes += [SpotOutcome(number, None, error) for number in sorted(left)]


class _Finishing:
    """Solutions made of what was found, in threads, no more at a time than there are."""

    def __init__(self, pool: ThreadPoolExecutor, most: int) -> None:
        self.pool, self.most = pool, most
        self.outcomes: list[SpotOutcome] = []
        self._waiting: deque[Future[SpotOutcome | None]] = deque()

    def begin(self, job: SpotJob, make: Make) -> None:
        """Finish a spot; wait where too many are under way."""
        while len(self._waiting) >= self.most:
            self._take()
        self._waiting.append(self.pool.submit(_made, job, make))

    def _take(self) -> None:
        outcome = self._waiting.popleft().result()
        if outcome is not None:
            self.outcomes.append(outcome)

    def done(self) -> Iterator[SpotOutcome]:
        """The outcomes so far, which are then gone."""
        while self._waiting and self._waiting[0].done():
            self._take()
        while self.outcomes:
            yield self.outcomes.pop(0)

    def rest(self) -> Iterator[SpotOutcome]:
        """All that are still to come."""
        while self._waiting:
            self._take()
        yield from self.done()


class _Drawn:
    """Jobs drawn until a batch is full; the one that did not fit is the next one's first."""

    def __init__(
        self, jobs: Iterator[SpotJob], room: int, pool: ThreadPoolExecutor, ahead: int
    ) -> None:
        self.jobs, self.room, self.pool, self.ahead = jobs, room, pool, ahead
        self._preparing: deque[tuple[SpotJob, Future[SpotTask]]] = deque()
        self._waiting: tuple[SpotJob, SpotTask, int] | None = None
        self._taken: list[tuple[SpotJob, SpotTask]] = []
        self._failed: list[SpotOutcome] = []

    def fill(self) -> bool:
        """Draw what fits; whether there was anything."""
        left, boards = self.room, 0
        while boards < BUSY:
            entry = self._waiting or self._next()
            if entry is None:
                break
            job, task, size = entry
            self._waiting = entry
            if size > left:
                break
            self._waiting = None
            self._taken.append((job, task))
            left -= size
            boards += task.game.tree.num_boards[-1]
        self._look_ahead()
        return bool(self._taken or self._failed)

    def _look_ahead(self) -> None:
        """Let some jobs be prepared."""
        while len(self._preparing) <= self.ahead:
            job = next(self.jobs, None)
            if job is None:
                return
            self._preparing.append((job, self.pool.submit(job.prepare)))

    def _next(self) -> tuple[SpotJob, SpotTask, int] | None:
        while True:
            self._look_ahead()
            if not self._preparing:
                return None
            job, preparing = self._preparing.popleft()
            try:
                task = preparing.result()
                return job, task, check_room(task, self.room)
            except Exception as error:  # whatever it is, the other spots are none of its business
                self._failed.append(SpotOutcome(job.number, None, error))

    def taken(self) -> list[tuple[SpotJob, SpotTask]]:
        """The jobs drawn, which are then gone."""
        taken, self._taken = self._taken, []
        return taken

    def failed(self) -> list[SpotOutcome]:
        """The jobs that could not be prepared, which are then gone."""
        failed, self._failed = self._failed, []
        return failed


def _made(job: SpotJob, make: Make) -> SpotOutcome | None:
    """What a job comes to; nothing where it was ended before its time."""
    try:
        run = make()
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)
    return None if run.stopped == "interrupted" else _finished(job, run)


def _finished(job: SpotJob, run: SpotRun) -> SpotOutcome:
    try:
        return SpotOutcome(job.number, job.finish(SpotSolution.of(run)))
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)
