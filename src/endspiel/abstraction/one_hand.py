"""What one hand may become, without looking at the other hands: for players, who hold only one.

The same numbers as ``features`` gives for a whole board, ten times as fast for a single hand: the
weaker hands are counted in one straight pass (`native/core/features.cpp`).
"""

from ctypes import byref, c_int64

import numpy as np

from endspiel.abstraction.features import NUM_HALVES
from endspiel.cards.strength_tables import StrengthTables
from endspiel.kernels.arrays import UInt8s
from endspiel.native.boundary import pointer
from endspiel.native.library import function


def hand_halves(tables: StrengthTables, board: UInt8s, low: int, high: int) -> int:
    """Halves of the hand {low < high} on a board of as many cards as the tables are for."""
    halves = function("hand_halves", c_int64)(
        byref(tables.packed),
        pointer(board, np.uint8, shape=(-1,), name="the board"),
        *map(c_int64, (len(board), low, high)),
    )
    return int(halves)


def count_hand_rivers(
    tables: StrengthTables,
    turn: UInt8s,  # [4]
    hole: tuple[int, int],  # low card first
    bins: UInt8s,  # [1981]
    out: UInt8s,  # [bins] filled
) -> None:
    """How many of its 46 river cards put a hand into each bin of equity."""
    function("count_hand_rivers")(
        byref(tables.packed),
        pointer(turn, np.uint8, shape=(4,), name="the board"),
        *map(c_int64, hole),
        pointer(bins, np.uint8, shape=(NUM_HALVES,), name="bins"),
        pointer(out, np.uint8, shape=(-1,), written=True, name="counts"),
        c_int64(len(out)),
    )
