"""Flop hold'em's solvers that have all flops side by side, on processors or on a GPU."""

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

import numpy as np

from endspiel.betting.streets import Street
from endspiel.cards.deck import NUM_HANDS, NUM_SUITS
from endspiel.endgame.safe.gadget_root import GadgetSolve
from endspiel.endgame.safe.techniques import Terms
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets
from endspiel.gpu.cuda.device import cuda_device
from endspiel.gpu.cuda.street import cuda_street, solve_gadgets
from endspiel.gpu.street import StreamStreet, StreetMaker, numpy_street
from endspiel.kernels.arrays import Discounts, Float64s, Floats, Ints
from endspiel.kernels.board import BEST
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_nested_game import NestedGame, Part
from endspiel.reproduce.nlfh_solvers import SCHEME, Endgames
from endspiel.reproduce.nlfh_symmetry import alike_before, alike_by_hand, mean_alike
from endspiel.solvers.boards.batched import BatchedBackend
from endspiel.solvers.boards.street import (
    AVERAGE,
    REGRET,
    BoardStreet,
    LastStreet,
    behavior_of,
    street_game,
)
from endspiel.solvers.memory import available_memory

AnyFlops = FlopGame | Part | NestedGame


def discounts(t: int) -> Discounts:
    """What iteration t does to the sums before it."""
    return SCHEME.at(t, LONGEST_AVERAGE)


class Flops(Protocol):
    """Where all flops of some lines are solved side by side."""

    name: str

    def free_memory(self) -> int | None:
        """Bytes left there; None where nobody knows."""

    def street(self, game: AnyFlops, street: Street, buckets: Buckets | None = None) -> LastStreet:
        """A solver of a street's betting on all flops."""

    def solve_gadgets(self, solver: LastStreet, player: int, terms: Terms, iterations: int) -> None:
        """Solve endgames, one a board and line, that the opponent enters on terms [B, L, P]."""


class EveryBoard:
    """All boards of a street as endgames side by side, each line entered on each: [B, L, P]."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, solver: LastStreet) -> None:
        self.set_root, self.learn = solver.set_board_range, solver.learn_boards


class KernelFlops:
    """Flops by the board kernels."""

    name = "cpu"

    def free_memory(self) -> int | None:
        """See `Flops`."""
        return available_memory()

    def street(self, game: AnyFlops, street: Street, buckets: Buckets | None = None) -> LastStreet:
        """See `Flops`."""
        if buckets is not None:
            raise GameError("one street alone has no buckets on processors: solve the whole game")
        return BoardStreet(street_game(game.betting, game.cards, street, UNIT))

    def solve_gadgets(self, solver: LastStreet, player: int, terms: Terms, iterations: int) -> None:
        """See `Flops`."""
        GadgetSolve(EveryBoard(solver), SCHEME, player, terms).advance(iterations)


class StreamFlops(KernelFlops):
    """Flops by op streams, run by a GPU or by NumPy's twin."""

    name = "cuda"

    def __init__(self, maker: StreetMaker = numpy_street) -> None:
        self.maker = maker

    def street(self, game: AnyFlops, street: Street, buckets: Buckets | None = None) -> LastStreet:
        """See `Flops`."""
        return StreamStreet(
            street_game(game.betting, game.cards, street, UNIT), self.maker, buckets
        )


class CudaFlops(StreamFlops):
    """Flops on a GPU, gadgets included."""

    def __init__(self) -> None:
        super().__init__(cuda_street)
        self.device = cuda_device()

    def free_memory(self) -> int | None:
        """See `Flops`."""
        return self.device.free_bytes()

    def solve_gadgets(self, solver: LastStreet, player: int, terms: Terms, iterations: int) -> None:
        """See `Flops`."""
        assert isinstance(solver, StreamStreet)
        schedule = [discounts(t) for t in range(1, iterations + 1)]
        solve_gadgets(solver, player, terms, schedule)


def flops_on(device: str) -> Flops:
    """Where flops are solved, by the name of a device."""
    if device not in ("cpu", "cuda"):
        raise GameError(f"there is no device {device[:20]!r}: devices are cpu, cuda")
    return KernelFlops() if device == "cpu" else CudaFlops()


class BatchedWhole(Driver[BatchedBackend]):
    """The whole game: preflop in 64-bit floats, all flops of all lines in 32-bit ones."""

    def __init__(self, game: FlopGame | Part, flops: Flops, buckets: Buckets | None = None) -> None:
        whole, self.flops = game.whole, flops
        self.preflop, self.pairs = whole.streets[PREFLOP], whole.pairs
        last = flops.street(game, whole.streets[FLOP], buckets)
        super().__init__(BatchedBackend(self.preflop, last, self.pairs, UNIT), SCHEME)
        self.game, self.bucketed = game, buckets is not None

    @property
    def flop(self) -> LastStreet:
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
        before = alike_before(self.hands)
        for player in (0, 1):
            self.average[player][:] = mean_alike(self.average[player], before)
            if not self.bucketed:  # hands alike share a bucket
                self.flop.even_out(AVERAGE, player, self._alike)

    @cached_property
    def _alike(self) -> Ints:
        """Which hands [B, P] on each flop are the same but for suits; -1 for none."""
        by_hand = alike_by_hand(self.flop.tree.deck // NUM_SUITS)
        return np.take_along_axis(by_hand, self.flop.hand % (NUM_HANDS + 1), axis=1)

    def lock_preflop(self, player: int, source: "BatchedWhole") -> None:
        self.backend.locked[player] = source.average_behavior(player)

    def spread(self, base: "BatchedWhole") -> None:
        for player in (0, 1):
            self.average[player][:] = base.average[player]
            copy_all(base.flop, self.flop, player)


def copy_all(source: LastStreet, target: LastStreet, player: int) -> None:
    """Give a player the average of another solver of the same street."""
    rows = range(source.street.size[player] - len(source.street.starts))
    target.copy_averages(player, source, [(row, row) for row in rows])


class BatchedLines:
    """All endgames at once: lines of one street, which nothing connects."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, game: FlopGame, flops: Flops) -> None:
        self.game, self.street = game, game.whole.streets[FLOP]
        self.flop = flops.street(game, self.street)
        self.line = [self.street.starts.index(_first_node(game, e)) for e in game.endgames]
        self.pairs = game.whole.pairs
        self._roots: list[Floats] = [np.zeros(0), np.zeros(0)]  # [L, K] reaches into each line

    def root(self, player: int) -> Floats:
        return self._roots[player][self.line]

    def set_root(self, player: int, reach: Floats) -> None:
        wide = np.zeros((len(self.street.starts), reach.shape[1]))
        wide[self.line] = reach
        self._roots[player] = wide
        self.flop.set_range(player, wide)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        return self.flop.learn(player, discounts)[self.line] / self.pairs

    def best_values(self, player: int) -> Floats:
        return self.flop.values(player, BEST)[self.line] / self.pairs

    def take_out(self, whole: BatchedWhole, player: int) -> None:
        copy_all(whole.flop, self.flop, player)

    def put_back(self, whole: BatchedWhole, player: int) -> None:
        copy_all(self.flop, whole.flop, player)

    def start_from(self, whole: BatchedWhole) -> None:
        street, spent = self.street, np.zeros(len(self.street.starts))
        spent[self.line] = [endgame.spent for endgame in self.game.endgames]
        for player in (0, 1):
            behavior = behavior_of(street, player, whole.flop.read(AVERAGE, player))
            size = self._roots[1 - player].sum(axis=1) * self.game.cards.chance[FLOP] * spent / UNIT
            by_row = size[_lines_of(street, player)].astype(np.float32)
            self.flop.write(REGRET, player, behavior * by_row[:, None])
            self.flop.write(AVERAGE, player, np.zeros_like(behavior))


class BatchedSolvers:
    """Solvers that have all flops side by side."""

    def __init__(self, flops: Flops) -> None:
        self.flops = flops

    def whole(self, game: FlopGame, buckets: Buckets | None = None) -> BatchedWhole:
        return BatchedWhole(game, self.flops, buckets)

    def lines(self, game: FlopGame, endgames: Endgames) -> BatchedLines:
        if endgames != game.endgames:
            raise GameError("on a GPU all endgames are solved together")
        return BatchedLines(game, self.flops)

    def groups(self, game: FlopGame) -> Iterator[Endgames]:
        """All of them: a GPU is fast only when it has much to do at once."""
        return iter([game.endgames])


def _lines_of(street: Street, player: int) -> Ints:
    """The line that each of a player's actions [S - L] belongs to."""
    line = np.arange(street.size[player])
    decisions = zip(
        street.first[player], street.actions[player], street.parent[player], strict=True
    )
    for first, actions, parent in decisions:  # parents come before children
        line[first : first + actions] = line[parent]
    return line[len(street.starts) :]


def _first_node(game: FlopGame, endgame: PreflopEndgame) -> int:
    return int(game.betting.first_child[endgame.node])
