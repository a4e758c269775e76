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
from typing import NamedTuple

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.games.card_tree import Board, flop_tree
from endspiel.kernels.arrays import Floats, Ints


class Alike(NamedTuple):
    """Which hands are the same but for suits."""

    of: Ints  # [...] number of each hand's group
    size: Ints  # [G] hands in each group


def alike_before(hands: Ints) -> Alike:
    """Suit classes of hands [K] before the flop."""
    _, of, size = np.unique(hand_classes()[hands], return_inverse=True, return_counts=True)
    return Alike(of, size)


def alike_on(boards: Sequence[Board]) -> Alike:
    """Groups of player 0's hands on boards [B, K] under permutations that keep their board."""
    moved = hand_permutations().astype(np.int64)
    least = []
    for b, board in enumerate(boards):
        cards = np.array(board.cards)
        images = cards - cards % 4 + suit_permutations()[:, cards % 4]  # [24, cards]
        keeps = (np.sort(images, axis=1) == np.sort(cards)).all(axis=1)
        least.append(b * moved.shape[1] + moved[keeps][:, board.hands[0]].min(axis=0))
    found = np.stack(least)
    _, of, size = np.unique(found, return_inverse=True, return_counts=True)
    return Alike(of.reshape(found.shape), size)


@cache
def alike_by_hand(ranks: int) -> Ints:
    """Groups of all hands on all flops of a deck [B, 1327]; -1 for the dead, and of no hand."""
    boards = flop_tree(ranks).streets[1]
    found = np.full((len(boards), NUM_HANDS + 1), -1)
    hands = np.stack([board.hands[0] for board in boards])
    np.put_along_axis(found, hands, alike_on(boards).of, axis=1)
    found.flags.writeable = False
    return found


def mean_alike(rows: Floats, alike: Alike) -> Floats:
    """Rows [n, K], each hand having its group's mean."""
    sums = np.stack([np.bincount(alike.of, row, len(alike.size)) for row in rows])
    mean: Floats = (sums / alike.size)[:, alike.of]
    return mean
