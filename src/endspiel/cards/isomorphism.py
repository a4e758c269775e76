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
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.arrays import UInt8s, UInt64s
from endspiel.cards.deck import NUM_CARDS, NUM_SUITS, hand_cards
from endspiel.cards.isomorphism_kernels import index_deals, unindex_deals
from endspiel.cards.isomorphism_tables import round_tables
from endspiel.cards.text import format_cards
from endspiel.errors import CardError

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
