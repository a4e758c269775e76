"""The 169 starting-hand classes against each other, before the flop: exact, with card removal."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float64s, Ints
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.preflop import NUM_BOARDS, preflop_counts
from endspiel.cards.removal import conflicts


class ClassMatchups(NamedTuple):
    """What each class meets; rows and columns in the order of `class_names`."""

    pairs: Ints  # [169, 169] pairs of hands, one of each class, without a common card
    equity: Float64s  # [169, 169] the row's share of the pot against the column, over those pairs
    tie: Float64s  # [169, 169] how often all-in hands of the two tie

    @property
    def chance(self) -> Float64s:
        """How often the row is dealt against the column [169, 169], sum 1."""
        dealt: Float64s = self.pairs / self.pairs.sum()
        return dealt


@cache
def class_matchups() -> ClassMatchups:
    """The shipped table of all hands, added up in whole numbers: read-only."""
    win, tie = preflop_counts()
    pairs = _by_class(~conflicts())
    halves = 2 * _by_class(win) + _by_class(tie)  # of boards, over all pairs of the two classes
    equity: Float64s = halves / (2.0 * NUM_BOARDS * pairs)
    tied: Float64s = _by_class(tie) / (1.0 * NUM_BOARDS * pairs)
    pairs.flags.writeable = equity.flags.writeable = tied.flags.writeable = False
    return ClassMatchups(pairs, equity, tied)


def _by_class(table: NDArray[np.bool_] | NDArray[np.int32]) -> Ints:
    """Sums [169, 169] of a table of hands [1326, 1326]."""
    order = np.argsort(hand_classes(), kind="stable")
    starts = np.searchsorted(hand_classes()[order], np.arange(NUM_CLASSES))
    rows = np.add.reduceat(table[order].astype(np.int64), starts, axis=0)
    sums: Ints = np.add.reduceat(rows[:, order], starts, axis=1)
    return sums
