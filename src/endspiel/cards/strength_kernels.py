"""Strengths of boards inside of Numba's kernels, which cannot call the native ones.

Pass the tables as an argument:

    tables = strength_tables(7)                 # outside: board cards + 2 is the hand size
    fill_board_strengths(tables, board, out)    # inside: board uint8 [3..5], out uint16 [1326]

What trains blueprints and abstractions inlines these; `strength` has the front doors.
"""

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.strength_tables import StrengthTables
from endspiel.jit import njit

_LOW_32 = np.uint64(0xFFFFFFFF)

Int16s = NDArray[np.int16]
UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]


@njit(cache=True)
def fill_board_strengths(tables: StrengthTables, board: UInt8s, out: UInt16s) -> None:
    """Strength of all hands on a board, into out [1326], 0 where they hit it; nothing is checked.

    Flushes aside, a hand's strength depends on its two ranks only: 91 lookups serve all hands.
    """
    key = np.uint64(0)
    suit_counts = np.zeros(4, np.int64)
    for card in board:
        key += tables.keys[card]
        suit_counts[card & 3] += 1
    by_ranks = np.empty((13, 52), np.uint16)  # [rank of high card, low card]
    for high in range(13):
        high_key = key + tables.keys[4 * high]
        for low in range(high + 1):
            strength = _plain_strength(tables, high_key + tables.keys[4 * low])
            for card in range(4 * low, 4 * low + 4):
                by_ranks[high, card] = strength
    first = 0
    for high in range(52):
        for low in range(high):  # slices would take seconds to compile
            out[first + low] = by_ranks[high >> 2, low]
        first += high
    for suit in range(4):
        if suit_counts[suit] >= 3:
            _raise_flushes(tables, board, suit, out)
    for card in board:
        _drop_card(int(card), out)


@njit(cache=True)
def _raise_flushes(tables: StrengthTables, board: UInt8s, suit: int, out: UInt16s) -> None:
    """Replace the strength of every hand that makes a flush with this board in this suit."""
    of_board = 0
    for card in board:
        if card & 3 == suit:
            of_board |= 1 << (card >> 2)
    ranks = np.zeros(52, np.uint16)  # the rank a card adds to the suit, as a set
    for rank in range(13):
        ranks[4 * rank + suit] = 1 << rank
    first = 0
    for high in range(52):
        held = of_board | ranks[high]
        for low in range(high):
            # the flush table has 0 for fewer than five ranks, and a flush beats whatever else
            # the same cards make
            out[first + low] = max(out[first + low], tables.flush[held | ranks[low]])
        first += high


@njit(cache=True)
def _drop_card(card: int, out: UInt16s) -> None:
    """Set the strength of the 51 hands with this card to 0."""
    first = card * (card - 1) // 2
    for low in range(card):
        out[first + low] = 0
    for high in range(card + 1, 52):
        out[high * (high - 1) // 2 + card] = 0


@njit(cache=True)
def _plain_strength(tables: StrengthTables, key: np.uint64) -> int:
    """Strength of a hand without a flush, by its ranks alone."""
    ranks = key & _LOW_32
    offset = np.uint64(tables.offsets[ranks >> tables.row_shift])
    return int(tables.slots[(ranks + offset) & tables.slot_mask])


@njit(cache=True)
def order_by_strength(strengths: UInt16s) -> Int16s:
    """The hands of positive strength, weakest first: radix sort, 7 bits and then the upper 6."""
    low_starts, high_starts = np.zeros(129, np.int64), np.zeros(65, np.int64)
    for value in strengths:
        if value:
            low_starts[(value & 127) + 1] += 1
            high_starts[(value >> 7) + 1] += 1
    for at in range(1, 129):
        low_starts[at] += low_starts[at - 1]
    for at in range(1, 65):
        high_starts[at] += high_starts[at - 1]
    by_low = np.empty(low_starts[128], np.int16)
    for hand in range(len(strengths)):
        value = strengths[hand]
        if value:
            by_low[low_starts[value & 127]] = hand
            low_starts[value & 127] += 1
    order = np.empty(len(by_low), np.int16)
    for hand in by_low:
        high = strengths[hand] >> 7
        order[high_starts[high]] = hand
        high_starts[high] += 1
    return order
