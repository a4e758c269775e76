"""A perfect index of deals up to a relabeling of suits: hole cards, boards and both together.

Two deals are the same to poker when a permutation of the four suits turns one into the other. The
index numbers the classes 0, 1, 2, ... without gaps, in the spirit of Waugh, "A Fast and Optimal
Hand Isomorphism Algorithm" (2013). The words:

group    cards that arrive together, so that their order means nothing (2 | 3 | 1 | 1)
shape    how many cards of each group one suit holds, e.g. (1, 2, 0, 1); coded in mixed radix
suit     one suit's holding: its set of ranks (colexicographic among C(13, n)) and its arrangement,
         i.e. which of those ranks, in order, belong to which group (a multinomial number)
family   the four shapes of a deal, sorted; a class belongs to exactly one family
run      suits of one family that share a shape; being interchangeable they are a multiset of suit
         indices x1 <= x2 <= ..., numbered C(x1, 1) + C(x2 + 1, 2) + C(x3 + 2, 3) + ...

An index is its family's offset plus the numbers of its runs in mixed radix.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, groupby, permutations, product
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.arrays import Ints, UInt8s, UInt64s
from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS, hand_cards
from endspiel.cards.isomorphism_kernels import RoundTables, fill_slots, index_deals, unindex_deals
from endspiel.cards.text import format_cards
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


STREET_CARDS = (2, 3, 1, 1)  # hole cards, flop, turn, river


class Indexer:
    """Numbers deals of the given groups of cards up to a relabeling of suits, and back.

    Deals are rows of cards in the order of the groups; the order inside a group does not matter.
    """

    def __init__(self, groups: Sequence[int]) -> None:
        self.groups = tuple(int(size) for size in groups)
        self._tables = round_tables(self.groups)
        self._rounds = tuple(
            round_tables(self.groups[:end]) for end in range(1, len(self.groups) + 1)
        )
        self.num_cards = sum(self.groups)

    def __repr__(self) -> str:
        return f"Indexer({self.groups})"

    def size(self, round: int = -1) -> int:
        """How many classes there are once groups 0..round are dealt; all groups by default."""
        if not -len(self._rounds) <= round < len(self._rounds):
            raise CardError(f"groups {self._named()} have no round {round}")
        return int(self._rounds[round].offset[-1])

    def index(self, cards: Sequence[int]) -> int:
        """Number of one deal's class."""
        return int(self.index_batch(np.asarray(cards)[None])[0])

    def unindex(self, index: int) -> tuple[int, ...]:
        """The canonical deal of a class: clubs hold the most, every group ascends."""
        if not 0 <= index < self.size():
            raise self._outside(f"index {index}")
        return tuple(self.unindex_batch([index])[0].tolist())

    def index_batch(self, cards: ArrayLike) -> UInt64s:
        """Numbers [N] of the classes of deals [N, n]."""
        deals = self._deals(cards)
        out = np.empty(len(deals), dtype=np.uint64)
        self._check(deals, index_deals(deals, self._tables, out))
        return out

    def index_rounds_batch(self, cards: ArrayLike) -> UInt64s:
        """Numbers [N, groups] of deals [N, n] after each group."""
        deals = self._deals(cards)
        out = np.empty((len(self.groups), len(deals)), dtype=np.uint64)
        # The tables of a round read only the cards that have come by then.
        for tables, numbers in zip(self._rounds, out, strict=True):
            self._check(deals, index_deals(deals, tables, numbers))
        return out.T

    def unindex_batch(self, indices: ArrayLike) -> UInt8s:
        """Canonical deals [N, n] of classes [N]."""
        numbers = np.asarray(indices)
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            raise CardError(
                f"indices must be a list of integers, not {numbers.dtype} of shape {numbers.shape}"
            )
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.size()):
            outside = np.flatnonzero((numbers < 0) | (numbers >= self.size()))
            raise self._outside(f"index {numbers[outside[0]]} at position {outside[0]}")
        out = np.empty((len(numbers), self.num_cards), dtype=np.uint8)
        unindex_deals(np.ascontiguousarray(numbers, np.uint64), self._tables, out)
        return out

    def orbit_sizes(self, cards: ArrayLike) -> UInt8s:
        """How many deals (1..24) are in the class of each deal [N, n]."""
        self.index_batch(cards)  # for its checks
        deals = np.asarray(cards, dtype=np.int64)
        starts = np.cumsum((0, *self.groups[:-1]))
        suits = [  # ranks of each group, as sets, that each suit holds: four [N, groups]
            np.add.reduceat((deals % NUM_SUITS == suit) << (deals // NUM_SUITS), starts, axis=1)
            for suit in range(NUM_SUITS)
        ]
        pairs = sum((a == b).all(axis=1).astype(np.int64) for a, b in combinations(suits, 2))
        # By equal pairs (4 and 5 cannot be): 24 over the relabelings that change nothing.
        orbits: UInt8s = np.array([24, 12, 6, 4, 0, 0, 1], dtype=np.uint8)[pairs]
        return orbits

    def _named(self) -> str:
        return "|".join(map(str, self.groups))

    def _outside(self, what: str) -> CardError:
        last = self.size() - 1
        return CardError(f"{what} is not in 0..{last}, the classes of groups {self._named()}")

    def _deals(self, cards: ArrayLike) -> UInt8s:
        """Rows of the right length whose entries fit a byte; the kernels check the rest."""
        deals = np.asarray(cards)
        if deals.ndim != 2 or deals.shape[1] != self.num_cards:
            count = deals.shape[-1] if deals.ndim else 0
            raise CardError(
                f"a deal of groups {self._named()} has {self.num_cards} cards, got {count} "
                f"(array of shape {deals.shape})"
            )
        if deals.dtype == np.uint8:
            return np.ascontiguousarray(deals)
        if deals.size and deals.dtype.kind not in "iu":
            raise CardError(f"cards must be integers 0..{NUM_CARDS - 1}, not {deals.dtype}")
        outside = (deals < 0) | (deals >= NUM_CARDS)
        if outside.any():
            self._check(deals, int(np.flatnonzero(outside.any(axis=1))[0]))
        return deals.astype(np.uint8)

    def _check(self, deals: NDArray[np.integer], bad_row: int) -> None:
        """Say what is wrong with the row that a kernel refused, if it refused one."""
        if bad_row < 0:
            return
        row = deals[bad_row].tolist()
        for at, card in enumerate(row):
            if not 0 <= card < NUM_CARDS:
                raise CardError(f"{card} in deal {bad_row} is no card: cards are 0..51")
            if card in row[:at]:
                raise CardError(f"card {format_cards([card])} is repeated in deal {bad_row}")


@cache
def perfect_recall(street: int) -> Indexer:
    """Deals up to a street (0 preflop .. 3 river) that remember which card came when."""
    return Indexer(STREET_CARDS[: _street(street) + 1])


@cache
def hole_and_board(street: int) -> Indexer:
    """Hole cards and the board as one set, on a street (0 preflop .. 3 river)."""
    board = sum(STREET_CARDS[1 : _street(street) + 1])
    return Indexer((STREET_CARDS[0], board) if board else STREET_CARDS[:1])


@cache
def canonical_boards(num_cards: int) -> tuple[UInt8s, NDArray[np.int64]]:
    """Boards [B, n] that differ by more than suits, and how many boards each stands for [B]."""
    indexer = Indexer((num_cards,))
    boards = indexer.unindex_batch(np.arange(indexer.size(), dtype=np.uint64))
    multiplicity = indexer.orbit_sizes(boards).astype(np.int64)
    boards.flags.writeable = multiplicity.flags.writeable = False
    return boards, multiplicity


def canonical_flops() -> tuple[UInt8s, NDArray[np.int64]]:
    """The 1,755 flops that differ by more than suits [1755, 3], and their multiplicities [1755]."""
    return canonical_boards(3)


@cache
def suit_permutations() -> UInt8s:
    """Every relabeling of suits, identity first: [24, 4], new suit of each old one, read-only."""
    table = np.array(list(permutations(range(NUM_SUITS))), dtype=np.uint8)
    table.flags.writeable = False
    return table


def renamed_cards(cards: NDArray[np.integer]) -> NDArray[np.int64]:
    """Cards [...] by every relabeling of suits: [24, ...]."""
    suits = suit_permutations().astype(np.int64)
    return cards - cards % NUM_SUITS + suits[:, cards % NUM_SUITS]


@cache
def hand_permutations() -> NDArray[np.uint16]:
    """Hand index that each relabeling of suits makes of each hand: [24, 1326], read-only."""
    moved = renamed_cards(hand_cards().astype(np.int64))  # [24, 1326, 2]
    low, high = moved.min(axis=2), moved.max(axis=2)
    table: NDArray[np.uint16] = (high * (high - 1) // 2 + low).astype(np.uint16, "C")
    table.flags.writeable = False
    return table


def _street(street: int) -> int:
    if street not in range(len(STREET_CARDS)):
        raise CardError(f"street {street} is not in 0..3 (preflop, flop, turn, river)")
    return street
