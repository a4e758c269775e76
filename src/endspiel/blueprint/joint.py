"""How likely two hands' buckets meet, and which of them wins: matrices over pairs of buckets.

Everything is counted on the river, over every board up to suits and every pair of hands on it. A
bucket with perfect recall has one bucket before it, so the matrices of earlier streets are sums
of the river's: of chances for folds, of showdowns for hands that are all-in.
"""

import hashlib
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from endspiel import files
from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.errors import AbstractionError
from endspiel.blueprint.joint_kernels import count_turn_boards
from endspiel.cards.deck import hand_cards
from endspiel.cards.streets import STREETS
from endspiel.cards.strength_tables import strength_tables
from endspiel.checking import read_record, take
from endspiel.errors import FileError, Stopped
from endspiel.interrupts import noticed
from endspiel.kernels.arrays import Floats, Ints, UInt16s
from endspiel.progress import Observe, Progress, unobserved
from endspiel.solvers.memory import check_memory

KIND: Final = "joint bucket counts"
STAGE: Final = "pairs of buckets"
PIECE: Final = 64  # turn boards that a thread counts at a time
SAVE_EVERY: Final = 120.0  # seconds


@dataclass(frozen=True, eq=False)
class Joint:
    """Pairs of hands by their river buckets, the same for both players."""

    halves: Ints  # [K, K] 2 for each deal in which the row's hand wins, 1 for each tie
    parents: tuple[Ints, ...]  # of the flop's, turn's and river's buckets: [K] each

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many buckets each street has, preflop first."""
        return int(self.parents[0][-1]) + 1, *(len(parents) for parents in self.parents)

    @cached_property
    def deals(self) -> int:
        """How many ordered pairs of hands on boards were counted."""
        return int(self.halves.sum())

    def street(self, street: int, dtype: type[np.floating] = np.float64) -> tuple[Floats, Floats]:
        """Chance [K, K] of two buckets on a street, and the same times 1, 0 or -1 for who wins."""
        counts = self.halves
        for parents in reversed(self.parents[street:]):
            counts = _sum_rows(_sum_rows(counts, parents).T, parents).T
        chance, showdown = np.empty(counts.shape, dtype), np.empty(counts.shape, dtype)
        share = 0.5 / self.deals
        for row in range(len(counts)):  # row by row: the matrices are large enough
            won, lost = counts[row], counts[:, row]
            chance[row] = (won + lost) * share
            showdown[row] = (won - lost) * share
        return chance, showdown


def _sum_rows(counts: Ints, parents: Ints) -> Ints:
    """Rows of the same parent added up; those are side by side."""
    starts = np.flatnonzero(np.diff(parents, prepend=-1))
    total: Ints = np.add.reduceat(counts, starts, axis=0)
    return total


def fingerprint(abstraction: Abstraction) -> str:
    """A short hash of everything that decides a hand's bucket; compact or not, it is the same."""
    digest = hashlib.blake2b(digest_size=12)
    digest.update(repr(abstraction.plan.record()).encode())
    boards = abstraction.boards
    parts: dict[str, NDArray[Any]] = {"flops": boards.flops, "weight": boards.flop_weight}
    for name in STREETS:
        for part, array in getattr(abstraction, name).arrays().items():
            if (name, part) != ("turn", "buckets"):
                parts[f"{name}.{part}"] = array
    for name, array in parts.items():
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def count_joint(
    abstraction: Abstraction,
    path: Path | None = None,
    threads: int = 1,
    progress: Observe = unobserved,
    save_every: float = SAVE_EVERY,
) -> Joint:
    """Count the pairs of buckets of an abstraction, or read them from the file if they are there.

    The file is also written on the way, and when Ctrl-C ends the counting: a run that was stopped
    goes on where it was.
    """
    _check_recall(abstraction)
    size, num_rows = abstraction.sizes[3], len(abstraction.boards.turns)
    check_memory(
        8 * size * size * (threads + 1),
        None,
        f"counting pairs of {size:,} buckets",
        "take fewer threads",
    )
    wanted = {"abstraction": fingerprint(abstraction), "boards": num_rows}
    done, halves = _load(path, wanted, size)
    if halves is None:
        halves = np.zeros((size, size), np.int64)
    if done < num_rows:
        rows = _Rows(abstraction, threads, halves)
        saved = time.monotonic()
        with noticed() as interrupted:
            while done < num_rows and not interrupted.is_set():
                progress(Progress(STAGE, done, num_rows))
                done = rows.count(done)
                late = time.monotonic() - saved >= save_every
                if path is not None and (done == num_rows or late or interrupted.is_set()):
                    files.save(path, KIND, wanted | {"done": done}, {"halves": rows.total()})
                    saved = time.monotonic()
        if done < num_rows:
            raise Stopped(_kept(path, done / num_rows))
        progress(Progress(STAGE, num_rows, num_rows))
        halves = rows.total()
    return Joint(halves, tuple(abstraction.parents(street) for street in (1, 2, 3)))


def _kept(path: Path | None, share: float) -> str:
    """What is left of a count that was stopped."""
    if path is None:
        return "stopped while pairs of buckets were counted; they are not kept in a file"
    return f"stopped; {100 * share:.0f}% of the pairs of buckets are counted and kept in {path}"


def sample_joint(abstraction: Abstraction, boards: int, seed: int) -> Joint:
    """Count some turn boards drawn by their chance, with all their rivers: seconds of work.

    Pairs of buckets that meet rarely may be missing.
    """
    _check_recall(abstraction)
    size, turns = abstraction.sizes[3], abstraction.boards
    check_memory(8 * size * size, None, f"counting pairs of {size:,} buckets", "take fewer buckets")
    drawn = np.random.default_rng(seed).choice(
        len(turns.turns), boards, p=turns.turn_weight / turns.turn_weight.sum()
    )
    rows, times = np.unique(drawn, return_counts=True)
    halves = np.zeros((size, size), np.int64)
    counter = _Rows(abstraction, 1, halves)
    for row, weight in zip(rows.tolist(), times.astype(np.int64), strict=True):
        counter.add(row, row + 1, np.array([weight]), halves)
    return Joint(halves, tuple(abstraction.parents(street) for street in (1, 2, 3)))


def _check_recall(abstraction: Abstraction) -> None:
    if not abstraction.plan.perfect_recall:
        raise AbstractionError(
            f"abstraction {abstraction.plan.name} has imperfect recall: joint matrices need "
            "perfect recall, public chance sampling does not"
        )


class _Counted(msgspec.Struct):
    """The record of a file of counts."""

    abstraction: str
    boards: int
    done: int

    def wanted(self) -> dict[str, Any]:
        """What decides whether the counts are those of an abstraction."""
        return {"abstraction": self.abstraction, "boards": self.boards}


def _load(path: Path | None, wanted: dict[str, Any], size: int) -> tuple[int, Ints | None]:
    """Turn boards counted so far, and their counts [size, size], where the file has them.

    A damaged file is reported, as counting takes minutes.
    """
    if path is None:
        return 0, None
    files.remove_leftovers(path)
    if not path.exists():
        return 0, None
    try:
        record, arrays = files.load(path, KIND)
        about = read_record(record, _Counted)
        if about.wanted() != wanted:
            return 0, None  # of another abstraction
        halves = take(arrays, "halves", np.int64, (size, size), 0)
        if not 0 <= about.done <= about.boards:
            raise FileError(f"it has counted {about.done} of {about.boards} boards")
    except FileError as error:
        told = str(error) if str(path) in str(error) else f"{path}: {error}"
        warnings.warn(f"{told}; the pairs of buckets are counted again", stacklevel=3)
        return 0, None
    return about.done, halves


class _Rows:
    """Counts turn boards on several threads, each into its own matrix."""

    def __init__(self, abstraction: Abstraction, threads: int, halves: Ints) -> None:
        self.abstraction = abstraction
        self.counts = [halves, *(np.zeros_like(halves) for _ in range(threads - 1))]
        self.pool = ThreadPoolExecutor(threads)

    def count(self, start: int) -> int:
        """Count the next boards; where to go on."""
        end = min(start + PIECE * len(self.counts), len(self.abstraction.boards.turns))
        bounds = np.linspace(start, end, len(self.counts) + 1).astype(int)
        list(self.pool.map(self._piece, bounds[:-1], bounds[1:], self.counts))
        return end

    def total(self) -> Ints:
        """What all threads counted."""
        total = self.counts[0]
        for counts in self.counts[1:]:
            total += counts
            counts[:] = 0
        return total

    def _piece(self, start: int, end: int, out: Ints) -> None:
        self.add(start, end, self.abstraction.boards.turn_weight[start:end], out)

    def add(self, start: int, end: int, weight: Ints, out: Ints) -> None:
        """Add the counts of some boards, with multiplicities [end - start]: [K, K]."""
        boards, river = self.abstraction.boards, self.abstraction.river
        count_turn_boards(
            strength_tables(7),
            (boards.turns[start:end], weight),
            hand_cards(),
            self._nodes(start, end),
            (river.first, river.limit),
            out,
        )

    def _nodes(self, start: int, end: int) -> UInt16s:
        """Buckets of the turn: [end - start, 1326]."""
        if not self.abstraction.is_compact:
            return self.abstraction.turn.buckets.reshape(-1, len(hand_cards()))[start:end]
        turns = self.abstraction.boards.turns[start:end]
        return np.stack([self.abstraction.board_buckets(turn.tolist()) for turn in turns])
