"""The cards of one street's boards as a batch wants them: places of hands, slots of sums.

A board's hands lie in rows of one width, whatever their number; what is left over is padding, whose
reach is zero. Terminals are evaluated by sums in one vector of slots:

    card lists              for each card the q-reaches of the hands with it, weakest first, and one
                            slot more for their sum: one list after another, each as long as it is
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
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.strength_tables import strength_tables
from endspiel.errors import GameError
from endspiel.games.card_tree import Board
from endspiel.gpu.parts import in_parts
from endspiel.gpu.table_kernels import ABSENT as ABSENT
from endspiel.gpu.table_kernels import (
    BoardLinks,
    Dealt,
    Filled,
    Slots,
    fill_links,
    fill_tables,
    most_held,
)
from endspiel.kernels.arrays import Ints

UInt16s = NDArray[np.uint16]
UInt32s = NDArray[np.uint32]
Int16s = NDArray[np.int16]
F = TypeVar("F", bound=np.floating[Any])

WIDTHS = (64, 128, 256, 384, 512, 640, 768, 896, 1088, 1216)  # hands of a row, two a thread
WARP = 32  # threads
WIDE, MIDDLE, NARROW = 1024, 640, 256  # widths of rows from which on the main list has more chunks
SPARE, SPARE_WIDE = 128, 64  # slots of card lists beside two a hand, rows being narrow or wide
ROOM = 32  # where that is too little, they have a multiple of this


@dataclass(frozen=True)
class Geometry:
    """How wide rows are, and where each list of sums lies."""

    width: int  # W
    cards: int  # C, cards that the board leaves
    spill: int  # the slot that padding writes to: card lists have those before

    @property
    def threads(self) -> int:
        """Threads of a block: each has two hands."""
        return self.width // 2

    @property
    def chunks(self) -> int:
        """Parts of the main list, each summed by one thread."""
        if self.width <= NARROW:
            return self.width // 8
        if self.width < MIDDLE:
            return 16  # so that each card list, too, has threads of its own
        return 64 if self.width >= WIDE else 32

    @property
    def per(self) -> int:
        """Hands of a chunk."""
        return self.width // self.chunks

    @property
    def main(self) -> int:
        """First slot of the main list."""
        return self.spill + 1

    @property
    def slots(self) -> int:
        """All slots."""
        return self.main + self.per * (self.chunks + 1)

    @property
    def slots_by_number(self) -> Slots:
        """The tables for kernels."""
        ranks = np.arange(self.width + 1)
        return Slots(self.cards, self.spill, self.main_slot(ranks), self.places(self.width))

    def main_slot(self, rank: Ints) -> Ints:
        """Where each rank of the main list lies; rank W is one more."""
        slot: Ints = self.main + (rank % self.per) * (self.chunks + 1) + rank // self.per
        return slot

    def places(self, count: int) -> Ints:
        """Where the hands of each rank lie in a row: a warp has ranks next to each other.

        Neighboring threads have hands of neighboring strengths, whose slots are in different banks
        of shared memory, and a thread's two hands are a warp apart: hands alike play alike, so that
        whole sectors of memory have nothing to be added to.
        """
        rank = np.arange(count)
        return 2 * (rank // (2 * WARP) * WARP + rank % WARP) + rank % (2 * WARP) // WARP


def row_width(boards: Sequence[Board]) -> int:
    """The narrowest row that holds the hands of either player on every board."""
    return _width(max(len(held) for board in boards for held in board.hands))


def _width(hands: int) -> int:
    width = next((width for width in WIDTHS if width >= hands), None)
    if width is None:
        raise GameError(f"a board with {hands} hands of one player is too wide for a batch")
    return width


def dealt_boards(boards: Sequence[Board], last: bool) -> Dealt:
    """Boards of one street as kernels want them; strengths count on the last."""
    held = np.zeros((2, len(boards), NUM_HANDS), np.uint8)
    for player in (0, 1):
        hands = [board.hands[player] for board in boards]
        rows = np.repeat(np.arange(len(boards)) * NUM_HANDS, [*map(len, hands)])
        held[player].reshape(-1)[rows + np.concatenate(hands)] = 1
    return Dealt(np.array([board.cards for board in boards], np.uint8), held, last)


def geometry(dealt: Dealt) -> Geometry:
    """The least that holds the hands of both players on every board.

    Lists get room by the width of rows where that will do, so that few kernels are compiled.
    """
    hands, slots = most_held(dealt)
    width = _width(hands)
    room = 2 * width + (SPARE_WIDE if width >= WIDE else SPARE)
    return Geometry(width, NUM_CARDS - dealt.cards.shape[1], max(room, -(-slots // ROOM) * ROOM))


@dataclass(frozen=True, eq=False)
class StreetTables:
    """One street's boards, side by side; two players first. B boards."""

    geometry: Geometry
    hand: Int16s  # [2, B, W] hand number in each place, -1 for padding
    scatter: UInt16s  # [2, B, 3, W] as q: slots of both cards and of the main list
    gather: UInt16s  # [2, B, 8, W] as p: lo, hi of card c; of d; of the main list; n of c; of d
    same: UInt16s  # [2, B, W] as p: the place of the same hand of q, or ABSENT
    end: UInt16s  # [2, B] as q: the slot of the main list that has the whole sum
    lists: UInt32s  # [2, B, C] as q: where each card's list starts, and from bit 16 on its length


def street_tables(dealt: Dealt, shape: Geometry, threads: int | None = None) -> StreetTables:
    """The tables of boards and the hands that can be held on them."""
    count, width = len(dealt.cards), shape.width
    found = StreetTables(
        shape,
        np.empty((2, count, width), np.int16),
        np.empty((2, count, 3, width), np.uint16),
        np.empty((2, count, 8, width), np.uint16),
        np.empty((2, count, width), np.uint16),
        np.empty((2, count), np.uint16),
        np.empty((2, count, shape.cards), np.uint32),
    )
    filled = Filled(found.hand, found.scatter, found.gather, found.same, found.end, found.lists)
    strengths = strength_tables(dealt.cards.shape[1] + 2 if dealt.last else 7)
    order, slots = _among_equals(), shape.slots_by_number

    def fill(first: int, last: int) -> None:
        fill_tables(strengths, dealt, order, slots, filled, (first, last))

    in_parts(count, fill, threads)
    return found


@cache
def _among_equals() -> Ints:
    """The hands [1326] as they follow each other among those of equal strength.

    By ranks before suits: this spreads neighbors over the banks of shared memory.
    """
    ranks, suits = hand_cards() >> 2, hand_cards() & 3
    return np.lexsort((suits[:, 1], suits[:, 0], ranks[:, 1], ranks[:, 0])).astype(np.int64)


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
    images = [(b, number) for b, board in enumerate(boards) for number in board.images]
    child, relabeling = np.array(images, dtype=np.int64).T
    return image_links(parent, (child, relabeling), tables, upper)


def image_links(
    parent: Ints, images: tuple[Ints, Ints], tables: StreetTables, upper: StreetTables
) -> Links:
    """The links of boards that come in order, each image a board and a relabeling of suits."""
    child = np.ascontiguousarray(images[0])
    above = np.full((2, len(parent), tables.geometry.width), ABSENT, np.uint16)
    below = np.full((2, len(child), upper.geometry.width), ABSENT, np.uint16)
    widths = upper.hand.shape[1], tables.geometry.width, upper.geometry.width
    links = BoardLinks(parent, child, np.ascontiguousarray(images[1]), *widths)
    fill_links((tables.hand, upper.hand), links, hand_permutations(), (above, below))
    counts = np.bincount(parent[child], minlength=upper.hand.shape[1])
    first = np.concatenate([[0], np.cumsum(counts)])
    return Links(parent, above, first, child, below)


def rows_by_hand(rows: NDArray[F], hands: Int16s) -> NDArray[F]:
    """Rows of boards [B, L, W] by hand [B, L, 1326], zero where no place [B, W] has it."""
    found = np.zeros((*rows.shape[:2], NUM_HANDS), rows.dtype)
    for row, hand, out in zip(rows, hands.astype(np.int64), found, strict=True):
        out[:, hand[hand >= 0]] = row[:, hand >= 0]
    return found
