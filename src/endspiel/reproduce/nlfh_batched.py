"""Flop hold'em's solvers that have all flops in one array, of torch or NumPy.

What precedes the flop is in NumPy either way.
"""

from typing import Any

import numpy as np

from endspiel.cards.removal import unblocked_weight
from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.games.card_game import Buckets
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.board import BEST, EXPECTED
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_nested_game import Part
from endspiel.reproduce.nlfh_solvers import SCHEME, walk_down
from endspiel.reproduce.nlfh_symmetry import alike_before, alike_on, mean_alike
from endspiel.solvers.board_tensors import BoardTensors
from endspiel.solvers.board_torch import StreetSolver


def discounts(t: int) -> Discounts:
    """What iteration t does to the sums before it."""
    return SCHEME.at(t, LONGEST_AVERAGE)


class BatchedWhole:
    """The whole game: preflop in 64-bit floats, all flops of all lines in 32-bit ones."""

    def __init__(
        self, game: FlopGame | Part, boards: BoardTensors, buckets: Buckets | None = None
    ) -> None:
        self.game, self.iteration = game, 0
        self.flop = StreetSolver(boards, game.whole.streets[FLOP], UNIT, buckets)
        self.preflop, self.pairs = game.whole.streets[PREFLOP], game.whole.pairs
        self.hands = game.cards.streets[PREFLOP][0].hands[0]
        sizes = [(size - 1, len(self.hands)) for size in self.preflop.size]
        self.regret = [np.zeros(size) for size in sizes]
        self.average = [np.zeros(size) for size in sizes]
        self.locked: list[Floats | None] = [None, None]  # [S - 1, K] behavior

    def _decisions(self, player: int) -> list[tuple[int, int, int]]:
        plan = self.preflop
        lists = (plan.first[player], plan.actions[player], plan.parent[player])
        return list(zip(*lists, strict=True))

    def behavior(self, player: int, kept: Floats) -> Floats:
        """Probability [S - 1, K] of each preflop action, from regrets or averages."""
        found = np.maximum(kept, 0.0)
        for first, actions, _ in self._decisions(player):
            span = found[first - 1 : first - 1 + actions]
            total = span.sum(axis=0)
            span[:] = np.divide(span, total, out=np.full(span.shape, 1 / actions), where=total > 0)
        return found

    def _current(self, player: int) -> Floats:
        locked = self.locked[player]
        return self.behavior(player, self.regret[player]) if locked is None else locked

    def _reach(self, player: int, behavior: Floats) -> Floats:
        return walk_down(self.preflop, player, behavior)

    def _come(self, player: int, reach: Floats) -> None:
        """Bring a player's reaches [S, K] of preflop sequences to the flop's lines."""
        self.flop.set_range(player, reach[[seqs[player] for seqs in self.preflop.out]])

    def _up(self, player: int, lines: Floats, theirs: Floats, choice: Floats | None) -> Floats:
        """Value [S, K] of each preflop sequence, from the lines' [L, K] and the other's reaches.

        Choice is the player's behavior; None is the best.
        """
        values = np.zeros((self.preflop.size[player], len(self.hands)))
        for end in self.preflop.terminals:
            mass = unblocked_weight(theirs[end.seqs[1 - player]], self.hands)
            values[end.seqs[player]] += end.gain(player) / UNIT * mass
        for seqs, value in zip(self.preflop.out, lines, strict=True):
            values[seqs[player]] += value
        for first, actions, parent in reversed(self._decisions(player)):
            span = values[first : first + actions]
            if choice is None:
                values[parent] += span.max(axis=0)
            else:
                values[parent] += (span * choice[first - 1 : first - 1 + actions]).sum(axis=0)
        return values

    def _learn(self, player: int, by: Discounts) -> None:
        own, other = self._current(player), self._current(1 - player)
        reach, theirs = self._reach(player, own), self._reach(1 - player, other)
        self._come(player, reach)
        self._come(1 - player, theirs)
        values = self._up(player, self.flop.learn(player, by), theirs, own)
        self.average[player] = self.average[player] * by.average + reach[1:]
        regret = self.regret[player]
        regret *= np.where(regret > 0, by[0], by[1])
        for first, actions, _ in self._decisions(player):
            span = values[first : first + actions]
            rows = slice(first - 1, first - 1 + actions)
            regret[rows] += span - (span * own[rows]).sum(axis=0)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            by = discounts(self.iteration + 1)
            for player in (0, 1):
                self._learn(player, by)
            self.iteration += 1

    def even_out(self) -> None:
        boards, on = self.flop.boards, self.flop.on
        before, after = alike_before(self.hands), alike_on(boards.tree.streets[FLOP])
        of, size = on.put(after.of.ravel()), on.put(after.size.astype(np.float32))
        for player in (0, 1):
            self.average[player][:] = mean_alike(self.average[player], before)
            if self.flop.bucket is None:  # hands alike share a bucket
                for row in self.flop.average[player]:
                    mean = on.pool(row.reshape(1, -1), of, len(size)) / size
                    row[:] = mean[0, of].reshape(row.shape)

    def _measure(self, player: int, mode: int) -> Floats:
        for i in (0, 1):
            self._come(i, self.reaches(i))
        lines = self.flop.values(player, mode)
        own = None if mode == BEST else self.behavior(player, self.average[player])
        return self._up(player, lines, self.reaches(1 - player), own) / self.pairs

    def exploitability(self) -> float:
        return float(self.best(0).sum() + self.best(1).sum()) / 2

    def value(self) -> float:
        """What player 0 wins when both follow the average."""
        return float(self._measure(0, EXPECTED)[0].sum())

    def best(self, player: int) -> Floats:
        found: Floats = self._measure(player, BEST)[0]
        return found

    def reaches(self, player: int) -> Floats:
        return self._reach(player, self.behavior(player, self.average[player]))

    def sequence_values(self, player: int) -> Floats:
        return self._measure(player, BEST)

    def lock_preflop(self, player: int, source: "BatchedWhole") -> None:
        self.locked[player] = source.behavior(player, source.average[player])

    def spread(self, base: "BatchedWhole") -> None:
        for player in (0, 1):
            self.average[player][:] = base.average[player]
            if base.flop.bucket is None:
                self.flop.average[player][:] = base.flop.average[player]
            else:
                self.flop.average[player] = base.flop.spread_average(player)

    def state(self) -> dict[str, Any]:
        numpy = self.flop.on.numpy
        found: dict[str, Any] = {"iteration": np.array([self.iteration])}
        for player in (0, 1):
            found |= {
                f"regret{player}": self.regret[player].copy(),
                f"average{player}": self.average[player].copy(),
                f"flop_regret{player}": numpy(self.flop.regret[player]).copy(),
                f"flop_average{player}": numpy(self.flop.average[player]).copy(),
            }
        return found

    def restore(self, arrays: dict[str, Any]) -> None:
        self.iteration = int(arrays["iteration"][0])
        for player in (0, 1):
            self.regret[player] = arrays[f"regret{player}"].copy()
            self.average[player] = arrays[f"average{player}"].copy()
            self.flop.load(player, arrays[f"flop_regret{player}"], arrays[f"flop_average{player}"])


class BatchedLines:
    """All endgames at once: lines of one street, which nothing connects."""

    def __init__(self, game: FlopGame, boards: BoardTensors) -> None:
        self.game, self.iteration = game, 0
        self.flop = StreetSolver(boards, game.whole.streets[FLOP], UNIT)
        starts = game.whole.streets[FLOP].starts
        self.line = [starts.index(_first_node(game, endgame)) for endgame in game.endgames]
        self.pairs = game.whole.pairs
        self._sums = np.zeros((2, self.flop.lines))  # of each player's reaches into each line

    def set_range(self, player: int, ranges: Floats) -> None:
        wide = np.zeros((self.flop.lines, ranges.shape[1]))
        wide[self.line] = ranges
        self._sums[player] = wide.sum(axis=1)
        self.flop.set_range(player, wide)

    def learn(self, player: int) -> Floats:
        return self.flop.learn(player, discounts(self.iteration + 1))[self.line] / self.pairs

    def best(self, player: int) -> Floats:
        return self.flop.values(player, BEST)[self.line] / self.pairs

    def take_out(self, whole: BatchedWhole, player: int) -> None:
        self.flop.average[player][:] = whole.flop.average[player]

    def put_back(self, whole: BatchedWhole, player: int) -> None:
        whole.flop.average[player][:] = self.flop.average[player]

    def start_from(self, whole: BatchedWhole) -> None:
        spent = np.zeros(self.flop.lines)
        spent[self.line] = [endgame.spent for endgame in self.game.endgames]
        for player in (0, 1):
            behavior = whole.flop.spread_average(player)
            size = self._sums[1 - player] * self.game.cards.chance[FLOP] * spent / UNIT
            self.flop.start_from(player, behavior, size)


def _first_node(game: FlopGame, endgame: PreflopEndgame) -> int:
    return int(game.betting.first_child[endgame.node])
