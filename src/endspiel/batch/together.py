"""Spots solved together on one machine, a GPU say, with threads beside it."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from sys import getswitchinterval, setswitchinterval
from threading import Condition
from typing import NamedTuple

from endspiel.batch.spot_jobs import SpotJob, SpotOutcome, SpotOutcomes, SpotStart
from endspiel.errors import EndspielError
from endspiel.gpu.backend import Maker
from endspiel.solvers.memory import SHARE
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot
from endspiel.solving.streams import Make, RootRun, Together, check_room, same_run

SWITCH = 1e-4  # seconds after which a thread hands on Python's lock while a machine runs beside
BUSY = 16_000  # boards that keep a GPU busy: those that are done early run on with the others


class SpotsTogether:
    """One machine that solves many spots in one batch: as many as keep it busy, and as fit.

    Spots are prepared ahead, and solutions finished, in threads beside it; while a batch runs, the
    next one is set up.
    """

    def __init__(self, maker: Maker, free: Callable[[], int], workers: int = 1) -> None:
        self.maker, self.free, self.workers = maker, free, workers

    def solve(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        """See `BatchBackend`."""
        with _switching_often(), ThreadPoolExecutor(self.workers) as pool:
            room = _Room(int(SHARE * self.free()))
            drawn = _Drawn(jobs, start, (pool, self.workers), room.size)
            setting_up = _SettingUp(self.maker, drawn, room)
            finishing = _Finishing(start, pool, self.workers)
            try:
                while (batch := setting_up.next()) is not None:
                    yield from batch.failed
                    for group in batch.groups:
                        _run(group, finishing)
                        room.give_back(group.size)
                        yield from finishing.done()
                yield from finishing.rest()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                setting_up.close()


@contextmanager
def _switching_often() -> Iterator[None]:
    """Hand Python's lock soon to a thread that waits, after a call of the driver for example."""
    before = getswitchinterval()
    setswitchinterval(SWITCH)
    try:
        yield
    finally:
        setswitchinterval(before)


class _Group(NamedTuple):
    """Spots of one method and target: set up, or the reason why they cannot be."""

    jobs: list[SpotJob]
    together: Together | Exception
    size: int  # bytes on the machine


class _Batch(NamedTuple):
    """What is run next."""

    groups: list[_Group]
    failed: list[SpotOutcome]  # those that could not be prepared


class _SettingUp:
    """Batches set up by a thread, one ahead of the one that runs."""

    def __init__(self, maker: Maker, drawn: "_Drawn", room: "_Room") -> None:
        self.maker, self.drawn, self.room = maker, drawn, room
        self.limits = drawn.start.how.limits
        self._thread = ThreadPoolExecutor(1)
        self._ahead: Future[_Batch | None] = self._thread.submit(self._set_up)

    def next(self) -> _Batch | None:
        """The batch that was set up, if there was anything left; the next is begun."""
        found = self._ahead.result()
        if found is not None:
            self._ahead = self._thread.submit(self._set_up)
        return found

    def _set_up(self) -> _Batch | None:
        if not self.drawn.fill():
            return None
        groups: dict[tuple[str, float | None], list[tuple[SpotJob, PreparedSpot, int]]] = {}
        for entry in self.drawn.taken():
            groups.setdefault(same_run(entry[1], self.limits), []).append(entry)
        return _Batch([self._group(group) for group in groups.values()], self.drawn.failed())

    def _group(self, group: list[tuple[SpotJob, PreparedSpot, int]]) -> _Group:
        jobs, size = [job for job, _, _ in group], sum(size for _, _, size in group)
        self.room.take(size)
        try:
            together = Together([task for _, task, _ in group], self.limits, self.maker)
        except Exception as error:  # it is that of every spot of the group
            return _Group(jobs, error, size)
        return _Group(jobs, together, size)

    def close(self) -> None:
        """End it; what was set up and never run goes."""
        self.room.close()
        self._thread.shutdown(cancel_futures=True)
        if self._ahead.cancelled() or self._ahead.exception():
            return
        left = self._ahead.result()
        for group in left.groups if left is not None else ():
            if isinstance(group.together, Together):
                group.together.backend.close()


class _Room:
    """The machine's memory, shared by the batch that runs and the one that is set up."""

    def __init__(self, size: int) -> None:
        self.size, self._held, self._closed = size, 0, False
        self._changed = Condition()

    def take(self, size: int) -> None:
        """Wait until there is room; what is larger than all of it has it alone."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or not self._held or self._held + size <= self.size
            )
            if self._closed:
                raise EndspielError("the batch was ended")
            self._held += size

    def give_back(self, size: int) -> None:
        """Let others have it."""
        with self._changed:
            self._held -= size
            self._changed.notify_all()

    def close(self) -> None:
        """Wait no more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _run(group: _Group, finishing: "_Finishing") -> None:
    """Solve spots that are set up."""
    jobs, start = group.jobs, finishing.start
    left = {job.number for job in jobs}

    def finish(number: int, make: Make) -> None:
        left.remove(jobs[number].number)
        finishing.begin(jobs[number], make)

    def finish_root(number: int, found: RootRun) -> None:
        left.remove(jobs[number].number)
        finishing.begin_root(jobs[number], found)

    try:
        if isinstance(group.together, Exception):
            raise group.together
        by_root = None if start.finish_root is None else finish_root
        group.together.run(finish, by_root, start.by_hand)
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
        """Run a spot whose root suffices."""
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
        beside: tuple[ThreadPoolExecutor, int],  # threads, and how many
        room: int,
    ) -> None:
        self.jobs, self.start, self.room = jobs, start, room
        self.pool, self.ahead = beside
        self._preparing: deque[tuple[SpotJob, Future[PreparedSpot]]] = deque()
        self._waiting: tuple[SpotJob, PreparedSpot, int] | None = None
        self._taken: list[tuple[SpotJob, PreparedSpot, int]] = []
        self._failed: list[SpotOutcome] = []

    def fill(self) -> bool:
        """Draw what fits into half the room, or one spot; whether there was anything."""
        left, boards = self.room // 2, 0
        while boards < BUSY:
            entry = self._waiting or self._next()
            if entry is None:
                break
            _, task, size = entry
            self._waiting = entry
            if size > left and self._taken:
                break
            self._waiting = None
            self._taken.append(entry)
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

    def _next(self) -> tuple[SpotJob, PreparedSpot, int] | None:
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

    def taken(self) -> list[tuple[SpotJob, PreparedSpot, int]]:
        """The jobs drawn and what they take, which are then gone."""
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
    """Finish a spot whose root suffices."""
    assert start.finish_root is not None
    if found.stopped == "interrupted":
        return None
    try:
        return SpotOutcome(job.number, start.finish_root(found))
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)


def _finished(job: SpotJob, found: SpotSolution, start: SpotStart) -> SpotOutcome:
    try:
        return SpotOutcome(job.number, start.finish(found))
    except Exception as error:  # whatever it is, the other spots are none of its business
        return SpotOutcome(job.number, None, error)
