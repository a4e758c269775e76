"""A batch while it runs: planned ahead, noted as it goes, one result a spot in the given order."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from endspiel.batch.backends import backend
from endspiel.batch.planning import (
    GivenSpot,
    MemoryPlan,
    PlannedSpot,
    SpotMethod,
    plan_spot,
    plan_work,
)
from endspiel.batch.spot_jobs import SpotJob, SpotOutcome, SpotStart
from endspiel.errors import EndspielError
from endspiel.executor import Executor, GivenWorkers, WorkerBug, parse_workers
from endspiel.ledger import Ledger
from endspiel.progress import Halted, Observe, Progress, unhalted, unobserved
from endspiel.solving.devices import check_device
from endspiel.solving.solution import SpotSolution
from endspiel.solving.streams import RootRun


class SpotKeeper(Protocol):
    """Who takes the solutions of a batch."""

    job: ClassVar[str]  # whose ledger has the records
    by_hand: ClassVar[bool]  # whether `finish_root` needs the values of the root's hands

    @property
    def finish(self) -> Callable[[SpotSolution], Any]:
        """What makes of a solution what is wanted of it, where it was found; it can be pickled."""

    @property
    def finish_root(self) -> Callable[[RootRun], Any] | None:
        """The record of a spot's root, where the root suffices; else none."""

    def keep(self, name: str, key: str, found: Any) -> dict[str, Any]:
        """Take what `finish` made, in this process; the record that is to be remembered."""

    def has(self, name: str, key: str) -> bool:
        """Whether all that is wanted of a spot beside its record is still there."""

    def check(self, sizes: list[int]) -> None:
        """Refuse a batch whose solves take more bytes each than there are."""


@dataclass(frozen=True)
class BatchSetting:
    """What a batch may use, and where it notes what is finished."""

    workers: GivenWorkers = None  # spots side by side; by default one a processor
    device: str = "cpu"
    state: Path | None = None  # a file: what is finished in it is not done again
    halted: Halted = unhalted  # a solve that it ends early, by `Limits.halt`, counts as not begun


@dataclass(frozen=True)
class FinishedSpot:
    """What came of one spot: a record, or an error and none."""

    name: str
    key: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    resumed: bool = False  # whether the state had it


class SpotBatch:
    """Spots that are solved by one method; `results` has what is done, also after Ctrl-C."""

    def __init__(self, how: SpotMethod, setting: BatchSetting, keeper: SpotKeeper) -> None:
        self.how, self.setting, self.keeper = how, setting, keeper
        self.results: list[FinishedSpot | None] = []
        self.plan = MemoryPlan(1, 0)
        self.seconds = 0.0  # that the batch has taken

    def run(
        self,
        spots: Sequence[GivenSpot],
        names: Sequence[str],
        observe: Observe = unobserved,
        bound: int | None = None,
        what: str = "spots",
    ) -> None:
        """Solve what is not finished yet; `bound` is what each solve takes at most, if known."""
        begun = time.perf_counter()
        check_device(self.setting.device, not parse_workers(self.setting.workers).address)
        job = {"job": self.keeper.job}
        with Executor(self.setting.workers) as executor, Ledger(self.setting.state, job) as log:
            planned = [
                plan_spot(spot, name, self.how, self._finished(name, log), bound)
                for spot, name in zip(spots, names, strict=True)
            ]
            self.results = [_without_work(one, log) for one in planned]
            sizes = [one.memory_bytes for one in planned if one.spot is not None]
            self.keeper.check(sizes)
            self.plan = plan_work(sizes, executor, self.how.options.memory)
            executor.limit(self.plan.workers, self.plan.allowed)
            observe(self._progress(what, begun, self.plan.note))
            solver = backend(self.setting.device, executor, max(sizes, default=0))
            keeper = self.keeper
            start = SpotStart(self.how, keeper.finish, keeper.finish_root, keeper.by_hand)
            with closing(solver.solve(self._jobs(planned), start)) as outcomes:
                for outcome in outcomes:
                    if self.setting.halted():
                        break
                    done = self._note(outcome, planned[outcome.number], log)
                    note = f"{done.name}: {done.error}" if done.error else ""
                    observe(self._progress(what, begun, note))

    def _finished(self, name: str, log: Ledger) -> Callable[[str], bool]:
        """Whether the spot of a name and a key need not be solved any more."""
        return lambda key: log.get(key) is not None and self.keeper.has(name, key)

    def _jobs(self, planned: list[PlannedSpot]) -> Iterator[SpotJob]:
        """The spots that are to be solved; a prepared job is released once it is drawn."""
        for number, one in enumerate(planned):
            if one.spot is not None:
                planned[number] = PlannedSpot(one.name, one.key)
                yield SpotJob(number, one.spot, one.memory_bytes, one.held)

    def _note(self, outcome: SpotOutcome, spot: PlannedSpot, log: Ledger) -> FinishedSpot:
        """Keep what came of a spot."""
        if outcome.error is None:
            record = self.keeper.keep(spot.name, spot.key, outcome.found)
            log.add(spot.key, record)
            done = FinishedSpot(spot.name, spot.key, record)
        else:
            done = FinishedSpot(spot.name, spot.key, error=sentence(outcome.error))
        self.results[outcome.number] = done
        return done

    def _progress(self, what: str, begun: float, note: str) -> Progress:
        done = [one for one in self.results if one is not None]
        self.seconds = time.perf_counter() - begun
        resumed, failed = sum(one.resumed for one in done), sum(bool(one.error) for one in done)
        return Progress(what, len(done), len(self.results), resumed, failed, note=note)


def _without_work(spot: PlannedSpot, log: Ledger) -> FinishedSpot | None:
    """What is known of a spot before anything is solved, if that is all there is to know."""
    if spot.error:
        return FinishedSpot(spot.name, error=spot.error)
    if spot.spot is not None:
        return None
    return FinishedSpot(spot.name, spot.key, log.get(spot.key) or {}, resumed=True)


def sentence(error: Exception) -> str:
    """Why a spot failed, in one sentence."""
    if isinstance(error, EndspielError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    if isinstance(error, WorkerBug):
        return f"a bug, {error}"
    return f"a bug, {type(error).__name__}: {error}"
