"""The walk of a board in plain NumPy: the readable twin of the kernels, node by node.

Every pair of hands is compared, so that terminals are matrix products; nothing is shared between
nodes or skipped. Tests hold the kernels to it, and the benchmark measures against it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import CHANCE, DECISION, FOLD, SHOWDOWN
from endspiel.blueprint.sampled import PAIRS, SampledGame
from endspiel.blueprint.sampled_boards import BOARD_CARDS
from endspiel.cards.deck import hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.game import showdown_form
from endspiel.kernels.regrets import shares

Array = NDArray[Any]
Rows = Mapping[int, Array]  # by decision node: [A, K]


class Walked(NamedTuple):
    """What one player's walk of a board adds, and finds."""

    advantage: dict[int, Array]  # by decision node of the player: [A, K], to its regrets
    reach: dict[int, Array]  # by decision node of the player: [A, K], to its average
    value: float  # big blinds a hand


def walk_board(
    game: SampledGame, board: list[int], player: int, rows: Rows, dtype: Any = np.float64
) -> Walked:
    """One player's walk of a full board; both play by their rows, regrets or weights."""
    tree = game.tree
    strengths = board_strengths(board).astype(np.int64)
    live = np.flatnonzero(strengths)
    buckets = [game.buckets.board_buckets(board[:cards])[live] for cards in BOARD_CARDS]
    reach = np.ones((2, tree.num_nodes, len(live)), dtype)
    for node in range(tree.num_nodes):
        for a, child in enumerate(tree.children(node)):
            reach[:, child] = reach[:, node]
            if tree.kind[node] == DECISION:
                share = shares(rows[node])[a, buckets[tree.street[node]]]
                reach[int(tree.player[node]), child] *= share.astype(dtype)

    value = np.zeros((tree.num_nodes, len(live)), dtype)
    _pay_terminals(game, player, (strengths[live], live), reach[1 - player], value)
    advantages, reaches = {}, {}
    for node in reversed(range(tree.num_nodes)):
        children = tree.children(node)
        if tree.kind[node] == CHANCE or (
            tree.kind[node] == DECISION and tree.player[node] != player
        ):
            value[node] = value[children].sum(axis=0)
        elif tree.kind[node] == DECISION:
            own, size = buckets[tree.street[node]], rows[node].shape[1]
            chances = shares(rows[node])[:, own].astype(dtype)
            value[node] = (chances * value[children]).sum(axis=0)
            gained = value[children] - value[node]
            advantages[node] = np.array([np.bincount(own, row, size) for row in gained])
            reached = reach[player, children]
            reaches[node] = np.array([np.bincount(own, row, size) for row in reached])
    return Walked(advantages, reaches, float(value[0].sum(dtype=np.float64)) / PAIRS)


def _pay_terminals(
    game: SampledGame, player: int, hands: tuple[Array, Array], reach: Array, value: Array
) -> None:
    """Fill the values [N, H] of terminals by the other's reaches [N, H]."""
    tree, (strengths, live) = game.tree, hands
    cards = hand_cards()[live]
    shared = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    meet = (~shared).astype(reach.dtype)
    beats = showdown_form(strengths, strengths, meet).astype(reach.dtype)
    for kind, pays in ((SHOWDOWN, beats), (FOLD, meet)):
        nodes = np.flatnonzero(tree.kind == kind)
        stakes = tree.gains(nodes, player) / game.unit
        value[nodes] = (reach[nodes] @ pays.T) * stakes[:, None].astype(reach.dtype)
