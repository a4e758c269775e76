"""The hands that many boards leave each player, found without Python's lock."""

from ctypes import byref, c_int64
from typing import NamedTuple

import numpy as np

from endspiel.arrays import Ints, UInt8s
from endspiel.cards.deck import hand_cards
from endspiel.cards.strength_tables import strength_tables
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import function

BoardHands = tuple[Ints, Ints]  # hand numbers of each player


class BoardSide(NamedTuple):
    """A player's hands on the boards above, one board after another, and room for those left."""

    above: Ints
    start: Ints  # [boards above + 1]
    left: Ints
    end: Ints  # [B] where those of each board end; they begin where all of the board above would


def hands_left(
    cards: UInt8s, parent: Ints, above: list[BoardHands], show_down: bool
) -> list[BoardHands]:
    """The hands of both players on boards [B, n], of those on the boards above them.

    In the order that they have there; in order of strength where they show down.
    """
    sides = [_side([hands[player] for hands in above], parent) for player in (0, 1)]
    tables = strength_tables(cards.shape[1] + 2 if show_down else 7)
    function("hands_left")(
        byref(packed(tables)),
        pointer(hand_cards(), np.uint8),
        pointer(cards, np.uint8),
        c_int64(len(cards)),
        c_int64(cards.shape[1]),
        pointer(parent, np.int64),
        *(byref(packed(side, written=True)) for side in sides),
        int(show_down),
    )
    first, second = (
        [side.left[start:end] for start, end in zip(begin, side.end.tolist(), strict=True)]
        for side, begin in zip(sides, (_begin(side, parent) for side in sides), strict=True)
    )
    return list(zip(first, second, strict=True))


def _side(above: list[Ints], parent: Ints) -> BoardSide:
    lengths = np.array([len(hands) for hands in above], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(lengths)])
    room = int(lengths[parent].sum())
    return BoardSide(
        np.concatenate(above), start, np.empty(room, np.int64), np.empty(len(parent), np.int64)
    )


def _begin(side: BoardSide, parent: Ints) -> list[int]:
    """Where the room of each board begins [B]."""
    room = np.diff(side.start)[parent]
    begin: list[int] = (np.cumsum(room) - room).tolist()
    return begin
