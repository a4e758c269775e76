"""Kinds of boards, by what everybody sees.

Equity compares a hand with all others on its board and says nothing of the board itself: buckets
that forget play alike on a flush board and on one of three suits. With textures, a street has its
buckets once for every kind of board.

Texture 0 knows one kind. Texture 1 tells boards apart by the most cards of one suit and by pairs.
Texture 2, on the flop, also by ranks: the highest of three and the one below it, and whether they
lie within a straight; of a pair, its rank and whether the third card is higher.
"""

from typing import Final

import numpy as np

from endspiel.cards.deck import NUM_CARDS
from endspiel.jit import njit
from endspiel.kernels.arrays import Float64s, Ints, UInt8s

MOST_TEXTURES: Final = (2, 1, 1)  # on flop, turn and river
_FLOP, _RIVER = 3, 5  # cards on the board
_RANK_KINDS = 26  # 20 without a pair and 6 with one
_ACE, _KING, _QUEEN, _JACK, _TEN, _NINE, _SEVEN = 12, 11, 10, 9, 8, 7, 5


def num_kinds(street: int, texture: int) -> int:
    """How many kinds a street's boards have; some that no cards make are counted too."""
    if texture == 0:
        return 1
    if texture == 2:
        return 3 * _RANK_KINDS
    return (1, 6, 8, 9)[street]


@njit(cache=True, nogil=True)
def board_kind(board: UInt8s, texture: int) -> int:
    """The kind of a board of 3, 4 or 5 cards."""
    if texture == 0:
        return 0
    suits, ranks, most, distinct = np.zeros(4, np.int64), np.zeros(13, np.int64), 0, 0
    for card in board:
        suits[card & 3] += 1
        distinct += ranks[card >> 2] == 0
        ranks[card >> 2] += 1
    for suit in range(4):
        most = max(most, suits[suit])
    paired = len(board) - distinct
    if len(board) == _RIVER:
        return min(paired, 2) * 3 + min(max(most, 2), 4) - 2
    if texture == 2:
        return _rank_kind(ranks, distinct) * 3 + most - 1
    return min(paired, 1) * len(board) + most - 1


@njit(cache=True, nogil=True)
def _rank_kind(ranks: Ints, distinct: int) -> int:
    """The kind of a flop's ranks, of which there are so many of each [13]."""
    seen = np.zeros(_FLOP, np.int64)  # the highest first, as often as they are there
    at = 0
    for rank in range(12, -1, -1):
        for _ in range(ranks[rank]):
            seen[at] = rank
            at += 1
    high, middle, low = int(seen[0]), int(seen[1]), int(seen[2])
    if distinct < _FLOP:
        pair = middle  # of three cards with a pair, sorted, the middle one is of it
        size = 2 if pair >= _QUEEN else 1 if pair >= _SEVEN else 0
        return 20 + 2 * size + (high > pair)
    top = 4
    if high < _ACE:
        top = 3 if high == _KING else 2 if high >= _JACK else 1 if high >= _NINE else 0
    close = high - low <= 4 or (high == _ACE and middle <= 3)
    return 4 * top + 2 * close + (middle >= _TEN)


@njit(cache=True, nogil=True)
def kinds_of(boards: UInt8s, texture: int) -> Ints:
    """The kinds of boards [N, 3, 4 or 5]: [N]."""
    found = np.empty(len(boards), np.int64)
    for at in range(len(boards)):
        found[at] = board_kind(boards[at], texture)
    return found


@njit(cache=True, nogil=True)
def count_rivers_by_kind(turns: UInt8s, weight: Ints, texture: int, counts: Float64s) -> None:
    """Add the rivers of turn boards [B, 4], each weighed [B], to the counts of their kinds."""
    board = np.zeros(_RIVER, np.uint8)
    for at in range(len(turns)):
        board[:4] = turns[at]
        for card in range(NUM_CARDS):
            board[4] = card
            if not (turns[at] == card).any():
                counts[board_kind(board, texture)] += weight[at]
