"""The hands that many boards leave each player, found without Python's lock."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength import fill_board_strengths
from endspiel.cards.strength_tables import NUM_CLASSES, StrengthTables, strength_tables
from endspiel.jit import njit

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
Ints = NDArray[np.int64]
BoardHands = tuple[Ints, Ints]  # hand numbers of each player


class _Side(NamedTuple):
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
    _fill(tables, hand_cards(), cards, parent, (sides[0], sides[1]), show_down)
    first, second = (
        [side.left[start:end] for start, end in zip(begin, side.end.tolist(), strict=True)]
        for side, begin in zip(sides, (_begin(side, parent) for side in sides), strict=True)
    )
    return list(zip(first, second, strict=True))


def _side(above: list[Ints], parent: Ints) -> _Side:
    lengths = np.array([len(hands) for hands in above], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(lengths)])
    room = int(lengths[parent].sum())
    return _Side(
        np.concatenate(above), start, np.empty(room, np.int64), np.empty(len(parent), np.int64)
    )


def _begin(side: _Side, parent: Ints) -> list[int]:
    """Where the room of each board begins [B]."""
    room = np.diff(side.start)[parent]
    begin: list[int] = (np.cumsum(room) - room).tolist()
    return begin


@njit(cache=True, nogil=True)
def _fill(
    tables: StrengthTables,
    of_hand: UInt8s,  # [1326, 2] cards
    cards: UInt8s,
    parent: Ints,
    sides: tuple[_Side, _Side],
    show_down: bool,
) -> None:
    strength = np.zeros(NUM_HANDS, np.uint16)
    order = np.empty(NUM_HANDS, np.int64)
    mark = np.full(NUM_HANDS, -1, np.int64)
    begin = np.zeros(2, np.int64)
    for b in range(len(cards)):
        if show_down:
            fill_board_strengths(tables, cards[b], strength)
            count = _by_strength(strength, order)
        for p in range(2):
            side = sides[p]
            first, last = side.start[parent[b]], side.start[parent[b] + 1]
            to = begin[p]
            for i in range(first, last):
                hand = side.above[i]
                if show_down:
                    mark[hand] = 2 * b + p
                elif not _hits(of_hand[hand, 0], of_hand[hand, 1], cards[b]):
                    side.left[to] = hand
                    to += 1
            if show_down:
                for i in range(count):
                    if mark[order[i]] == 2 * b + p:
                        side.left[to] = order[i]
                        to += 1
            side.end[b] = to
            begin[p] += last - first


@njit(cache=True, nogil=True)
def _hits(one: int, two: int, board: UInt8s) -> bool:
    """Whether a board has one of two cards."""
    hit = False
    for card in board:
        hit |= card in (one, two)
    return hit


@njit(cache=True, nogil=True)
def _by_strength(strength: UInt16s, order: Ints) -> int:
    """Write down the hands that have a strength, weakest first; how many there are."""
    at = np.zeros(NUM_CLASSES + 2, np.int64)
    for hand in range(NUM_HANDS):
        at[strength[hand] + 1] += 1
    at[1] = 0
    for level in range(1, len(at)):
        at[level] += at[level - 1]
    for hand in range(NUM_HANDS):
        if strength[hand]:
            order[at[strength[hand]]] = hand
            at[strength[hand]] += 1
    return int(at[NUM_CLASSES])
