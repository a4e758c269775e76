"""What flop hold'em's experiments ask of a solver, and the Numba kernels as one.

A whole solver has the game from the blinds on; a line solver has the flops of several endgames,
each entered with given ranges. `nlfh_torch` has the same for graphics processors.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets, CardGame
from endspiel.games.street_plans import Street
from endspiel.kernels.arrays import Floats
from endspiel.kernels.board import BEST
from endspiel.kernels.board_arrays import Float32s, Ints
from endspiel.kernels.simd import LANES
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_symmetry import Alike, alike_before, alike_on, mean_alike
from endspiel.solvers.board_cfr import SPOT_SCHEMES, BoardCFR

SCHEME = SPOT_SCHEMES["dcfr"]
Endgames = tuple[PreflopEndgame, ...]


class WholeSolver(Protocol):
    """A strategy of the whole game, and the means to improve it."""

    @property
    def iteration(self) -> int:
        """Iterations so far."""

    def advance(self, steps: int) -> None:
        """This many iterations."""

    def even_out(self) -> None:
        """Let hands that are alike but for suits play alike: `nlfh_symmetry` says why."""

    def exploitability(self) -> float:
        """Mean of both players' best-response gains, in big blinds; exact once evened out."""

    def best(self, player: int) -> Floats:
        """What each hand wins at best [K] against the other's average strategy."""

    def reaches(self, player: int) -> Floats:
        """A player's probability [S, K] of each preflop sequence on the average."""

    def sequence_values(self, player: int) -> Floats:
        """What each preflop sequence wins at best [S, K] against the other's average."""

    def lock_preflop(self, player: int, source: Any) -> None:
        """Let a player keep to another solver's average strategy before the flop."""

    def spread(self, base: Any) -> None:
        """Take over another's average strategies, hand by hand where it has buckets."""

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""


class LineSolver(Protocol):
    """Several endgames, solved side by side; rows of arrays are endgames [E]."""

    iteration: int

    def set_range(self, player: int, ranges: Floats) -> None:
        """Let a player come into each endgame with these reaches [E, K] of its hands."""

    def learn(self, player: int) -> Floats:
        """One player's half of an iteration; what its hands are worth [E, K]."""

    def best(self, player: int) -> Floats:
        """What each hand wins at best [E, K] against the other's average strategy."""

    def take_out(self, whole: Any, player: int) -> None:
        """Give a player the average strategy of a whole solver."""

    def put_back(self, whole: Any, player: int) -> None:
        """Give a player of a whole solver the average strategy found here."""

    def start_from(self, whole: Any) -> None:
        """Regrets as if all had played a whole solver's strategy once, and lost the pot."""


class Solvers(Protocol):
    """Where solvers run."""

    def whole(self, game: FlopGame, buckets: Buckets | None = None) -> WholeSolver:
        """A solver of the whole game, with or without card abstraction."""

    def lines(self, game: FlopGame, endgames: Endgames) -> LineSolver:
        """A solver of some endgames."""

    def groups(self, game: FlopGame) -> Iterator[Endgames]:
        """The endgames, as many at a time as are best solved together."""


class KernelWhole:
    """The whole game by the Numba kernels."""

    def __init__(self, game: CardGame, threads: int) -> None:
        self.solver = BoardCFR(game, SCHEME, threads)

    @property
    def iteration(self) -> int:
        return self.solver.iteration

    def advance(self, steps: int) -> None:
        self.solver.advance(steps)

    def even_out(self) -> None:
        for player in (0, 1):
            _even_out(self.solver, PREFLOP, player)
            if self.solver.game.buckets is None:  # hands alike share a bucket
                _even_out(self.solver, FLOP, player)

    def exploitability(self) -> float:
        return self.solver.exploitability()

    def best(self, player: int) -> Floats:
        return self.solver.backend.best_values(player)

    def reaches(self, player: int) -> Floats:
        behavior = self.solver.store.behavior(PREFLOP, 0, player)
        return walk_down(self.solver.game.streets[PREFLOP], player, behavior)

    def sequence_values(self, player: int) -> Floats:
        return self.solver.backend.action_values(PREFLOP, 0, player, BEST)

    def lock_preflop(self, player: int, source: "KernelWhole") -> None:
        store, other = self.solver.store, source.solver.store
        for decision in range(len(store.game.streets[PREFLOP].decisions[player])):
            store.lock(PREFLOP, 0, player, decision)
        rows = store.street_rows(store.regret, PREFLOP, player)
        rows[:] = other.street_rows(other.average, PREFLOP, player)

    def spread(self, base: "KernelWhole") -> None:
        if base.solver.game.buckets is None:
            self.solver.store.average[:] = base.solver.store.average
        else:
            spread_buckets(base.solver, self.solver)

    def state(self) -> dict[str, Any]:
        return self.solver.state()

    def restore(self, arrays: dict[str, Any]) -> None:
        self.solver.restore(arrays)


class KernelLines:
    """Endgames by the Numba kernels, a game each."""

    def __init__(self, game: FlopGame, endgames: Endgames, threads: int) -> None:
        self.endgames = endgames
        self.solvers = [BoardCFR(game.cut(endgame), SCHEME, threads) for endgame in endgames]

    @property
    def iteration(self) -> int:
        return self.solvers[0].iteration

    @iteration.setter
    def iteration(self, count: int) -> None:
        for solver in self.solvers:
            solver.iteration = count

    def set_range(self, player: int, ranges: Floats) -> None:
        for solver, reaches in zip(self.solvers, ranges, strict=True):
            solver.backend.set_root(player, reaches)

    def learn(self, player: int) -> Floats:
        by = SCHEME.at(self.iteration + 1, LONGEST_AVERAGE)
        return np.stack([solver.backend.learn(player, by) for solver in self.solvers])

    def best(self, player: int) -> Floats:
        return np.stack([solver.backend.best_values(player) for solver in self.solvers])

    def take_out(self, whole: KernelWhole, player: int) -> None:
        for solver in self.solvers:
            there, here = shared_rows(whole.solver.game, solver.game, player)
            averages(solver, FLOP, player)[:, here] = averages(whole.solver, FLOP, player)[:, there]

    def put_back(self, whole: KernelWhole, player: int) -> None:
        for solver in self.solvers:
            there, here = shared_rows(whole.solver.game, solver.game, player)
            averages(whole.solver, FLOP, player)[:, there] = averages(solver, FLOP, player)[:, here]

    def start_from(self, whole: KernelWhole) -> None:
        """From even strategies, an endgame of eight ranks had a gap of 37 after 100, not 26."""
        for player in (0, 1):
            self.take_out(whole, player)
            for solver, endgame in zip(self.solvers, self.endgames, strict=True):
                _regret_of_average(solver, endgame, player)


class KernelBackend:
    """The Numba kernels on some threads."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def whole(self, game: FlopGame, buckets: Buckets | None = None) -> KernelWhole:
        return KernelWhole(game.whole if buckets is None else game.bucketed(buckets), self.threads)

    def lines(self, game: FlopGame, endgames: Endgames) -> KernelLines:
        return KernelLines(game, endgames, self.threads)

    def groups(self, game: FlopGame) -> Iterator[Endgames]:
        """One at a time: that takes the least memory, and together they would be no faster."""
        return ((endgame,) for endgame in game.endgames)


def walk_down(preflop: Street, player: int, behavior: Floats) -> Floats:
    """Probability [S, K] of each preflop sequence from those of its actions [S - 1, K]."""
    lines = len(preflop.starts)
    found = np.ones((preflop.size[player], behavior.shape[1]))
    decisions = zip(
        preflop.first[player], preflop.actions[player], preflop.parent[player], strict=True
    )
    for first, actions, parent in decisions:
        span = slice(first - lines, first - lines + actions)
        found[first : first + actions] = found[parent] * behavior[span]
    return found


def averages(solver: BoardCFR, street: int, player: int) -> Float32s:
    """A view of the averages of a street's unabstracted rows: [tiles, rows, 16]."""
    return solver.store.street_rows(solver.store.average, street, player)


def _even_out(solver: BoardCFR, street: int, player: int) -> None:
    """Give hands of a street that are alike the mean of their averages."""
    boards, side = solver.game.tree.streets[street], solver.game.cards[street].sides[player]
    rows = averages(solver, street, player)
    for board, start, stop in zip(boards, side.start[:-1], side.start[1:], strict=True):
        hands = board.hands[player]
        part = rows[start:stop].swapaxes(0, 1).reshape(rows.shape[1], -1)  # a copy
        alike = alike_on((board,)) if board.cards else alike_before(hands)
        part[:, : len(hands)] = mean_alike(part[:, : len(hands)], Alike(*map(np.ravel, alike)))
        rows[start:stop] = part.reshape(rows.shape[1], -1, LANES).swapaxes(0, 1)


def shared_rows(game: CardGame, part: CardGame, player: int) -> tuple[Ints, Ints]:
    """Rows of a whole game's flop that an endgame has too: there, and in the endgame."""
    flop, own = game.streets[FLOP], part.streets[FLOP]
    first = dict(zip(flop.decisions[player], flop.first[player], strict=True))
    there: list[int] = []
    here: list[int] = []
    decisions = zip(own.decisions[player], own.first[player], own.actions[player], strict=True)
    for node, begin, actions in decisions:
        there += range(first[node] - len(flop.starts), first[node] - len(flop.starts) + actions)
        here += range(begin - len(own.starts), begin - len(own.starts) + actions)
    return np.array(there, dtype=np.int64), np.array(here, dtype=np.int64)


def spread_buckets(base: BoardCFR, whole: BoardCFR) -> None:
    """Give both players of an unabstracted game the strategies of an abstract one."""
    buckets = base.game.buckets
    if buckets is None:
        raise GameError("the base strategy has no buckets to spread")
    for player in (0, 1):
        averages(whole, PREFLOP, player)[:] = averages(base, PREFLOP, player)
        rows = averages(whole, FLOP, player)
        by_bucket = base.store.bucket_rows(base.store.average, player)[:, : rows.shape[1]]
        side = base.game.cards[FLOP].sides[player]
        for b, (start, stop) in enumerate(zip(side.start[:-1], side.start[1:], strict=True)):
            hands = side.hand[start * LANES : stop * LANES]
            bucket = np.where(hands < 0, buckets.count, buckets.of[b, hands])
            rows[start:stop] = by_bucket[bucket].reshape(-1, LANES, rows.shape[1]).swapaxes(1, 2)


def _regret_of_average(solver: BoardCFR, endgame: PreflopEndgame, player: int) -> None:
    """Turn a player's averages into regrets, as large as one iteration's could be."""
    game = solver.game
    others = solver.backend.root(1 - player).astype(np.float32)
    size = np.float32(others.sum() * game.tree.chance[FLOP] * endgame.spent / UNIT)
    average = averages(solver, FLOP, player)
    regret = solver.store.street_rows(solver.store.regret, FLOP, player)
    plan = game.streets[FLOP]
    for first, actions in zip(plan.first[player], plan.actions[player], strict=True):
        rows = slice(first - len(plan.starts), first - len(plan.starts) + actions)
        total = average[:, rows].sum(axis=1, keepdims=True)
        regret[:, rows] = size * average[:, rows] / np.where(total > 0, total, 1)
    average[:] = 0
