"""What a blueprint leaves the opponent in an endgame: the alternatives of the safe techniques."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, BettingTree
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weight
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.kernels.arrays import Float64s
from endspiel.ranges.line import with_every_hand
from endspiel.solvers.boards.strategy import BoardStrategy

# Probability [A, 1326] of each action at a node of the betting, on a board.
Strategy = Callable[[int, Sequence[int]], NDArray[np.floating]]


class Baseline(NamedTuple):
    """A player's strategy in the betting of a blueprint, and the range it comes with."""

    tree: BettingTree
    node: int  # where the endgame begins
    player: int
    strategy: Strategy
    weights: Float64s  # [1326]


def values_against(base: Baseline, board: Sequence[int]) -> Float64s:
    """What each hand [1326] of the opponent can get by its best play from there on, in chips.

    A value counts the whole hand, as the blueprint's betting has it, and is given that the hand
    gets there.
    """
    tree, node, opponent = base.tree, base.node, 1 - base.player
    if int(tree.kind[node]) != DECISION:
        raise GameError(f"nothing is decided after {tree.line(node)!r}")
    own, live = with_every_hand(base.weights, board), live_hands(board)
    cards = card_tree(board, (own, live) if opponent else (live, own))
    game = CardGame(tree, cards, node, float(tree.spent[node].sum()))
    mass, hands = unblocked_weight(own), game.tree.streets[0][0].hands[opponent]
    values = _played(game, base).best(opponent) * game.pairs
    found = np.zeros(len(mass))
    found[hands] = np.divide(values, mass[hands], out=np.zeros(len(hands)), where=mass[hands] > 0)
    return found * game.unit


def _played(game: CardGame, base: Baseline) -> BoardStrategy:
    """The player's strategy on every board of the endgame."""

    def rows(street: int, b: int, player: int) -> Float64s:
        board, betting = game.tree.streets[street][b], game.streets[street]
        found = np.zeros((betting.size[player] - len(betting.starts), len(board.hands[player])))
        for own in betting.own(player):
            found[own.rows] = base.strategy(own.node, board.cards)[:, board.hands[player]]
        return found

    return BoardStrategy.made(game, rows, [base.player])
