"""A best response on real cards along all lines of one street and one board, hand by hand.

The other player's reaches go down the lines, the responder's values come up: at the responder's
decisions each hand takes the best action, at the other's the values of all actions add up.
`native/core/builds/response.cpp` does the work, without Python's lock.
"""

from ctypes import byref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.kernels.arrays import Float32s, Int32s, UInt8s, UInt16s
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build


class StreetLines(NamedTuple):
    """The nodes of one street, parents before children. N nodes."""

    kind: Int32s  # [N] of the betting tree
    parent: Int32s  # [N] node before it on the street, or -1 where the street begins
    entry: Int32s  # [N] line by which the street is entered here, or -1
    leaving: Int32s  # [N] line by which a chance node leaves the street, or -1
    mine: Int32s  # [N] whether the responder decides
    row: NDArray[np.int64]  # [N] where the action's probabilities by bucket begin; -1: always taken
    stake: Float32s  # [N] what the responder wins by a fold or by the better hand


class BoardHands(NamedTuple):
    """The hands that a board leaves, in the order of the reaches. H hands."""

    low: UInt8s  # [H] one card
    high: UInt8s  # [H] the other
    bucket: UInt16s  # [H]
    ends: Int32s  # [groups] hands no stronger than each strength, where hands are in its order


def reach_down(
    lines: StreetLines, hands: BoardHands, table: Float32s, entering: Float32s, reach: Float32s
) -> None:
    """The other player's reach [N, H] at every node, from that of the lines [L, H]."""
    count = len(hands.low)
    board_function("reach_down", chosen_build())(
        *_street(lines, hands),
        pointer(table, np.float32, name="table"),
        pointer(entering, np.float32, shape=(-1, count), name="entering"),
        pointer(reach, np.float32, shape=(len(lines.kind), count), written=True, name="reach"),
    )


def values_up(
    lines: StreetLines,
    hands: BoardHands,
    reach: Float32s,  # [N, H]
    leaving: Float32s,  # [X, H] values of the lines that go on
    value: Float32s,  # [N, H] worked in
    entering: Float32s,  # [L, H] values of the lines, written
) -> None:
    """The responder's best value with each hand, at every node and at the lines that lead here."""
    count, shape = len(hands.low), (len(lines.kind), len(hands.low))
    board_function("values_up", chosen_build())(
        *_street(lines, hands),
        pointer(reach, np.float32, shape=shape, name="reach"),
        pointer(leaving, np.float32, shape=(-1, count), name="leaving"),
        pointer(value, np.float32, shape=shape, written=True, name="value"),
        pointer(entering, np.float32, shape=(-1, count), written=True, name="entering"),
    )


def _street(lines: StreetLines, hands: BoardHands) -> tuple[Any, Any]:
    if {len(array) for array in lines} != {len(lines.kind)}:
        raise TypeError("the lines of a street are arrays of different lengths")
    if {len(array) for array in hands[:3]} != {len(hands.low)}:
        raise TypeError("the hands of a board are arrays of different lengths")
    return byref(packed(lines)), byref(packed(hands))
