"""Buckets of all hands on all boards that one more card makes: for the mean of a deal.

Board by board they would cost 40 ms before the turn and again before the river. Here a river board
is looked at once for both of its last cards, and on the river the turn's buckets are known.
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
    equity_bins,
    fill_halves,
)
from endspiel.abstraction.ground import line
from endspiel.abstraction.river import fill_river_buckets
from endspiel.arena.estimators.shares import Cards
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.strength_tables import StrengthTables, strength_tables
from endspiel.jit import njit

_FLOP: Final = 3
_KEPT: Final = 16  # boards whose next cards are remembered: 0.14 MB each

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
Int64s = NDArray[np.int64]


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
            levels = river.first, river.limit
            _fill_rivers(strength_tables(7), (known, left), hand_cards(), self(board), levels, out)
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
        _count_rivers(strength_tables(7), (flop, left), hand_cards(), equity_bins(num_bins), counts)
        counts = counts[left]
        parents = np.where(counts.any(axis=2), self(tuple(flop.tolist())), DEAD).astype(np.uint16)
        ground = line(num_bins, NUM_RIVERS)
        out, far = np.empty(parents.size, np.uint16), np.empty(parents.size, np.float32)
        points = ground.embed(counts).reshape(parents.size, -1)
        family = self.abstraction.turn.family
        assign_children(points, parents.ravel(), ground.length, family, out, far)
        return out.reshape(parents.shape)


@njit(cache=True, nogil=True)
def _count_rivers(
    tables: StrengthTables,
    seen: tuple[UInt8s, UInt8s],  # [3] flop, [49] cards left
    cards: UInt8s,  # [1326, 2]
    bins: UInt8s,  # [1981]
    out: UInt8s,  # [52, 1326, bins] added to
) -> None:
    """How many river cards put each hand into each bin of equity, by turn card."""
    flop, left = seen
    halves = np.empty(NUM_HANDS, np.uint16)
    board = np.empty(5, np.uint8)
    board[:3] = flop
    for at in range(len(left)):
        for before in range(at):
            board[3], board[4] = left[before], left[at]
            fill_halves(tables, board, cards, halves)
            first, second = out[left[before]], out[left[at]]
            for hand in range(NUM_HANDS):
                if halves[hand] != DEAD:
                    into = bins[halves[hand]]
                    first[hand, into] += 1
                    second[hand, into] += 1


@njit(cache=True, nogil=True)
def _fill_rivers(
    tables: StrengthTables,
    seen: tuple[UInt8s, UInt8s],  # [4] turn board, [48] cards left
    cards: UInt8s,  # [1326, 2]
    nodes: UInt16s,  # [1326] buckets of the turn
    levels: tuple[Int64s, UInt16s],  # [P + 1] first, [K] limit: river buckets under the turn's
    out: UInt16s,  # [52, 1326] filled for the cards left
) -> None:
    """Buckets on all rivers of a turn board."""
    turn, left = seen
    halves = np.empty(NUM_HANDS, np.uint16)
    board = np.empty(5, np.uint8)
    board[:4] = turn
    for card in left:
        board[4] = card
        fill_halves(tables, board, cards, halves)
        fill_river_buckets(nodes, halves, levels[0], levels[1], out[card])
