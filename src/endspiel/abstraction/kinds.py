"""Kinds of boards, by what everybody sees.

Equity compares a hand with all others on its board and says nothing of the board itself: buckets
that forget play alike on a flush board and on one of three suits. With textures, a street has its
buckets once for every kind of board.

Texture 0 knows one kind. Texture 1 distinguishes boards by the most cards of one suit and by pairs.
Texture 2, on the flop, also by ranks: the highest of three and the one below it, and whether they
lie within a straight; of a pair, its rank and whether the third card is higher.

`native/core/board_kinds.cpp` has the rules.
"""

from ctypes import c_int64
from typing import Final

import numpy as np

from endspiel.kernels.arrays import Float64s, Ints, UInt8s
from endspiel.native.boundary import pointer
from endspiel.native.library import function

MOST_TEXTURES: Final = (2, 1, 1)  # on flop, turn and river
_RANK_KINDS = 26  # 20 without a pair and 6 with one


def num_kinds(street: int, texture: int) -> int:
    """How many kinds a street's boards have; some that no cards make are counted too."""
    if texture == 0:
        return 1
    if texture == 2:
        return 3 * _RANK_KINDS
    return (1, 6, 8, 9)[street]


def board_kind(board: UInt8s, texture: int) -> int:
    """The kind of a board of 3, 4 or 5 cards."""
    return int(kinds_of(board[None], texture)[0])


def kinds_of(boards: UInt8s, texture: int) -> Ints:
    """The kinds of boards [N, 3, 4 or 5]: [N]."""
    found = np.empty(len(boards), np.int64)
    function("board_kinds")(
        pointer(boards, np.uint8, shape=(-1, -1), name="boards"),
        *map(c_int64, (*boards.shape, texture)),
        pointer(found, np.int64, written=True),
    )
    return found


def count_rivers_by_kind(turns: UInt8s, weight: Ints, texture: int, counts: Float64s) -> None:
    """Add the rivers of turn boards [B, 4], each weighed [B], to the counts of their kinds."""
    if len(counts) != num_kinds(3, texture):
        raise TypeError(f"rivers have {num_kinds(3, texture)} kinds, not {len(counts)}")
    function("count_river_kinds")(
        pointer(turns, np.uint8, shape=(len(weight), 4), name="turn boards"),
        pointer(weight, np.int64, name="weights"),
        *map(c_int64, (len(weight), texture)),
        pointer(counts, np.float64, written=True, name="counts"),
    )
