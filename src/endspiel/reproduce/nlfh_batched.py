"""Flop hold'em's solvers that have all flops in one array, of torch or NumPy."""

import numpy as np

from endspiel.engine.driver import Driver
from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.games.card_game import Buckets
from endspiel.kernels.arrays import Discounts, Float64s, Floats, Ints
from endspiel.kernels.board import BEST
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_nested_game import Part
from endspiel.reproduce.nlfh_solvers import SCHEME
from endspiel.reproduce.nlfh_symmetry import alike_before, alike_on, mean_alike
from endspiel.solvers.boards.batched import BatchedBackend
from endspiel.solvers.boards.street import StreetSolver
from endspiel.solvers.boards.tensors import BoardTensors


def discounts(t: int) -> Discounts:
    """What iteration t does to the sums before it."""
    return SCHEME.at(t, LONGEST_AVERAGE)


class BatchedWhole(Driver[BatchedBackend]):
    """The whole game: preflop in 64-bit floats, all flops of all lines in 32-bit ones."""

    def __init__(
        self, game: FlopGame | Part, boards: BoardTensors, buckets: Buckets | None = None
    ) -> None:
        whole = game.whole
        super().__init__(BatchedBackend(boards, whole.streets, whole.pairs, UNIT, buckets), SCHEME)
        self.game, self.preflop, self.pairs = game, whole.streets[PREFLOP], whole.pairs

    @property
    def flop(self) -> StreetSolver:
        """The solver of all flops."""
        return self.backend.last

    @property
    def hands(self) -> Ints:
        """Numbers [K] of the hands before the flop."""
        return self.backend.hands

    @property
    def average(self) -> list[Float64s]:
        """Each player's sums [S - 1, K] of preflop plans."""
        return self.backend.average

    def average_behavior(self, player: int) -> Floats:
        """Probability [S - 1, K] of each preflop action on the average."""
        return self.backend.behavior(player, self.average[player])

    def reaches(self, player: int) -> Floats:
        return self.backend.reaches(player)

    def best(self, player: int) -> Floats:
        return self.backend.best_values(player)

    def sequence_values(self, player: int) -> Floats:
        return self.backend.sequence_values(player)

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

    def lock_preflop(self, player: int, source: "BatchedWhole") -> None:
        self.backend.locked[player] = source.average_behavior(player)

    def spread(self, base: "BatchedWhole") -> None:
        for player in (0, 1):
            self.average[player][:] = base.average[player]
            if base.flop.bucket is None:
                self.flop.average[player][:] = base.flop.average[player]
            else:
                self.flop.average[player] = base.flop.spread_average(player)


class BatchedLines:
    """All endgames at once: lines of one street, which nothing connects."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, game: FlopGame, boards: BoardTensors) -> None:
        self.game = game
        self.flop = StreetSolver(boards, game.whole.streets[FLOP], UNIT)
        starts = game.whole.streets[FLOP].starts
        self.line = [starts.index(_first_node(game, endgame)) for endgame in game.endgames]
        self.pairs = game.whole.pairs
        self._roots: list[Floats] = [np.zeros(0), np.zeros(0)]  # [L, K] reaches into each line

    def root(self, player: int) -> Floats:
        return self._roots[player][self.line]

    def set_root(self, player: int, reach: Floats) -> None:
        wide = np.zeros((self.flop.lines, reach.shape[1]))
        wide[self.line] = reach
        self._roots[player] = wide
        self.flop.set_range(player, wide)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        return self.flop.learn(player, discounts)[self.line] / self.pairs

    def best_values(self, player: int) -> Floats:
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
            size = self._roots[1 - player].sum(axis=1) * self.game.cards.chance[FLOP] * spent / UNIT
            self.flop.start_from(player, behavior, size)


def _first_node(game: FlopGame, endgame: PreflopEndgame) -> int:
    return int(game.betting.first_child[endgame.node])
