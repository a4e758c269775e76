"""How much rake a solution pays in the mean: every end of every line by how often it is reached.

In 64-bit floats, whatever the solve was done in, so that what both players and the house take adds
up to the pot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import Street
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import Board
from endspiel.kernels.arrays import Float64s, Floats
from endspiel.solvers.boards.plans import plan_of
from endspiel.solvers.spots.nodes import Place

# Average probability [S - L, K] of each action with each hand, by street, board and player.
Behavior = Callable[[int, int, int], Floats]
Pair = tuple[Float64s, Float64s]  # of both players: [rows, K]


def rake_taken(game: CardGame, behavior: Behavior, place: Place | None = None) -> float:
    """Chips that the house takes in the mean, or where a place is given: once it is reached.

    NaN where no hands of both players get to the place.
    """
    if not game.betting.rake:
        return 0.0
    walk = _RakeWalk(game, behavior, 0 if place is None else place.node)
    path = [0] if place is None else _path(game, place)
    taken, reached = walk.below(path)
    return taken / reached if reached > 0 else float("nan")


def _path(game: CardGame, place: Place) -> list[int]:
    """The boards that lead to a place, its own last."""
    path = [place.board]
    for street in range(place.street, 0, -1):
        path.append(game.tree.streets[street][path[-1]].parent)
    return path[::-1]


@dataclass(frozen=True)
class _Ends:
    """The terminals of a street below the node."""

    seqs: tuple[NDArray[np.int64], NDArray[np.int64]]  # [T] of each player
    rake: Float64s  # [T] chips


class _RakeWalk:
    """The walk from the root board down, weighing what ends below a node of the betting."""

    def __init__(self, game: CardGame, behavior: Behavior, node: int) -> None:
        self.game, self.behavior = game, behavior
        below = _descendants(game.betting, node)
        self.ends = [_ends(street, below) for street in game.streets]

    def below(self, path: Sequence[int]) -> tuple[float, float]:
        """Rake, and how often it is taken, over the boards at and below the end of a path."""
        root = self.game.tree.streets[0][0]
        lines = tuple(
            self.game.tree.ranges[p][root.hands[p]][None, :].astype(np.float64) for p in (0, 1)
        )
        return self._visit(0, 0, (lines[0], lines[1]), path)

    def _visit(self, s: int, b: int, lines: Pair, path: Sequence[int]) -> tuple[float, float]:
        """What one board gives, with the boards below it; none beside the path."""
        board, street = self.game.tree.streets[s][b], self.game.streets[s]
        reach = self._reach(street, lines[0], (s, b, 0)), self._reach(street, lines[1], (s, b, 1))
        taken = reached = 0.0
        if len(path) <= s + 1:
            taken, reached = self._ends_of(s, board, reach)
        if s + 1 < len(self.game.streets):
            child = self.game.cards[s].child
            out = tuple(reach[p][[seqs[p] for seqs in street.out]] for p in (0, 1))
            for number in range(int(child[b]), int(child[b + 1])):
                if len(path) > s + 1 and number != path[s + 1]:
                    continue
                lower = self.game.tree.streets[s + 1][number]
                kept = tuple(_kept(board, lower, p) for p in (0, 1))
                one, two = self._visit(
                    s + 1, number, (out[0][:, kept[0]], out[1][:, kept[1]]), path
                )
                weight = len(lower.images) * lower.weight
                taken, reached = taken + weight * one, reached + weight * two
        return taken, reached

    def _reach(self, street: Street, lines: Float64s, where: tuple[int, int, int]) -> Float64s:
        """A player's reach [S, K] of its sequences on a board."""
        return plan_of(street, where[2], lines, self.behavior(*where)).astype(np.float64)

    def _ends_of(self, s: int, board: Board, reach: Pair) -> tuple[float, float]:
        """Rake taken on a board, and how often."""
        ends = self.ends[s]
        if not len(ends.rake):
            return 0.0, 0.0
        one, two = (reach[p][ends.seqs[p]] for p in (0, 1))  # [T, K]
        chance = self.game.tree.chance[s] * _met(one, two, board)
        return float(chance @ ends.rake), float(chance.sum())


def _met(one: Float64s, two: Float64s, board: Board) -> Float64s:
    """Weight [T] of the pairs of hands that share no card."""
    cards = [_incidence(hands) for hands in board.hands]
    both = np.intersect1d(board.hands[0], board.hands[1], return_indices=True)[1:]
    shared = ((one @ cards[0]) * (two @ cards[1])).sum(axis=1)
    same: Float64s = (one[:, both[0]] * two[:, both[1]]).sum(axis=1)  # taken out twice
    met: Float64s = one.sum(axis=1) * two.sum(axis=1) - shared + same
    return np.maximum(met, 0.0)


def _incidence(hands: NDArray[np.integer]) -> Float64s:
    """1 where a hand has a card: [K, 52]."""
    has = np.zeros((len(hands), NUM_CARDS))
    has[np.arange(len(hands))[:, None], hand_cards()[hands]] = 1.0
    return has


def _kept(upper: Board, lower: Board, player: int) -> NDArray[np.int64]:
    """Where the hands of a board lie among those of the board above."""
    where = np.full(NUM_HANDS, -1, dtype=np.int64)
    where[upper.hands[player]] = np.arange(len(upper.hands[player]))
    return where[lower.hands[player]]


def _descendants(tree: BettingTree, node: int) -> NDArray[np.bool_]:
    """Which nodes are at or below a node: [N]."""
    below = np.zeros(tree.num_nodes, dtype=bool)
    below[node] = True
    for child in range(node + 1, tree.num_nodes):  # parents come before children
        below[child] = below[tree.parent[child]]
    return below


def _ends(street: Street, below: NDArray[np.bool_]) -> _Ends:
    """The terminals of a street that lie below, with their rake."""
    numbered = [end for end in street.terminals if below[end.node]]
    seqs = np.array([end.seqs for end in numbered], dtype=np.int64).reshape(-1, 2)
    rake = np.array([end.rake for end in numbered], dtype=np.float64)
    return _Ends((seqs[:, 0], seqs[:, 1]), rake)
