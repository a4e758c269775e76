"""Spots solved together on one machine, a GPU say, with threads beside it."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from endspiel.batch.spot_jobs import SpotJob, SpotOutcome, SpotOutcomes, SpotStart
from endspiel.gpu.backend import Maker
from endspiel.gpu.spots import Make, RootRun, check_room, run_together, same_run
from endspiel.solvers.memory import SHARE
from endspiel.solvers.spots.task import SpotRun, SpotTask
from endspiel.strategy.spot_solution import SpotSolution

BUSY = 16_000  # boards that keep a GPU busy: those that are done early run on with the others


class SpotsTogether:
    """One machine that solves many spots in one batch: as many as keep it busy, and as fit.

    Spots are prepared ahead, and solutions finished, in threads beside it.
    """

    def __init__(self, maker: Maker, free: Callable[[], int], workers: int = 1) -> None:
        self.maker, self.free, self.workers = maker, free, workers

    def solve(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        """See `BatchBackend`."""
        pool = ThreadPoolExecutor(self.workers)
        try:
            drawn = _Drawn(jobs, start, int(SHARE * self.free()), (pool, self.workers))
            finishing = _Finishing(start, pool, self.workers)
            while drawn.fill():
                yield from drawn.failed()
                groups: dict[tuple[str, float | None], list[tuple[SpotJob, SpotTask]]] = {}
                for job, task in drawn.taken():
                    groups.setdefault(same_run(task, start.how.limits), []).append((job, task))
                for group in groups.values():
                    self._run(group, finishing)
                    yield from finishing.done()
            yield from finishing.rest()
        finally:
            pool.shutdown(cancel_futures=True)

    def _run(self, group: list[tuple[SpotJob, SpotTask]], finishing: "_Finishing") -> None:
        """Solve spots of one method and target together."""
        jobs, tasks = [job for job, _ in group], [task for _, task in group]
        left = {job.number for job in jobs}

        def finish(number: int, make: Make) -> None:
            left.remove(jobs[number].number)
            finishing.begin(jobs[number], make)

        def finish_root(number: int, found: RootRun) -> None:
            left.remove(jobs[number].number)
            finishing.begin_root(jobs[number], found)

        start = finishing.start
        root = None if start.finish_root is None else finish_root
        try:
            run_together(tasks, start.how.limits, self.maker, finish, root)
        except Exception as error:  # it is that of every spot that has no outcome yet
            finishing.outcomes += [SpotOutcome(number, None, error) for number in sorted(left)]


class _Finishing:
    """Solutions made of what was found, in threads, no more at a time than there are."""

    def __init__(self, start: SpotStart, pool: ThreadPoolExecutor, most: int) -> None:
        self.start, self.pool, self.most = start, pool, most
        self.outcomes: list[SpotOutcome] = []
        self._waiting: deque[Future[SpotOutcome | None]] = deque()

    def begin(self, job: SpotJob, make: Make) -> None:
        """Finish a spot; wait where too many are under way."""
        while len(self._waiting) >= self.most:
            self._take()
        self._waiting.append(self.pool.submit(_made, job, make, self.start))

    def begin_root(self, job: SpotJob, found: RootRun) -> None:
        """The same for a spot of which the root tells all."""
        self._waiting.append(self.pool.submit(_root_made, job, found, self.start))

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
        self,
        jobs: Iterator[SpotJob],
        start: SpotStart,
        room: int,
        beside: tuple[ThreadPoolExecutor, int],  # threads, and how many
    ) -> None:
        self.jobs, self.start, self.room = jobs, start, room
        self.pool, self.ahead = beside
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
            self._preparing.append((job, self.pool.submit(self.start.prepare, job)))

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


def _made(job: SpotJob, make: Make, start: SpotStart) -> SpotOutcome | None:
    """What a job comes to; nothing where it was ended before its time."""
    try:
        run = make()
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)
    return None if run.stopped == "interrupted" else _finished(job, run, start)


def _root_made(job: SpotJob, found: RootRun, start: SpotStart) -> SpotOutcome | None:
    """The same where the root tells it all."""
    assert start.finish_root is not None
    if found.stopped == "interrupted":
        return None
    try:
        return SpotOutcome(job.number, start.finish_root(found))
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)


def _finished(job: SpotJob, run: SpotRun, start: SpotStart) -> SpotOutcome:
    try:
        return SpotOutcome(job.number, start.finish(SpotSolution.of(run)))
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)
