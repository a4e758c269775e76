"""How a hand on the flop would stand on the river, were turn and river still to come.

Agents for Texas hold'em bucket flops by the distribution of that, and the paper's 30,000 buckets
come from such an algorithm. In flop hold'em, where the flop is the last street, they are wrong in
the way that abstractions are wrong: about the right hands together, for slightly other reasons.
"""

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_int64
from typing import Final

import numpy as np

from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.strength_tables import StrengthTables, strength_tables
from endspiel.games.card_tree import CardTree
from endspiel.kernels.arrays import Float32s, Ints, UInt8s
from endspiel.native.boundary import pointer
from endspiel.native.library import board_function, chosen_build

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


def _count(tables: StrengthTables, flop: UInt8s, deck: int) -> Ints:
    """Runouts [1326, BINS] after which each hand's equity is in each bin; own cards block none."""
    counts = np.zeros((NUM_HANDS, BINS), np.int64)
    left = np.array([card for card in range(deck) if card not in flop], np.uint8)
    board_function("count_outlooks", chosen_build())(
        byref(tables.packed),
        pointer(flop, np.uint8, shape=(3,), name="the flop"),
        pointer(left, np.uint8),
        *map(c_int64, (len(left), deck * (deck - 1) // 2, BINS)),
        pointer(counts, np.int64, written=True),
    )
    return counts
