"""Every board of a card tree's last street and the hands on them, as arrays of NumPy or torch.

A board's showdowns are one matrix of -1, 0 and 1, so that all showdowns of a street are one batched
matrix product.
"""

from typing import Any

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.games.card_tree import CardTree
from endspiel.kernels.arrays import Floats
from endspiel.solvers.boards.array_libraries import Arrays, Tensor, require_memory

BOARDS_AT_ONCE = 128  # of those whose showdown matrices are widened to 32 bits


def board_bytes(tree: CardTree) -> int:
    """What the cards and showdowns of a tree's last street take, in 32 bits."""
    boards, hands = tree.streets[-1], len(tree.streets[-1][0].hands[0])
    return 4 * len(boards) * hands * (hands + tree.deck)


class BoardTensors:
    """The boards of a card tree's last street and the hands on them, as arrays of one library."""

    def __init__(self, tree: CardTree, on: Arrays) -> None:
        boards = tree.streets[-1]
        hands = np.stack([board.hands[0] for board in boards])
        self.on, self.tree = on, tree
        self.num_boards, self.num_hands = hands.shape
        require_memory(on, board_bytes(tree))
        self.hand = on.put(hands)  # [B, K] hand numbers
        self.weight = on.put(np.array([float(b.weight) for b in boards], dtype=np.float32))
        self.incidence = self._incidence(hands, tree.deck)  # [B, K, deck] cards of each hand
        self.beats = self._beats(boards)  # [B, K, K] 1 where the row's hand beats the column's
        place = np.full((self.num_boards, NUM_HANDS), self.num_hands)
        np.put_along_axis(place, hands, np.arange(self.num_hands)[None], axis=1)
        held = tree.streets[0][0].hands[0]
        self.place = on.put(place[:, held])  # [B, H] where each hand lies; K where it is dead
        _, self.classes = np.unique(hand_classes()[held], return_inverse=True)  # [H]

    def _incidence(self, hands: Any, deck: int) -> Tensor:
        cards = self.on.put(hand_cards()[hands].astype(np.int64))  # [B, K, 2]
        every = self.on.put(np.arange(deck))
        held = (cards[:, :, :1] == every) | (cards[:, :, 1:] == every)
        return self.on.where(held, 1.0, 0.0)

    def _beats(self, boards: Any) -> Tensor:
        on, size = self.on, self.num_hands
        strength = np.stack([board_strengths(b.cards)[b.hands[0]] for b in boards])
        ranks = on.put(strength.astype(np.int32))
        found = on.empty((self.num_boards, size, size), on.narrow)
        for at in range(0, self.num_boards, BOARDS_AT_ONCE):
            part = slice(at, at + BOARDS_AT_ONCE)
            marks = self.incidence[part]
            apart = marks @ marks.swapaxes(1, 2) == 0
            row, column = ranks[part, :, None], ranks[part, None, :]
            loses = on.where(apart & (row < column), -1.0, 0.0)
            found[part] = on.where(apart & (row > column), 1.0, loses)
        return found

    def showdowns(self, reach: Tensor) -> Tensor:
        """What each hand wins [T, B, K] at stakes of 1 against reaches [T, B, K] of the other."""
        by_board = reach.swapaxes(0, 1)  # [B, T, K]; rows lose where columns win, hence the sign
        if self.beats.dtype == reach.dtype:
            return -(by_board @ self.beats).swapaxes(0, 1)
        found = self.on.empty(reach.shape)
        for at in range(0, self.num_boards, BOARDS_AT_ONCE):
            part = slice(at, at + BOARDS_AT_ONCE)
            wide = self.on.widen(self.beats[part])
            found[:, part] = -(by_board[part] @ wide).swapaxes(0, 1)
        return found

    def folds(self, reach: Tensor) -> Tensor:
        """The reach [T, B, K] of the other's hands that share no card with each hand."""
        by_board = reach.swapaxes(0, 1)
        by_card = by_board @ self.incidence
        shared = by_card @ self.incidence.swapaxes(1, 2)
        found = by_board.sum(axis=2, keepdims=True) - shared + by_board
        return found.swapaxes(0, 1)

    def spread(self, ranges: Tensor) -> Tensor:
        """Reaches of hands [L, 1326] on every board: [L, B, K]."""
        return ranges[:, self.hand]

    def gather(self, values: Tensor) -> Floats:
        """Values [L, B, K] summed over all boards: [L, H].

        Where boards are folded by suits before any card is dealt, means over each suit class.
        """
        found = self.on.weighed(self.on.look_up(values, self.place), self.weight)
        if not self.tree.classed:
            return found
        sizes = np.bincount(self.classes)
        for row in found:
            row[:] = (np.bincount(self.classes, row) / sizes)[self.classes]
        return found
