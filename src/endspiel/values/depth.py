"""A flop solved to its end: what follows is valued by a net, anew in every iteration.

Players learn in turn, for which a net is asked twice an iteration: with exact values in a net's
place that is 10 times nearer to equilibrium than learning at once, after as many questions 4 times.
Sequences are those of the street's betting (`betting.streets`); reaches and values are rows of all
1326 hands. All-in lines are valued by the share of run-outs that each hand wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import Street, cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.engine.schemes import Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares
from endspiel.values.nets import ValueNet

Floats = NDArray[np.float64]
LONGEST: Final = float("inf")  # sums are kept in 64 bits
PLAYERS: Final = (0, 1)


class StreetLine(NamedTuple):
    """A line that goes on after the street."""

    seqs: tuple[int, int]
    pot: float  # chips, both players' together
    behind: float  # chips that each has left


class LineValues(Protocol):
    """What lines are worth once the street is over."""

    def __call__(self, reaches: Floats) -> Floats:
        """Counterfactual values in chips, from both players' reaches: both [L, 2, 1326]."""


class NetValues:
    """Lines valued by a net, those of players all in by their chances to win."""

    def __init__(
        self, net: ValueNet, board: Sequence[int], lines: Sequence[StreetLine], wins: Floats
    ) -> None:
        if net.cards != len(board):
            raise GameError(f"the net is of boards of {net.cards} cards, not {len(board)}")
        self.net, self.wins = net, wins  # [1326, 1326] chance to win less chance to lose
        self.open = [number for number, line in enumerate(lines) if line.behind > 0]
        self.over = [number for number, line in enumerate(lines) if line.behind <= 0]
        self.pots = np.array([line.pot for line in lines])
        self.depths = np.array([line.behind / line.pot for line in lines])
        self.boards = np.tile(np.array(board), (len(self.open), 1))

    def __call__(self, reaches: Floats) -> Floats:
        found = np.zeros_like(reaches)
        if self.open:
            ranges = reaches[self.open].astype(np.float32)
            values = self.net(self.boards, self.depths[self.open], ranges)
            found[self.open] = values * unblocked_weights(ranges)[:, ::-1]
        for number in self.over:
            for player in PLAYERS:
                found[number, player] = self.wins @ reaches[number, 1 - player] / 2
        found *= self.pots[:, None, None]
        return found


@dataclass
class _Side:
    """One player's sums on the street."""

    regret: Floats  # [S, 1326]
    average: Floats  # [S, 1326]


class DepthLimited:
    """A running solve of one street; payoffs are in pots."""

    def __init__(
        self,
        tree: BettingTree,
        ranges: tuple[Floats, Floats],
        board: Sequence[int],
        scheme: Scheme,
    ) -> None:
        self.tree, self.scheme, self.iteration = tree, scheme, 0
        cut = cut_streets(tree)
        self.street: Street = cut[0]
        live = live_hands(tuple(board))
        self.ranges = tuple(weights * live for weights in ranges)
        self.pairs = float(self.ranges[0] @ unblocked_weights(self.ranges[1]))
        if self.pairs <= 0:
            raise GameError("no hand of one range can be held against a hand of the other")
        starts = cut[1].starts if len(cut) > 1 else []
        self.lines = [
            StreetLine(seqs, float(tree.pot + tree.spent[node].sum()), _behind(tree, node))
            for seqs, node in zip(self.street.out, starts, strict=True)
        ]
        sizes = self.street.size
        self.sides = [_Side(*np.zeros((2, sizes[p], NUM_HANDS))) for p in PLAYERS]
        self._folds = [t for t in self.street.terminals if t.folder >= 0]
        if len(self._folds) < len(self.street.terminals):
            raise GameError("a street with showdowns is the last: solve it to the end")

    def advance(self, steps: int, after: LineValues) -> None:
        """So many iterations; lines that go on are worth what `after` says."""
        for _ in range(steps):
            self.iteration += 1
            discounts = self.scheme.at(self.iteration, LONGEST)
            for player in PLAYERS:
                behaviors = [self._matched(p) for p in PLAYERS]
                reaches = [self._reaches(p, behaviors[p]) for p in PLAYERS]
                gains = self._gains(reaches, after)[player]
                self._learn(player, behaviors[player], reaches[player], gains, discounts)

    def strategy(self, player: int) -> list[Floats]:
        """The average at each of a player's decisions: [A, 1326]."""
        return [shares(rows) for rows in self._decisions(player, self.sides[player].average)]

    def root_values(self, after: LineValues) -> Floats:
        """What each hand is worth when both follow their averages, in pots by pairs: [2, 1326]."""
        averages = [np.zeros((self.street.size[p], NUM_HANDS)) for p in PLAYERS]
        for player in PLAYERS:
            rows = self._decisions(player, averages[player])
            for behavior, row in zip(self.strategy(player), rows, strict=True):
                row[:] = behavior
        reaches = [self._reaches(p, averages[p]) for p in PLAYERS]
        gains = self._gains(reaches, after)
        for player in PLAYERS:
            self._up(player, averages[player], gains[player])
        return np.stack([gains[p][0] for p in PLAYERS])

    def _decisions(self, player: int, rows: Floats) -> list[Floats]:
        """Views of the rows of each decision, [A, 1326]."""
        street = self.street
        return [
            rows[first : first + actions]
            for first, actions in zip(street.first[player], street.actions[player], strict=True)
        ]

    def _matched(self, player: int) -> Floats:
        """The strategy that regrets match, by sequence: [S, 1326]."""
        found = np.ones_like(self.sides[player].regret)
        regrets = self._decisions(player, self.sides[player].regret)
        for rows, to in zip(regrets, self._decisions(player, found), strict=True):
            to[:] = shares(rows)
        return found

    def _reaches(self, player: int, behavior: Floats) -> Floats:
        """How often a player takes each sequence with each hand: [S, 1326]."""
        reach = behavior.copy()
        reach[0] = self.ranges[player]
        for rows, parent in zip(
            self._decisions(player, reach), self.street.parent[player], strict=True
        ):
            rows *= reach[parent]
        return reach

    def _gains(self, reaches: list[Floats], after: LineValues) -> list[Floats]:
        """What sequences lead to at once, in pots by pairs: [S, 1326] a player."""
        scale = self.tree.pot * self.pairs
        gains = [np.zeros_like(reach) for reach in reaches]
        for end in self._folds:
            for player in PLAYERS:
                met = unblocked_weights(reaches[1 - player][end.seqs[1 - player]])
                gains[player][end.seqs[player]] += end.gain(player) / scale * met
        if self.lines:
            coming = np.stack([[reaches[p][line.seqs[p]] for p in PLAYERS] for line in self.lines])
            for line, values in zip(self.lines, after(coming), strict=True):
                for player in PLAYERS:
                    gains[player][line.seqs[player]] += values[player] / scale
        return gains

    def _up(self, player: int, behavior: Floats, gains: Floats) -> None:
        """Add what decisions are worth to the sequences that lead to them, the last ones first."""
        rows = self._decisions(player, gains), self._decisions(player, behavior)
        parents = self.street.parent[player]
        for values, shared, parent in reversed(list(zip(*rows, parents, strict=True))):
            gains[parent] += decision_values(values, shared)

    def _learn(
        self, player: int, behavior: Floats, reach: Floats, gains: Floats, discounts: Discounts
    ) -> None:
        """Take values up, and remember what should have been done instead."""
        self._up(player, behavior, gains)
        side, street = self.sides[player], self.street
        for first, actions in zip(street.first[player], street.actions[player], strict=True):
            rows = slice(first, first + actions)
            worth = decision_values(gains[rows], behavior[rows])
            add_advantages(side.regret[rows], gains[rows] - worth, discounts)
            add_plans(side.average[rows], reach[rows], discounts)


def _behind(tree: BettingTree, node: int) -> float:
    """Chips that each player has left at a node."""
    return float(tree.stack - tree.spent[node].max())
