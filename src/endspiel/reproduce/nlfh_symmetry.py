"""Hands that suits make alike have to play alike, or folded flops tell a wrong exploitability.

A flop stands for all that differ from it by suits, and a suit permutation that leaves it in place
takes hands into others that are the same. In theory these play the same; in practice rounding
decides for each where nothing is at stake. What a hand before the flop is worth then depends on the
permutation that takes its flop to the one that is stored, while the folded best response averages
over suit classes first and takes the maximum before the flop after that, so that it finds too
little. Evened out, a strategy is one of the unfolded game, and the folded best response is exact.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.games.card_tree import Board, flop_tree
from endspiel.kernels.arrays import Floats, Ints


class SuitClasses:
    """The suit classes of the hands before the flop: arrays by hand [..., K] and class [..., C]."""

    def __init__(self, hands: Ints) -> None:
        _, self.of, self.hands = np.unique(
            hand_classes()[hands], return_inverse=True, return_counts=True
        )
        self._member = (self.of[:, None] == np.arange(len(self.hands))) / self.hands  # [K, C]

    def mean(self, by_hand: Floats) -> Floats:
        """Class means."""
        found: Floats = by_hand @ self._member
        return found

    def total(self, by_hand: Floats) -> Floats:
        """Class sums."""
        return self.mean(by_hand) * self.hands

    def evened(self, by_hand: Floats) -> Floats:
        """Each hand with its class's mean."""
        return self.mean(by_hand)[..., self.of]

    def spread(self, by_class: Floats) -> Floats:
        """Each hand's equal part of its class."""
        part: Floats = (by_class / self.hands)[..., self.of]
        return part


def alike_on(boards: Sequence[Board]) -> Ints:
    """Groups of player 0's hands on boards [B, K] under permutations that keep their board."""
    moved = hand_permutations().astype(np.int64)
    least = []
    for b, board in enumerate(boards):
        cards = np.array(board.cards)
        images = cards - cards % 4 + suit_permutations()[:, cards % 4]  # [24, cards]
        keeps = (np.sort(images, axis=1) == np.sort(cards)).all(axis=1)
        least.append(b * moved.shape[1] + moved[keeps][:, board.hands[0]].min(axis=0))
    found = np.stack(least)
    return np.unique(found, return_inverse=True)[1].reshape(found.shape)


@cache
def alike_by_hand(ranks: int) -> Ints:
    """Groups of all hands on all flops of a deck [B, 1327]; -1 for the dead, and of no hand."""
    boards = flop_tree(ranks).streets[1]
    found = np.full((len(boards), NUM_HANDS + 1), -1)
    hands = np.stack([board.hands[0] for board in boards])
    np.put_along_axis(found, hands, alike_on(boards), axis=1)
    found.flags.writeable = False
    return found
