"""How a hand on the flop would stand on the river, were turn and river still to come.

Agents for Texas hold'em bucket flops by the distribution of that, and the paper's 30,000 buckets
come from such an algorithm. In flop hold'em, where the flop is the last street, they are wrong in
the way that abstractions are wrong: about the right hands together, for slightly other reasons.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.strength_kernels import fill_board_strengths
from endspiel.cards.strength_tables import NUM_CLASSES, StrengthTables, strength_tables
from endspiel.games.card_tree import CardTree
from endspiel.jit import njit
from endspiel.kernels.arrays import Float32s, Ints, UInt8s

BINS: Final = 20  # of river equity


def outlooks(tree: CardTree, threads: int = 1) -> list[Float32s]:
    """Features [K, BINS - 1] of the hands on each flop: how often the equity is in no higher bin.

    Distances between such features are those of moving equity from bin to bin.
    """
    tables, boards = strength_tables(7), tree.streets[1]
    with ThreadPoolExecutor(threads) as pool:
        counts = pool.map(
            lambda board: _count(tables, np.array(board.cards, np.uint8), tree.deck), boards
        )
        return [
            _features(count[board.hands[0]]) for count, board in zip(counts, boards, strict=True)
        ]


def _features(counts: Ints) -> Float32s:
    shares = np.cumsum(counts[:, :-1], axis=1) / counts.sum(axis=1, keepdims=True)
    features: Float32s = shares.astype(np.float32)
    return features


@njit(cache=True, nogil=True)
def _count(tables: StrengthTables, flop: UInt8s, deck: int) -> Ints:
    """Runouts [1326, BINS] after which each hand's equity is in each bin; own cards block none."""
    counts = np.zeros((NUM_HANDS, BINS), np.int64)
    strengths = np.empty(NUM_HANDS, np.uint16)
    hands = deck * (deck - 1) // 2
    board = np.empty(5, np.uint8)
    board[:3] = flop
    levels = np.empty(NUM_CLASSES + 2, np.int64)  # hands of each strength, then those below it
    for turn in range(deck):
        for river in range(turn):
            if turn in flop or river in flop:
                continue
            board[3], board[4] = river, turn
            fill_board_strengths(tables, board, strengths)
            levels[:] = 0
            for hand in range(hands):
                levels[strengths[hand] + 1] += 1
            levels[1] = 0  # strength 0 is that of hands the board has a card of
            for level in range(1, NUM_CLASSES + 2):
                levels[level] += levels[level - 1]
            live = levels[NUM_CLASSES + 1]
            for hand in range(hands):
                if strengths[hand] > 0:
                    halves = levels[strengths[hand]] + levels[strengths[hand] + 1] - 1
                    counts[hand, halves * BINS // (2 * live)] += 1
    return counts
