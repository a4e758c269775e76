"""What one hand may become, without looking at the other hands: for players, who hold only one.

The same numbers as ``features`` gives for a whole board, ten times as fast for a single hand. The
other hands that are weaker are counted in one straight pass, then those that cannot be are taken
out again: 245 that hit the board count as weaker, and 101 share a card with the hand.
"""

import numpy as np

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_kernels import fill_board_strengths
from endspiel.cards.strength_tables import StrengthTables
from endspiel.jit import njit
from endspiel.kernels.arrays import UInt8s, UInt16s

_ON_BOARD = 245  # hands that hold a card of a river board


@njit(cache=True, nogil=True)
def _halves(strengths: UInt16s, low: int, high: int) -> int:
    """Halves of the hand {low < high}, by all hands' strengths [1326] on a river board."""
    mine = strengths[high * (high - 1) // 2 + low]
    weaker = level = np.int32(0)
    for strength in strengths:
        weaker += np.int32(strength < mine)
        level += np.int32(strength == mine)
    weaker -= np.int32(_ON_BOARD)
    for own in (low, high):
        for card in range(NUM_CARDS):
            if card == own or (own == high and card == low):  # the hand itself only once
                continue
            big, small = max(card, own), min(card, own)
            strength = strengths[big * (big - 1) // 2 + small]
            if strength > 0:
                weaker -= np.int32(strength < mine)
                level -= np.int32(strength == mine)
    return int(2 * weaker + level)


@njit(cache=True, nogil=True)
def hand_halves(tables: StrengthTables, board: UInt8s, low: int, high: int) -> int:
    """Halves of the hand {low < high} on a river board [5]."""
    strengths = np.empty(NUM_HANDS, np.uint16)
    fill_board_strengths(tables, board, strengths)
    return _halves(strengths, low, high)


@njit(cache=True, nogil=True)
def count_hand_rivers(
    tables: StrengthTables,
    turn: UInt8s,  # [4]
    hole: tuple[int, int],  # low card first
    bins: UInt8s,  # [1981]
    out: UInt8s,  # [bins] filled
) -> None:
    """How many of its 46 river cards put a hand into each bin of equity."""
    low, high = hole
    strengths = np.empty(NUM_HANDS, np.uint16)
    board = np.empty(5, np.uint8)
    board[:4] = turn
    out[:] = 0
    for river in range(NUM_CARDS):
        if river in turn or river in (low, high):
            continue
        board[4] = river
        fill_board_strengths(tables, board, strengths)
        out[bins[_halves(strengths, low, high)]] += 1
