"""Buckets of all hands on all boards that one more card makes: for the mean of a deal.

Board by board they would cost 40 ms before the turn and again before the river. Here a river board
is computed once for both of its last cards, and on the river the turn's buckets are known.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.clustering_kernels import assign_children
from endspiel.abstraction.features import (
    DEAD,
    NUM_RIVERS,
    count_flop_rivers,
    equity_bins,
)
from endspiel.abstraction.ground import line
from endspiel.abstraction.river import RiverLimits, fill_rivers
from endspiel.arena.estimators.shares import Cards
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_tables import strength_tables

_FLOP: Final = 3
_KEPT: Final = 16  # boards whose next cards are remembered: 0.14 MB each

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]


class BoardBuckets:
    """Buckets of an abstraction with perfect recall, board by board or for a whole deal."""

    def __init__(self, abstraction: Abstraction) -> None:
        self.abstraction = abstraction
        self._after = lru_cache(_KEPT)(self._find_after)
        self._early = lru_cache(_KEPT)(abstraction.board_buckets)

    def __call__(self, board: Cards) -> UInt16s:
        """Bucket of every hand: [1326], DEAD where it hits the board."""
        if len(board) <= _FLOP:
            return self._early(board)
        buckets: UInt16s = self._after(board[:-1])[board[-1]]
        return buckets

    def _find_after(self, board: Cards) -> UInt16s:
        """Buckets by the card that comes after a flop or turn: [52, 1326], DEAD if none comes."""
        out = np.full((NUM_CARDS, NUM_HANDS), DEAD, np.uint16)
        left = np.array([card for card in range(NUM_CARDS) if card not in board], np.uint8)
        known = np.array(board, np.uint8)
        if len(board) > _FLOP:
            river = self.abstraction.river
            levels = RiverLimits(river.first, river.limit)
            fill_rivers(strength_tables(7), known, self(board), levels, out)
        elif self.abstraction.is_compact:
            out[left] = self._turns(known, left)
        else:
            for card in left.tolist():
                out[card] = self.abstraction.board_buckets((*board, card))
        return out

    def _turns(self, flop: UInt8s, left: UInt8s) -> UInt16s:
        """Buckets of the hands on every turn [49, 1326], by the arithmetic of the abstraction."""
        num_bins = self.abstraction.plan.detail.river_bins
        counts = np.zeros((NUM_CARDS, NUM_HANDS, num_bins), np.uint8)
        count_flop_rivers(strength_tables(7), flop, left, equity_bins(num_bins), counts)
        counts = counts[left]
        parents = np.where(counts.any(axis=2), self(tuple(flop.tolist())), DEAD).astype(np.uint16)
        ground = line(num_bins, NUM_RIVERS)
        out, far = np.empty(parents.size, np.uint16), np.empty(parents.size, np.float32)
        points = ground.embed(counts).reshape(parents.size, -1)
        family = self.abstraction.turn.family
        assign_children(points, parents.ravel(), ground.length, family, out, far)
        return out.reshape(parents.shape)
