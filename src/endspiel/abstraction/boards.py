"""Flops and turns up to a relabeling of suits, and where every dealt board finds its own.

Everything about hands before the river is kept board by board: a row of 1,326 hands for each of
1,755 flops and of 63,193 flops with a turn. A board is looked up by its relabeling of suits, once,
and all its hands follow by one gather; an index of each hand would be searched 1,128 times. Hands
that a symmetric board does not tell apart fill several places with the same number: 2.1 million
places for 1,286,792 different flop hands, 71 million for 55,190,538 different turn hands.

The flop of a canonical turn board is itself canonical: hand h on it is hand h on its flop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.isomorphism import canonical_flops, suit_permutations
from endspiel.cards.text import format_cards
from endspiel.errors import CardError
from endspiel.kernels.arrays import Int32s, Ints, UInt8s

NUM_FLOPS = 22_100  # C(52, 3)
NUM_CANONICAL = 1_755  # of them up to suits


class BoardPlace(NamedTuple):
    """Where the hands of a dealt board are found."""

    flop: int  # row of its flop
    turn: int  # row of its flop and turn, -1 where no turn is dealt
    relabeling: int  # of suits, 0..23, that turns the board's hands into the row's


@dataclass(frozen=True, eq=False)
class Boards:
    """F flops and B turn boards, none the same as another up to suits."""

    flops: UInt8s  # [F, 3]
    flop_weight: Ints  # [F] how many flops each stands for
    turns: UInt8s  # [B, 4] flop and turn
    turn_weight: Ints  # [B] how many flops with a turn each stands for
    turn_flop: Int32s  # [B] row of its flop
    flop_row: Int32s  # [22100] by number of the three cards, -1 for a flop left out
    flop_relabeling: UInt8s  # [22100]
    turn_row: Int32s  # [F, 52] by row of the flop and turn card, -1 for a card of the flop
    turn_relabeling: UInt8s  # [F, 52] one that leaves the flop as it is

    def find(self, board: Sequence[int]) -> BoardPlace:
        """The row of a board of three cards or more, and the relabeling that leads there."""
        number = flop_number(*sorted(int(card) for card in board[:3]))
        flop, relabeling = int(self.flop_row[number]), int(self.flop_relabeling[number])
        if flop < 0:
            raise CardError(f"flop {format_cards(board[:3])} is not among those abstracted")
        if len(board) == 3:
            return BoardPlace(flop, -1, relabeling)
        turn = int(card_permutations()[relabeling, board[3]])
        after = int(self.turn_relabeling[flop, turn])
        return BoardPlace(flop, int(self.turn_row[flop, turn]), int(_products()[relabeling, after]))


def flop_number(low: int, middle: int, high: int) -> int:
    """Colexicographic number 0..22099 of three ascending cards."""
    return high * (high - 1) * (high - 2) // 6 + middle * (middle - 1) // 2 + low


@cache
def all_boards() -> Boards:
    """Every flop and turn."""
    return boards_of(*canonical_flops())


def some_boards(count: int, seed: int = 1) -> Boards:
    """The boards on flops drawn at random, to try things out."""
    if not 1 <= count <= NUM_CANONICAL:
        raise CardError(f"{count} flops; there are {NUM_CANONICAL} up to suits")
    flops, weight = canonical_flops()
    rows = np.random.default_rng(seed).permutation(NUM_CANONICAL)[:count]
    rows.sort()
    return boards_of(flops[rows], weight[rows])


def boards_of(flops: UInt8s, weight: Ints) -> Boards:
    """Boards on some of the canonical flops [F, 3] with their weights [F]."""
    cards = card_permutations()  # [24, 52]
    moved = np.sort(cards[:, flops], axis=2)  # [24, F, 3]
    low, middle, high = np.moveaxis(moved.astype(np.int64), 2, 0)
    numbers = high * (high - 1) * (high - 2) // 6 + middle * (middle - 1) // 2 + low
    flop_row = np.full(NUM_FLOPS, -1, np.int32)
    flop_relabeling = np.zeros(NUM_FLOPS, np.uint8)
    back = _inverses()
    for relabeling in range(len(cards)):
        flop_row[numbers[relabeling]] = np.arange(len(flops))
        flop_relabeling[numbers[relabeling]] = back[relabeling]

    # Turn cards that a relabeling swaps, while it leaves the flop alone, are one: the smallest.
    keeps = (moved == flops).all(axis=2)  # [24, F]
    images = np.where(keeps[:, :, None], cards[:, None, :], NUM_CARDS)  # [24, F, 52]
    turn_relabeling, smallest = images.argmin(axis=0), images.min(axis=0)
    on_flop = (flops[:, :, None] == np.arange(NUM_CARDS)).any(axis=1)  # [F, 52]
    chosen = (smallest == np.arange(NUM_CARDS)) & ~on_flop
    number = np.cumsum(chosen).reshape(chosen.shape) - 1
    turn_row = np.where(on_flop, -1, np.take_along_axis(number, smallest, axis=1))
    turn_flop, card = np.nonzero(chosen)
    cards_per_row = np.bincount(turn_row[~on_flop], minlength=len(card))
    return Boards(
        flops=flops,
        flop_weight=weight,
        turns=np.column_stack([flops[turn_flop], card]).astype(np.uint8),
        turn_weight=weight[turn_flop] * cards_per_row,
        turn_flop=turn_flop.astype(np.int32),
        flop_row=flop_row,
        flop_relabeling=flop_relabeling,
        turn_row=turn_row.astype(np.int32),
        turn_relabeling=turn_relabeling.astype(np.uint8),
    )


@cache
def card_permutations() -> UInt8s:
    """What each relabeling of suits makes of each card: [24, 52]."""
    cards = np.arange(NUM_CARDS)
    return (cards - cards % 4 + suit_permutations()[:, cards % 4]).astype(np.uint8)


@cache
def _products() -> UInt8s:
    """The relabeling that does one and then another: [24, 24]."""
    suits = suit_permutations()
    both = suits[np.arange(24)[None, :, None], suits[:, None, :]]  # [first, then, suit]
    return _numbers(both)


def _inverses() -> UInt8s:
    """The relabeling that undoes each: [24]."""
    return _numbers(np.argsort(suit_permutations(), axis=1))


def _numbers(relabelings: NDArray[np.integer]) -> UInt8s:
    """Numbers of relabelings given by their new suits [..., 4]."""
    same = (relabelings[..., None, :] == suit_permutations()).all(axis=-1)
    numbers: UInt8s = same.argmax(axis=-1).astype(np.uint8)
    return numbers
