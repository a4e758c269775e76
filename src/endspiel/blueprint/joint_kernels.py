"""Counting, board by board, how the buckets of two hands meet on the river.

A pair of hands counts in halves, 2 for a win of the first and 1 for a tie, as equities do. Counts
are whole numbers, so their sum does not depend on the order of boards, nor on threads.
`native/core/builds/pairs_met.cpp` does the work, without Python's lock.
"""

from ctypes import byref, c_int64

import numpy as np

from endspiel.abstraction.river import RiverLimits
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.strength_tables import StrengthTables
from endspiel.kernels.arrays import Ints, UInt8s, UInt16s
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build

LIVE_HANDS = 1081  # C(47, 2)


def count_turn_boards(
    tables: StrengthTables,
    boards: tuple[UInt8s, Ints],  # [B, 4] turn boards, [B] weights
    cards: UInt8s,  # [1326, 2]
    nodes: UInt16s,  # [B, 1326] bucket of the turn
    levels: tuple[Ints, UInt16s],  # [P + 1] first, [K] limit: river buckets under the turn's
    out: Ints,  # [K, K] added to
) -> None:
    """Add the halves of all pairs of hands on all river cards of some turn boards."""
    turns, weight = boards
    size, count = len(out), len(turns)
    board_function("count_turn_boards", chosen_build())(
        byref(tables.packed),
        byref(packed(RiverLimits(*levels))),
        pointer(turns, np.uint8, shape=(count, 4), name="turn boards"),
        pointer(weight, np.int64, shape=(count,), name="weights"),
        c_int64(count),
        pointer(cards, np.uint8, shape=(NUM_HANDS, 2), name="the cards of hands"),
        pointer(nodes, np.uint16, shape=(count, NUM_HANDS), name="buckets"),
        pointer(np.zeros(size, np.int32), np.int32, written=True),
        pointer(np.empty(LIVE_HANDS * LIVE_HANDS, np.int32), np.int32, written=True),
        pointer(out, np.int64, shape=(size, size), written=True, name="counts"),
        c_int64(size),
    )
