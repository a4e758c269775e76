"""Tables behind the suit-isomorphic index; ``isomorphism`` explains the words and the numbering."""

from functools import cache
from itertools import groupby, product
from math import comb, prod

import numpy as np

from endspiel.arrays import Ints
from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS
from endspiel.cards.isomorphism_kernels import RoundTables, fill_slots
from endspiel.errors import CardError

_MAX_DEALS = 1 << 63  # classes then stay below 2^60, and the kernels' products inside int64
_MAX_LANE = 1 << 16  # codes and arrangement numbers live in 16-bit lanes, one per suit
_COARSE_CELLS = 1 << 12

Family = tuple[int, ...]  # the codes of four shapes, ascending


@cache
def round_tables(groups: tuple[int, ...]) -> RoundTables:
    """Tables of one tuple of groups."""
    _check_groups(groups)
    weights = np.cumprod([1, *_radices(groups)])[:-1]
    shapes = _shapes(groups)
    families = sorted(_families(groups, weights.tolist(), shapes))
    runs, strides = _runs(families, shapes)
    offset = np.cumsum([0, *runs[:, :, 2].prod(axis=1)])
    shift = max(0, int(offset[-1]).bit_length() - _COARSE_CELLS.bit_length())
    cells = np.arange((int(offset[-1]) >> shift) + 2) << shift
    arrangements = [_arrangements(shape) for shape in shapes]
    starts = np.cumsum([0, *map(len, arrangements)])[:-1]
    return RoundTables(
        groups=np.stack([groups, weights], axis=1),
        slots=_hash(runs[:, :, 0], np.column_stack([offset[:-1], strides])),
        offset=offset,
        coarse=np.searchsorted(offset[:-1], cells, side="right") - 1,
        coarse_shift=shift,
        runs=runs,
        shapes=np.stack([[sum(shape) for shape in shapes], starts], axis=1),
        arrangements=np.concatenate(arrangements),
    )


def _check_groups(groups: tuple[int, ...]) -> None:
    """Refuse groups that no deck can deal, or whose index or tables would not fit."""
    named = "|".join(map(str, groups))
    if not groups or min(groups) < 1:
        raise CardError(f"an index needs groups of one card or more, got {named or 'none'}")
    if sum(groups) > NUM_CARDS:
        raise CardError(f"groups {named} take {sum(groups)} cards, the deck has {NUM_CARDS}")
    left = [NUM_CARDS - sum(groups[:at]) for at in range(len(groups))]
    deals = prod(comb(cards, size) for cards, size in zip(left, groups, strict=True))
    if deals > _MAX_DEALS:
        raise CardError(f"groups {named} can be dealt in {deals} ways, more than an index can hold")
    if (
        prod(_radices(groups)) > _MAX_LANE
        or max(_num_arrangements(shape) for shape in _shapes(groups)) > _MAX_LANE
    ):
        raise CardError(f"groups {named} split a suit in too many ways: try fewer, larger groups")


def _radices(groups: tuple[int, ...]) -> list[int]:
    """How many counts of each group's cards one suit can have."""
    return [min(size, NUM_RANKS) + 1 for size in groups]


@cache
def _shapes(groups: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Counts per group that every code stands for, the first group its lowest digit."""
    digits = product(*(range(radix) for radix in reversed(_radices(groups))))
    return [counts[::-1] for counts in digits]


def _num_arrangements(shape: tuple[int, ...]) -> int:
    """Ways to split a suit's sorted ranks among the groups; none if the suit lacks the ranks."""
    if sum(shape) > NUM_RANKS:
        return 0
    return prod(comb(sum(shape[: at + 1]), count) for at, count in enumerate(shape))


def _families(
    groups: tuple[int, ...], weights: list[int], shapes: list[tuple[int, ...]]
) -> set[Family]:
    """Sorted shapes of the four suits over all deals, grown one group at a time."""
    families: set[Family] = {(0,) * NUM_SUITS}
    for size, weight in zip(groups, weights, strict=True):
        splits = [
            (a, b, c, size - a - b - c)
            for a, b, c in product(range(min(size, NUM_RANKS) + 1), repeat=3)
            if 0 <= size - a - b - c <= NUM_RANKS
        ]
        families = {
            tuple(sorted(code + weight * count for code, count in zip(family, split, strict=True)))
            for family in families
            for split in splits
        }
        families = {family for family in families if _fits(family, shapes)}
    return families


def _fits(family: Family, shapes: list[tuple[int, ...]]) -> bool:
    return all(sum(shapes[code]) <= NUM_RANKS for code in family)


def _runs(families: list[Family], shapes: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Code, run length and run size [F, 4, 3] (0 and 1 inside a run), and strides [F, 4].

    A suit's stride is the product of the sizes of the runs before its own.
    """
    runs = np.tile(np.array([0, 0, 1]), (len(families), NUM_SUITS, 1))
    strides = np.ones((len(families), NUM_SUITS), dtype=np.int64)
    for row, family in enumerate(families):
        runs[row, :, 0] = family
        at, stride = 0, 1
        for code, equal in groupby(family):
            length = len(list(equal))
            holdings = _num_arrangements(shapes[code]) * comb(NUM_RANKS, sum(shapes[code]))
            size = comb(holdings + length - 1, length)
            runs[row, at, 1:] = length, size
            strides[row, at : at + length] = stride
            at, stride = at + length, stride * size
    return runs, strides


def _hash(codes: Ints, entries: Ints) -> Ints:
    """Open-addressing hash from a family's codes [F, 4] to its entry [F, 5]: [H, 6]."""
    slots = np.full((1 << (4 * len(codes)).bit_length(), 6), -1, dtype=np.int64)
    fill_slots(codes, entries, slots)
    return slots


def _arrangements(shape: tuple[int, ...]) -> Ints:
    """Arrangements of one shape in the order the kernels number them: [A]."""
    if not _num_arrangements(shape):
        return np.empty(0, dtype=np.int64)
    labels = np.empty((1, 0), dtype=np.uint8)  # [arrangements so far, ranks so far]
    for group, count in enumerate(shape):
        if not count:
            continue
        # Each arrangement so far, once per choice of ranks for the new cards among all ranks.
        sources = _sources(labels.shape[1] + count, count)
        column = np.full((len(labels), 1), group, dtype=np.uint8)
        labels = np.hstack([labels, column])[:, sources].reshape(-1, sources.shape[1])
    packed = np.zeros(len(labels), dtype=np.int64)
    for at in range(labels.shape[1]):
        packed |= labels[:, at].astype(np.int64) << (4 * at)
    return packed


@cache
def _sources(total: int, count: int) -> Ints:
    """Where each sorted rank comes from, per colexicographic choice of new ones: [C, total].

    An old rank comes from its place among the old ones, a new rank from one past their end.
    """
    sets = np.arange(1 << total)
    sets = sets[np.bitwise_count(sets) == count]
    new = (sets[:, None] >> np.arange(total)) & 1
    return np.where(new, total - count, np.cumsum(1 - new, axis=1) - 1)
