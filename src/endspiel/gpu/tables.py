"""The cards of one street's boards as a batch wants them: places of hands, slots of sums.

A board's hands lie in rows of one width, whatever their number; what is left over is padding, whose
reach is zero. Terminals are evaluated by sums in one vector of slots:

    card lists [ranks, C]   the q-reaches of the hands with each card, weakest first: rank * C + c
    spill                   where padding writes
    main list [per, chunks + 1]   all q-reaches, weakest first, chunk by chunk: each is summed by
                                  one thread

Reaches are scattered to three slots each; exclusive sums are taken in place; and with (lo, hi) the
ranks before and after the hands of equal strength, and n the length of a list, a hand (c, d) of p
with M and L for the main and card lists has

    G = M[n] - Lc[n] - Ld[n]                        unblocked mass, less the same hand
    F = G + r                                       r: q's reach with the same hand
    S = (M[lo] - Lc[lo] - Ld[lo]) + ((M[hi] - Lc[hi] - Ld[hi]) - G)      what wins less what loses

in this order, so that where a hand beats all others S is F, to the last bit: actions that are worth
the same must not differ by rounding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.games.card_tree import Board
from endspiel.kernels.board_arrays import Ints

UInt16s = NDArray[np.uint16]
Int16s = NDArray[np.int16]

WIDTHS = (64, 128, 256, 384, 512, 640, 768, 896, 1088, 1216)  # hands of a row, two a thread
WIDE, NARROW = 1024, 256  # the main list has 64 chunks from the one on, 32 from the other
RANKS = 8  # card lists have room for a multiple of this many hands
STRENGTHS = 1 << 16  # more than there are
ABSENT = 0xFFFF  # a place that a hand does not have


_NO_STRENGTH = np.zeros(NUM_HANDS, dtype=np.uint16)  # before the last street


@dataclass(frozen=True)
class Geometry:
    """How wide rows are, and where each list of sums lies."""

    width: int  # W
    cards: int  # C, cards that the board leaves
    ranks: int  # most hands with one card, and one more

    @property
    def threads(self) -> int:
        """Threads of a block: each has two hands."""
        return self.width // 2

    @property
    def chunks(self) -> int:
        """Parts of the main list, each summed by one thread."""
        if self.width < NARROW:
            return self.width // 8
        return 64 if self.width >= WIDE else 32

    @property
    def per(self) -> int:
        """Hands of a chunk."""
        return self.width // self.chunks

    @property
    def spill(self) -> int:
        """The slot that padding writes to."""
        return self.ranks * self.cards

    @property
    def main(self) -> int:
        """First slot of the main list."""
        return self.spill + 1

    @property
    def slots(self) -> int:
        """All slots."""
        return self.main + self.per * (self.chunks + 1)

    def main_slot(self, rank: Ints) -> Ints:
        """Where each rank of the main list lies; rank W is one more."""
        slot: Ints = self.main + (rank % self.per) * (self.chunks + 1) + rank // self.per
        return slot

    def places(self, count: int) -> Ints:
        """Where the hands of each rank lie in a row: a thread has ranks t and t + threads.

        Neighboring threads then have hands of neighboring strengths, whose slots are in different
        banks of shared memory.
        """
        rank = np.arange(count)
        half = self.threads
        return np.where(rank < half, 2 * rank, 2 * (rank - half) + 1)


def row_width(boards: Sequence[Board]) -> int:
    """The narrowest row that holds the hands of either player on every board."""
    hands = max(len(held) for board in boards for held in board.hands)
    width = next((width for width in WIDTHS if width >= hands), None)
    if width is None:
        raise GameError(f"a board with {hands} hands of one player is too wide for a batch")
    return width


def geometry(boards: Sequence[Board]) -> Geometry:
    """The least that holds the hands of both players on every board."""
    cards = NUM_CARDS - len(boards[0].cards)
    held = (hands for board in boards for hands in board.hands)
    most = max(np.bincount(hand_cards()[hands].ravel(), minlength=1).max() for hands in held)
    ranks = min(cards, -(-(int(most) + 1) // RANKS) * RANKS)
    return Geometry(row_width(boards), cards, ranks)


@dataclass(frozen=True, eq=False)
class StreetTables:
    """One street's boards, side by side; two players first. B boards."""

    geometry: Geometry
    hand: Int16s  # [2, B, W] hand number in each place, -1 for padding
    scatter: UInt16s  # [2, B, 3, W] as q: slots of both cards and of the main list
    gather: UInt16s  # [2, B, 8, W] as p: lo, hi of card c; of d; of the main list; n of c; of d
    same: UInt16s  # [2, B, W] as p: the place of the same hand of q, or ABSENT
    end: UInt16s  # [2, B] as q: the slot of the main list that has the whole sum


def street_tables(boards: Sequence[Board], last: bool, shape: Geometry) -> StreetTables:
    """The tables of boards of one street; strengths count on the last."""
    count, width = len(boards), shape.width
    hand = np.full((2, count, width), -1, dtype=np.int16)
    scatter = np.empty((2, count, 3, width), dtype=np.uint16)
    gather = np.empty((2, count, 8, width), dtype=np.uint16)
    same = np.full((2, count, width), ABSENT, dtype=np.uint16)
    end = np.empty((2, count), dtype=np.uint16)
    for b, board in enumerate(boards):
        strength = board_strengths(board.cards) if last else _NO_STRENGTH
        sides = [_Side(board, player, strength, shape) for player in (0, 1)]
        for p, (own, other) in enumerate((sides, sides[::-1])):
            if p and np.array_equal(own.hands, other.hands):
                for table in (hand, end, scatter, gather, same):
                    table[1, b] = table[0, b]
                break
            hand[p, b, own.place] = own.hands
            end[p, b] = shape.main_slot(np.array([len(own.hands)]))[0]
            scatter[p, b] = own.scatter()
            gather[p, b] = own.gather(other)
            place = other.place_of[own.hands]
            same[p, b, own.place] = np.where(place < 0, ABSENT, place)
    return StreetTables(shape, hand, scatter, gather, same, end)


@cache
def _among_equals() -> Ints:
    """Where each hand [1326] comes among those of equal strength.

    By ranks before suits: this spreads neighbors over the banks of shared memory.
    """
    ranks, suits = hand_cards() >> 2, hand_cards() & 3
    order = np.lexsort((suits[:, 1], suits[:, 0], ranks[:, 1], ranks[:, 0]))
    return np.argsort(order)


class _Side:
    """One player's hands on one board, weakest first."""

    def __init__(self, board: Board, player: int, strength: UInt16s, shape: Geometry) -> None:
        self.shape = shape
        held = board.hands[player]
        order = np.argsort(strength[held].astype(np.int64) * NUM_HANDS + _among_equals()[held])
        self.hands = held[order]
        self.strength = strength[self.hands].astype(np.int64)
        gone = np.bincount(board.cards, minlength=NUM_CARDS)
        live = np.arange(NUM_CARDS) - np.cumsum(gone)  # numbers among the live cards
        self.cards = live[hand_cards()[self.hands]]  # [K, 2]
        self.place = shape.places(len(held))
        self.place_of = np.full(NUM_HANDS, -1, dtype=np.int64)
        self.place_of[self.hands] = self.place
        # All card lists as one: list by list, weakest first; each hand is in two of them.
        listed = np.argsort(self.cards.ravel(), kind="stable")  # [2 K]
        self.listed_card, self.listed_hand = self.cards.ravel()[listed], listed // 2
        self.ends = np.bincount(self.listed_card, minlength=shape.cards)  # [C] n of each card
        self.starts = np.cumsum(self.ends) - self.ends

    def scatter(self) -> Ints:
        """Slots [3, W] that each hand's reach goes to."""
        shape = self.shape
        slots = np.full((3, shape.width), shape.spill)
        card, hand = self.listed_card, self.listed_hand
        slot = (np.arange(len(card)) - self.starts[card]) * shape.cards + card
        for side in (0, 1):
            chosen = self.cards[hand, side] == card
            slots[side, self.place[hand[chosen]]] = slot[chosen]
        slots[2, shape.places(shape.width)] = shape.main_slot(np.arange(shape.width))
        return slots

    def gather(self, other: "_Side") -> Ints:
        """Slots [8, W] of the other's sums that each hand reads."""
        shape = self.shape
        slots = np.full((8, shape.width), shape.main_slot(np.zeros(1, np.int64))[0])
        card, hand = other.listed_card, other.listed_hand
        mine, theirs = self.strength, other.strength
        keys = card * STRENGTHS + theirs[hand]
        for side in (0, 1):
            own = self.cards[:, side]
            sought, first = own * STRENGTHS + mine, other.starts[own]
            lo = np.searchsorted(keys, sought, side="left") - first
            hi = np.searchsorted(keys, sought, side="right") - first
            slots[2 * side, self.place] = lo * shape.cards + own
            slots[2 * side + 1, self.place] = hi * shape.cards + own
            slots[6 + side, self.place] = other.ends[own] * shape.cards + own
        slots[4, self.place] = shape.main_slot(np.searchsorted(theirs, mine, side="left"))
        slots[5, self.place] = shape.main_slot(np.searchsorted(theirs, mine, side="right"))
        return slots


@dataclass(frozen=True, eq=False)
class Links:
    """How the boards of one street hang on those above: reaches come down, values go up."""

    parent: Ints  # [B] board above
    above: UInt16s  # [2, B, W] place of each hand on the board above, or ABSENT
    first: Ints  # [boards above + 1] first image of each board above
    child: Ints  # [I] board that each image is an image of
    below: UInt16s  # [2, I, W above] place on the image of each hand above, or ABSENT


def street_links(
    boards: Sequence[Board], parent: Ints, tables: StreetTables, upper: StreetTables
) -> Links:
    """The links of boards to the boards above, which `parent` numbers and which come in order."""
    permutations = hand_permutations()
    images = [(b, number) for b, board in enumerate(boards) for number in board.images]
    child = np.array([b for b, _ in images], dtype=np.int64)
    above = np.full((2, len(boards), tables.geometry.width), ABSENT, dtype=np.uint16)
    below = np.full((2, len(images), upper.geometry.width), ABSENT, dtype=np.uint16)
    place = np.full(NUM_HANDS + 1, ABSENT, dtype=np.uint16)  # the last is for padding
    for p in (0, 1):
        over = -1
        for i, (b, number) in enumerate(images):
            if parent[b] != over:
                over = int(parent[b])
                held = upper.hand[p, over]
                place[:] = ABSENT
                place[held[held >= 0]] = np.flatnonzero(held >= 0)
            own = tables.hand[p, b]
            filled = np.flatnonzero(own >= 0)
            if number == boards[b].images[0]:
                above[p, b] = place[own]
            below[p, i, place[permutations[number][own[filled]]]] = filled
    counts = np.bincount(parent[child], minlength=upper.hand.shape[1])
    first = np.concatenate([[0], np.cumsum(counts)])
    return Links(parent, above, first, child, below)
