"""What hands may become: equities on the river, and counts of next-round buckets before it.

Equity on the river is against one hand drawn uniformly from the 990 that the board and one's own
cards leave. It is kept in halves, 2 for a win and 1 for a tie: a whole number 0..1980.
The jitted loops check nothing; boards come from ``boards``.
"""

import numpy as np

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_kernels import fill_board_strengths, order_by_strength
from endspiel.cards.strength_tables import StrengthTables
from endspiel.jit import njit
from endspiel.kernels.arrays import Int32s, Ints, UInt8s, UInt16s

MAX_HALVES = 1980  # two for each of C(45, 2) opposing hands
NUM_HALVES = MAX_HALVES + 1
DEAD = 0xFFFF  # in place of halves or a bucket, for a hand that the board leaves nobody
NUM_RIVERS = 46  # river cards that a hand on a turn board may see
NUM_TURNS = 47


def equity_bins(num_bins: int) -> UInt8s:
    """Bin of each number of halves, bins of equal width: [1981].

    On a uniformly drawn deal the equity is nearly uniform, so the bins are about equally full too.
    """
    return (np.arange(NUM_HALVES) * num_bins // NUM_HALVES).astype(np.uint8)


@njit(cache=True, nogil=True)
def fill_halves(tables: StrengthTables, board: UInt8s, cards: UInt8s, out: UInt16s) -> None:
    """Halves of all hands on a river board [5], into out [1326]; DEAD where they hit it."""
    strengths = np.empty(NUM_HANDS, np.uint16)
    fill_board_strengths(tables, board, strengths)
    order = order_by_strength(strengths)
    out[:] = DEAD
    passed = np.int32(0)
    passed_with = np.zeros(NUM_CARDS, np.int32)  # of the weaker hands, those with each card
    start = 0
    while start < len(order):
        end = start
        level = strengths[order[start]]
        while end < len(order) and strengths[order[end]] == level:
            hand = order[end]
            out[hand] = passed - passed_with[cards[hand, 0]] - passed_with[cards[hand, 1]]
            end += 1
        for at in range(start, end):
            hand = order[at]
            passed_with[cards[hand, 0]] += 1
            passed_with[cards[hand, 1]] += 1
        passed += end - start
        for at in range(start, end):
            hand = order[at]
            # Beaten plus not lost to; the hand itself left the second sum twice.
            met = passed - passed_with[cards[hand, 0]] - passed_with[cards[hand, 1]] + 1
            out[hand] += met
        start = end


@njit(cache=True, nogil=True)
def count_rivers(
    tables: StrengthTables,
    turns: UInt8s,  # [B, 4]
    cards: UInt8s,  # [1326, 2]
    bins: UInt8s,  # [1981]
    out: UInt8s,  # [B, 1326, bins] filled
) -> None:
    """How many of its 46 river cards put each hand into each bin of equity."""
    halves = np.empty(NUM_HANDS, np.uint16)
    board = np.empty(5, np.uint8)
    out[:] = 0
    for row in range(len(turns)):
        board[:4] = turns[row]
        for river in range(NUM_CARDS):
            if river in turns[row]:
                continue
            board[4] = river
            fill_halves(tables, board, cards, halves)
            for hand in range(NUM_HANDS):
                if halves[hand] != DEAD:
                    out[row, hand, bins[halves[hand]]] += 1


@njit(cache=True, nogil=True)
def count_turns(
    rows: tuple[Int32s, UInt8s],  # [F, 52] turn row and [F, 52] relabeling of each turn card
    hands: tuple[UInt8s, UInt16s],  # [1326, 2] cards, [24, 1326] relabeled hands
    buckets: UInt16s,  # [B, 1326] of the turn
    out: UInt8s,  # [F, 1326, buckets] filled
) -> None:
    """How many of its 47 turn cards put each hand into each bucket of the turn."""
    turn_row, relabelings = rows
    cards, relabeled = hands
    out[:] = 0
    for flop in range(len(turn_row)):
        for turn in range(NUM_CARDS):
            row = turn_row[flop, turn]
            if row < 0:
                continue
            moved = relabeled[relabelings[flop, turn]]
            for hand in range(NUM_HANDS):
                bucket = buckets[row, moved[hand]]
                if bucket != DEAD and cards[hand, 0] != turn and cards[hand, 1] != turn:
                    out[flop, hand, bucket] += 1


@njit(cache=True, nogil=True)
def count_flops(
    buckets: UInt16s,  # [F, 1326] of the flop
    weight: Ints,  # [F]
    classes: Ints,  # [1326] of starting hands
    out: Ints,  # [classes, buckets] added to
) -> None:
    """How often each class of starting hands falls into each bucket of the flop."""
    for row in range(len(buckets)):
        for hand in range(NUM_HANDS):
            if buckets[row, hand] != DEAD:
                out[classes[hand], buckets[row, hand]] += weight[row]


@njit(cache=True, nogil=True)
def count_halves(
    tables: StrengthTables,
    boards: tuple[UInt8s, Ints],  # [B, 4] turn boards, [B] weights
    cards: UInt8s,  # [1326, 2]
    buckets: UInt16s,  # [B, 1326] of the turn
    out: Ints,  # [buckets, 1981] added to
) -> None:
    """How often hands of each bucket of the turn end with each number of halves."""
    turns, weight = boards
    halves = np.empty(NUM_HANDS, np.uint16)
    board = np.empty(5, np.uint8)
    for row in range(len(turns)):
        board[:4] = turns[row]
        for river in range(NUM_CARDS):
            if river in turns[row]:
                continue
            board[4] = river
            fill_halves(tables, board, cards, halves)
            for hand in range(NUM_HANDS):
                if halves[hand] != DEAD:
                    out[buckets[row, hand], halves[hand]] += weight[row]
