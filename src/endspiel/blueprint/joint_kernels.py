"""Counting, board by board, how the buckets of two hands meet on the river.

A pair of hands counts in halves, 2 for a win of the first and 1 for a tie, as equities do. Counts
are whole numbers, so their sum does not depend on the order of boards, nor on threads.
"""

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.features import fill_halves
from endspiel.abstraction.river import fill_river_buckets
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_kernels import fill_board_strengths, order_by_strength
from endspiel.cards.strength_tables import StrengthTables
from endspiel.jit import njit
from endspiel.kernels.arrays import Int32s, Ints, UInt8s, UInt16s

LIVE_HANDS = 1081  # C(47, 2)
HANDS_WITH_CARD = 46  # of them, with any one card

Int16s = NDArray[np.int16]


@njit(cache=True, nogil=True)
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
    board = np.empty(5, np.uint8)
    halves, strengths = np.empty(NUM_HANDS, np.uint16), np.empty(NUM_HANDS, np.uint16)
    buckets = np.empty(NUM_HANDS, np.uint16)
    place = np.zeros(len(out), np.int32)
    used = np.empty(LIVE_HANDS, np.int64)
    local = np.empty(NUM_HANDS, np.int32)
    pairs = np.empty(LIVE_HANDS * LIVE_HANDS, np.int32)
    for row in range(len(turns)):
        for card in range(4):
            board[card] = turns[row, card]
        for river in range(NUM_CARDS):
            if river in turns[row]:
                continue
            board[4] = river
            fill_board_strengths(tables, board, strengths)
            fill_halves(tables, board, cards, halves)
            fill_river_buckets(nodes[row], halves, levels[0], levels[1], buckets)
            order = order_by_strength(strengths)
            count = _number_places(order, buckets, place, used, local)
            _count_pairs(order, strengths, local, count, pairs)
            _drop_shared_cards(order, strengths, cards, local, count, pairs)
            _add_weighted(pairs, used, count, weight[row], out)


@njit(cache=True, nogil=True)
def _number_places(
    order: Int16s,  # [n] hands
    buckets: UInt16s,  # [1326]
    place: Int32s,  # [K] scratch, zeros before and after
    used: Ints,  # [n] filled: the buckets there are, ascending
    local: Int32s,  # [1326] filled: number of each hand's bucket among them
) -> int:
    """Number the buckets of one board; how many there are."""
    for hand in order:
        place[buckets[hand]] = 1
    count = 0
    for bucket in range(len(place)):
        if place[bucket]:
            used[count] = bucket
            place[bucket] = count
            count += 1
    for hand in order:
        local[hand] = place[buckets[hand]]
    for at in range(count):
        place[used[at]] = 0
    return count


@njit(cache=True, nogil=True)
def _count_pairs(
    order: Int16s,
    strengths: UInt16s,
    local: Int32s,
    count: int,
    pairs: Int32s,  # [count * count and more] filled
) -> None:
    """Halves of all pairs of hands, those that share a card included: one walk, weak to strong."""
    for at in range(count * count):
        pairs[at] = 0
    passed = np.zeros(2 * count, np.int32)  # by bucket: hands before the level, and up to its end
    before, after = passed[:count], passed[count:]
    held = np.zeros(count, np.int32)  # of the level, hands of each bucket
    start = 0
    while start < len(order):
        end = start
        level = strengths[order[start]]
        while end < len(order) and strengths[order[end]] == level:
            bucket = local[order[end]]
            held[bucket] += 1
            after[bucket] += 1
            end += 1
        for at in range(start, end):
            bucket = local[order[at]]
            hands = held[bucket]
            if hands == 0:  # counted with an earlier hand of its bucket
                continue
            held[bucket] = 0
            row = pairs[bucket * count : (bucket + 1) * count]
            for other in range(count):
                row[other] += hands * (before[other] + after[other])
        for at in range(start, end):
            bucket = local[order[at]]
            before[bucket] = after[bucket]
        start = end


@njit(cache=True, nogil=True)
def _drop_shared_cards(
    order: Int16s,
    strengths: UInt16s,
    cards: UInt8s,
    local: Int32s,
    count: int,
    pairs: Int32s,  # [count * count and more] changed
) -> None:
    """Take away the pairs of hands that share a card, and each hand with itself."""
    num_with = np.zeros(NUM_CARDS, np.int64)
    level_of = np.empty((NUM_CARDS, HANDS_WITH_CARD), np.int32)
    bucket_of = np.empty((NUM_CARDS, HANDS_WITH_CARD), np.int32)
    for hand in order:  # weakest first, so each card's hands are too
        bucket, level = local[hand], strengths[hand]
        pairs[bucket * count + bucket] -= 1
        for side in range(2):
            card = cards[hand, side]
            at = num_with[card]
            level_of[card, at], bucket_of[card, at] = level, bucket
            num_with[card] += 1
            row = bucket * count
            for lower in range(at):
                other = bucket_of[card, lower]
                if level_of[card, lower] == level:
                    pairs[row + other] -= 1
                    pairs[other * count + bucket] -= 1
                else:
                    pairs[row + other] -= 2


@njit(cache=True, nogil=True)
def _add_weighted(pairs: Int32s, used: Ints, count: int, weight: int, out: Ints) -> None:
    """Add one board's counts to all boards'."""
    for at in range(count):
        row = out[used[at]]
        for other in range(count):
            row[used[other]] += weight * np.int64(pairs[at * count + other])
