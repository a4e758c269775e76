"""A batch before it is begun: which spots there are, which are refused, how many fit at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.executor import Executor
from endspiel.games.spot import Spot, load_spot
from endspiel.ledger import key_of
from endspiel.reading import read_bytes
from endspiel.solvers.memory import SHARE, available_memory, format_bytes
from endspiel.solving.spots import PreparedSpot, SpotOptions
from endspiel.solving.task import prepare

SMALL = 50_000_000  # bytes of a solve whose spot is held ready instead of being built again


@dataclass(frozen=True)
class SpotMethod:
    """How every spot of a batch is solved, and until when."""

    method: str | None
    options: SpotOptions
    limits: Limits
    wanted: str = ""  # what of each solution is remembered, where it is not the usual record

    def __post_init__(self) -> None:
        # Ctrl-C ends a batch, not the spot that it is at.
        object.__setattr__(self, "limits", replace(self.limits, keep_on_interrupt=False))

    def prepare(self, spot: Spot) -> PreparedSpot:
        """A spot ready to be solved."""
        return prepare(spot, self.method, self.options)

    def key(self, spot: Spot) -> str:
        """A hash of all that decides what comes of a spot."""
        options, limits = self.options, self.limits
        return key_of(
            (spot.board, spot.pot, spot.stack, spot.sizing, spot.rake, spot.prizes),
            [weights.tobytes() for weights in spot.ranges],
            self.method,
            (limits.target_units, limits.iterations, limits.seconds),
            (options.threads, options.symmetry),
            [(lock, _lock_file(lock)) for lock in options.locks],
            (options.buckets, options.top, options.clustering, self.wanted),
            *([] if options.storage is None else [options.storage]),
        )


def _lock_file(lock: str) -> bytes:
    """The content of the file that a lock names, if it names one."""
    _, named, path = lock.partition("=")
    return read_bytes(path.strip()) if named else b""


@dataclass(frozen=True, eq=False)
class PlannedSpot:
    """One spot of a batch: what it takes and how to make it ready, or why it cannot be solved."""

    name: str
    key: str = ""
    error: str = ""
    memory_bytes: int = 0
    spot: Spot | None = None  # None where nothing is to be done
    held: PreparedSpot | None = None  # the spot ready to be solved, where that takes little memory


def plan_spot(
    given: "GivenSpot",
    name: str,
    how: SpotMethod,
    finished: Callable[[str], bool],
    bound: int | None = None,
) -> PlannedSpot:
    """See what a spot takes, unless it is finished; one that cannot be solved has its error.

    Where a bound is known, in bytes, the spot is not built to tell.
    """
    try:
        spot = given if isinstance(given, Spot) else load_spot(given)
        key = how.key(spot)
        if finished(key):
            return PlannedSpot(name, key)
        if bound is not None:
            return PlannedSpot(name, key, "", bound, spot)
        task = how.prepare(spot)
    except EndspielError as error:
        return PlannedSpot(name, error=str(error))
    held = task if task.memory_bytes < SMALL else None
    return PlannedSpot(name, key, "", task.memory_bytes, spot, held)


GivenSpot = Spot | str | Path


@dataclass(frozen=True)
class MemoryPlan:
    """How many spots are solved side by side, and what that takes."""

    workers: int
    memory_bytes: int
    allowed: int | None = None  # bytes that may be used in all
    note: str = ""  # why there are fewer than asked for


def plan_work(sizes: Sequence[int], executor: Executor, limit: int | None) -> MemoryPlan:
    """How many spots are solved side by side; on a cluster, its nodes' memory decides."""
    if not executor.on_cluster:
        return plan_memory(sizes, executor.size, limit)
    asked = min(executor.size, max(1, len(sizes)))
    return MemoryPlan(asked, sum(sorted(sizes, reverse=True)[:asked]))


def plan_memory(sizes: Sequence[int], workers: int, limit: int | None) -> MemoryPlan:
    """As many spots side by side as were asked for, or as fit if these are the largest ones."""
    asked = min(workers, max(1, len(sizes)))
    largest = sorted(sizes, reverse=True)[:asked]
    allowed = _allowed(limit)
    fitting = asked
    while fitting > 1 and allowed is not None and sum(largest[:fitting]) > allowed:
        fitting -= 1
    note = ""
    if fitting < asked:
        note = (
            f"{asked} spots side by side need {format_bytes(sum(largest))} and "
            f"{format_bytes(allowed or 0)} may be used: {fitting} at a time"
        )
    return MemoryPlan(fitting, sum(largest[:fitting]), allowed, note)


def _allowed(limit: int | None) -> int | None:
    """Bytes that a batch may take in all."""
    if limit is not None:
        return limit
    free = available_memory()
    return None if free is None else int(SHARE * free)
