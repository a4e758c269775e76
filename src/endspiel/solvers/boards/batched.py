"""The backend of two streets whose second has many boards, such as all flops of flop hold'em.

What precedes the last street is walked in 64-bit floats and in NumPy; the last street by whatever
solves it. Both players may hold the same hands.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from endspiel.betting.streets import Street
from endspiel.cards.removal import unblocked_weight
from endspiel.engine.backend import alternate
from endspiel.engine.schemes import CURRENT, LONGEST_AVERAGE, Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Float64s, Floats
from endspiel.kernels.board import BEST, EXPECTED
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares
from endspiel.solvers.boards.street import AVERAGE, REGRET, LastStreet


class BatchedBackend:
    """A game with its strategies: those of the first street here, the last street's in `last`."""

    longest_average = LONGEST_AVERAGE
    zero_sum = True

    def __init__(self, first: Street, last: LastStreet, pairs: float, unit: float) -> None:
        """Root values are divided by the weight of all pairs of hands, payoffs by a unit."""
        self.first, self.last, self.pairs, self.unit = first, last, pairs, unit
        self.hands = last.tree.streets[0][0].hands[0]  # [K]
        sizes = [(size - 1, len(self.hands)) for size in first.size]
        self.regret: list[Float64s] = [np.zeros(size) for size in sizes]
        self.average: list[Float64s] = [np.zeros(size) for size in sizes]
        self.locked: list[Floats | None] = [None, None]  # [S - 1, K] behavior
        self._root: list[Floats] = [last.tree.ranges[player][self.hands] for player in (0, 1)]

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive or not scheme.alternating:
            raise GameError("boards side by side know alternating schemes without prediction")
        if scheme.solution == CURRENT:
            raise GameError("boards side by side have an average for their solution")

    def root(self, player: int) -> Floats:
        return self._root[player]

    def set_root(self, player: int, reach: Floats) -> None:
        self._root[player] = np.asarray(reach, dtype=np.float64)

    def decisions(self, player: int) -> list[tuple[int, int, int]]:
        """First sequence, actions and parent of each decision before the last street."""
        lists = (self.first.first[player], self.first.actions[player], self.first.parent[player])
        return list(zip(*lists, strict=True))

    def _lines(self, player: int) -> list[int]:
        """The player's sequence that leads to each line of the last street."""
        return [seqs[player] for seqs in self.first.out]

    def behavior(self, player: int, sums: Floats) -> Floats:
        """Probability [S - 1, K] of each action of the first street, from regrets or averages."""
        found = np.empty_like(sums)
        for first, actions, _ in self.decisions(player):
            span = slice(first - 1, first - 1 + actions)
            found[span] = shares(sums[span])
        return found

    def _current(self, player: int) -> Floats:
        locked = self.locked[player]
        return self.behavior(player, self.regret[player]) if locked is None else locked

    def _plan(self, player: int, behavior: Floats) -> Floats:
        """Reaches [S, K] of the first street's sequences; the last street's lines are told."""
        found = np.empty((1 + len(behavior), len(self.hands)))
        found[0] = self._root[player]
        for first, actions, parent in self.decisions(player):
            span = slice(first - 1, first - 1 + actions)
            found[first : first + actions] = found[parent] * behavior[span]
        self.last.set_range(player, found[self._lines(player)])
        return found

    def reaches(self, player: int) -> Floats:
        """The average's reaches [S, K] of the first street's sequences."""
        return self._plan(player, self.behavior(player, self.average[player]))

    def _up(self, player: int, lines: Floats, theirs: Floats, choice: Floats | None) -> Floats:
        """Value [S, K] of each sequence, from the lines' [L, K] and the other's reaches [S', K].

        Choice is the player's behavior; None is the best.
        """
        values = np.zeros((1 + len(self.average[player]), len(self.hands)))
        for end in self.first.terminals:
            mass = unblocked_weight(theirs[end.seqs[1 - player]], self.hands)
            values[end.seqs[player]] += end.gain(player) / self.unit * mass
        for sequence, value in zip(self._lines(player), lines, strict=True):
            values[sequence] += value
        for first, actions, parent in reversed(self.decisions(player)):
            own = None if choice is None else choice[first - 1 : first - 1 + actions]
            values[parent] += decision_values(values[first : first + actions], own)
        return values

    def learn(self, player: int, discounts: Discounts) -> Floats:
        own = self._current(player)
        reach = self._plan(player, own)
        theirs = self._plan(1 - player, self._current(1 - player))
        values = self._up(player, self.last.learn(player, discounts), theirs, own)
        add_plans(self.average[player], reach[1:], discounts)
        for first, actions, _ in self.decisions(player):
            span, rows = values[first : first + actions], slice(first - 1, first - 1 + actions)
            news = span - decision_values(span, own[rows])
            add_advantages(self.regret[player][rows], news, discounts)
        found: Floats = values[0] / self.pairs
        return found

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        alternate(self, schedule)

    def _measure(self, player: int, mode: int) -> Floats:
        """Value [S, K] of each sequence against the other's average."""
        own = None if mode == BEST else self.behavior(player, self.average[player])
        reaches = [self.reaches(each) for each in (0, 1)]
        lines = self.last.values(player, mode)
        return self._up(player, lines, reaches[1 - player], own) / self.pairs

    def sequence_values(self, player: int) -> Floats:
        """What each of the first street's sequences is worth at best [S, K]."""
        return self._measure(player, BEST)

    def best_values(self, player: int) -> Floats:
        found: Floats = self._measure(player, BEST)[0]
        return found

    def average_values(self, player: int) -> Floats:
        found: Floats = self._measure(player, EXPECTED)[0]
        return found

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for player in (0, 1):
            found[f"regret{player}"] = self.regret[player].copy()
            found[f"average{player}"] = self.average[player].copy()
            for kind in (REGRET, AVERAGE):
                found[f"flop_{kind}{player}"] = self.last.state(kind, player)
        return found

    def restore(self, arrays: dict[str, Any]) -> None:
        for player in (0, 1):
            self.regret[player] = arrays[f"regret{player}"].copy()
            self.average[player] = arrays[f"average{player}"].copy()
            for kind in (REGRET, AVERAGE):
                self.last.restore(kind, player, arrays[f"flop_{kind}{player}"])
