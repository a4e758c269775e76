"""Exact preflop counts of every hand against every other, shipped as a small table.

Two hands without a common card meet on C(48, 5) = 1,712,304 boards. Up to the names of the suits
and the order of the two hands there are 47,008 such pairs, and the data file holds the wins and
ties of each. ``python -m endspiel.cards.preflop`` makes the file again from nothing.
"""

from ctypes import c_int64
from functools import cache
from importlib import resources
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Int32s
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, NUM_SUITS, hand_cards
from endspiel.cards.removal import conflicts
from endspiel.cards.run_outs import MOST_BOARDS, count_wins
from endspiel.errors import FileError
from endspiel.native.boundary import pointer
from endspiel.native.library import function

NUM_BOARDS = 1_712_304  # C(48, 5), the boards two given hands can meet on
NUM_PAIR_CLASSES = 47_008


class PreflopCounts(NamedTuple):
    """On how many of 1,712,304 boards each hand beats and ties each other; 0 for conflicts."""

    win: Int32s  # [1326, 1326] row beats column
    tie: Int32s  # [1326, 1326] symmetric


class PairClasses(NamedTuple):
    """Pairs of hands up to suits and order, numbered by their first pair in row-major order."""

    number: Int32s  # [1326, 1326] class of each pair, -1 where the hands share a card
    forward: NDArray[np.bool_]  # [1326, 1326] whether the row plays the class's first hand
    pairs: Int32s  # [47008, 2] the pair that names each class


@cache
def preflop_counts() -> PreflopCounts:
    """The shipped table, unfolded from its classes: read-only matrices."""
    with resources.as_file(resources.files("endspiel.cards") / "data" / "preflop.npz") as path:
        return load_preflop_counts(path)


def load_preflop_counts(path: Path) -> PreflopCounts:
    """A table that ``save_preflop_counts`` wrote."""
    try:
        # Opened here: NumPy leaves a file open that turns out to be no archive.
        with path.open("rb") as file, np.load(file) as stored:
            win, tie = stored["win"].astype(np.int32), stored["tie"].astype(np.int32)
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise FileError(f"the preflop table {path} cannot be read: {error}") from None
    if win.shape != (NUM_PAIR_CLASSES,) or tie.shape != win.shape:
        raise FileError(f"the preflop table {path} does not have {NUM_PAIR_CLASSES} classes")
    return _unfold(win, tie)


@cache
def preflop_table() -> NDArray[np.float64]:
    """Equity of the row's hand against the column's: [1326, 1326], NaN where they share a card."""
    win, tie = preflop_counts()
    equity = (win + tie / 2) / NUM_BOARDS
    equity[conflicts()] = np.nan
    equity.flags.writeable = False
    return equity


def compute_preflop_counts() -> PreflopCounts:
    """Compute the matrices from all boards: some ten seconds.

    One board of each kind up to suits is dealt, and counts for all of its kind. To rename a board
    is to rename the hands, so the mean of the result over the 24 renamings is what dealing all
    2,598,960 boards would have given.
    """
    boards, multiplicity = _boards_up_to_suits()
    dealt = np.zeros((NUM_HANDS, NUM_HANDS), np.int64)
    for times in np.unique(multiplicity):
        alike = boards[multiplicity == times]
        for start in range(0, len(alike), MOST_BOARDS):
            dealt += times * count_wins(alike[start : start + MOST_BOARDS]).astype(np.int64)
    total = np.zeros_like(dealt)
    for renamed in _renamed_hands():
        total += dealt[np.ix_(renamed, renamed)]
    win = np.where(conflicts(), 0, total // 24).astype(np.int32)
    tie = np.where(conflicts(), 0, NUM_BOARDS - win - win.T).astype(np.int32)
    return PreflopCounts(win, tie)


def save_preflop_counts(counts: PreflopCounts, path: Path) -> None:
    """Write one entry per class of pairs."""
    rows, columns = pair_classes().pairs.T
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {"win": counts.win[rows, columns], "tie": counts.tie[rows, columns]}
    np.savez_compressed(path, **{name: field.astype(np.uint32) for name, field in fields.items()})


@cache
def pair_classes() -> PairClasses:
    """The class of every pair of hands."""
    number = np.full((NUM_HANDS, NUM_HANDS), -1, np.int32)
    forward = np.zeros((NUM_HANDS, NUM_HANDS), np.bool_)
    pairs = np.zeros((NUM_PAIR_CLASSES, 2), np.int32)
    renamed = _renamed_hands()
    count = function("number_pairs", c_int64)(
        pointer(renamed, np.int32, shape=(-1, NUM_HANDS)),
        c_int64(len(renamed)),
        pointer(conflicts(), np.bool_, shape=number.shape),
        c_int64(len(pairs)),
        pointer(number, np.int32, written=True),
        pointer(forward, np.bool_, written=True),
        pointer(pairs, np.int32, written=True),
    )
    return PairClasses(number, forward, pairs[:count])


def _unfold(win: Int32s, tie: Int32s) -> PreflopCounts:
    """Matrices from one entry per class [47008]."""
    number, forward, _ = pair_classes()
    lose = NUM_BOARDS - win - tie
    wins = np.where(forward, win[number], lose[number])
    ties = tie[number]
    for matrix in (wins, ties):
        matrix[conflicts()] = 0
        matrix.flags.writeable = False
    return PreflopCounts(wins, ties)


def _renamed_hands() -> Int32s:
    """What each hand becomes under each renaming of the suits: [24, 1326]."""
    cards = hand_cards().astype(np.int32)
    renamed = np.empty((24, NUM_HANDS), np.int32)
    for at, names in enumerate(permutations(range(NUM_SUITS))):
        suits = np.array(names, np.int32)
        low, high = np.sort(cards // 4 * 4 + suits[cards % 4], axis=1).T
        renamed[at] = high * (high - 1) // 2 + low
    return renamed


def _boards_up_to_suits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """One five-card board of each kind: [134459, 5], and how many boards are of its kind: [134459].

    A renaming of suits permutes the four suits' sets of ranks: boards are of one kind when their
    sorted sets agree.
    """
    every = chain.from_iterable(combinations(range(NUM_CARDS), 5))
    boards = np.fromiter(every, np.uint8).reshape(-1, 5)
    ranks, suits = np.int64(1) << (boards // 4).astype(np.int64), boards % 4
    sets = np.stack([(ranks * (suits == suit)).sum(axis=1) for suit in range(NUM_SUITS)], axis=1)
    kinds = np.sort(sets, axis=1) @ (np.int64(1) << np.arange(0, 52, 13))
    _, first, times = np.unique(kinds, return_index=True, return_counts=True)
    return boards[first], times


def main() -> None:
    """Make the data file again."""
    path = Path(__file__).parent / "data" / "preflop.npz"
    save_preflop_counts(compute_preflop_counts(), path)
    print(f"wrote {path}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
