"""What flop hold'em's experiments ask of a solver, and the Numba kernels as one.

A whole solver has the game from the blinds on; a line solver has the flops of several endgames,
each entered with given ranges. `nlfh_batched` has the same for a GPU.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from endspiel.betting.streets import Street
from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets, CardGame
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.board import BEST
from endspiel.kernels.board_arrays import Float32s, Ints
from endspiel.kernels.simd import LANES
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_symmetry import Alike, alike_before, alike_on, mean_alike
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import SPOT_SCHEMES, BoardCFR
from endspiel.solvers.boards.store import BoardStore

SCHEME = SPOT_SCHEMES["dcfr"]
Endgames = tuple[PreflopEndgame, ...]


class WholeSolver(Protocol):
    """A strategy of the whole game, and the means to improve it."""

    @property
    def iteration(self) -> int:
        """Iterations so far."""

    def step(self) -> None:
        """One iteration."""

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

    @property
    def longest_average(self) -> float:
        """See `engine.backend`."""

    def root(self, player: int) -> Floats:
        """The reaches [E, K] with which a player comes into each endgame."""

    def set_root(self, player: int, reach: Floats) -> None:
        """Let a player come into each endgame with these reaches [E, K] of its hands."""

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """One player's half of an iteration; what its hands are worth [E, K]."""

    def best_values(self, player: int) -> Floats:
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


class KernelWhole(BoardCFR):
    """The whole game by the Numba kernels."""

    def __init__(self, game: CardGame, threads: int) -> None:
        super().__init__(game, SCHEME, threads)

    def even_out(self) -> None:
        for player in (0, 1):
            _even_out(self.store, PREFLOP, player)
            if self.game.buckets is None:  # hands alike share a bucket
                _even_out(self.store, FLOP, player)

    def best(self, player: int) -> Floats:
        return self.backend.best_values(player)

    def reaches(self, player: int) -> Floats:
        behavior = self.store.behavior(PREFLOP, 0, player)
        return walk_down(self.game.streets[PREFLOP], player, behavior)

    def sequence_values(self, player: int) -> Floats:
        return self.backend.action_values(PREFLOP, 0, player, BEST)

    def lock_preflop(self, player: int, source: "KernelWhole") -> None:
        for decision in range(len(self.game.streets[PREFLOP].decisions[player])):
            self.store.lock(PREFLOP, 0, player, decision)
        rows = self.store.street_rows(self.store.regret, PREFLOP, player)
        rows[:] = averages(source.store, PREFLOP, player)

    def spread(self, base: "KernelWhole") -> None:
        if base.game.buckets is None:
            self.store.average[:] = base.store.average
        else:
            spread_buckets(base.store, self.store)


class KernelLines:
    """Endgames by the Numba kernels, a game each."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, game: FlopGame, endgames: Endgames, threads: int) -> None:
        self.endgames = endgames
        self.parts = [BoardBackend(game.cut(endgame), threads) for endgame in endgames]

    def root(self, player: int) -> Floats:
        return np.stack([part.root(player) for part in self.parts])

    def set_root(self, player: int, reach: Floats) -> None:
        for part, own in zip(self.parts, reach, strict=True):
            part.set_root(player, own)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        return np.stack([part.learn(player, discounts) for part in self.parts])

    def best_values(self, player: int) -> Floats:
        return np.stack([part.best_values(player) for part in self.parts])

    def take_out(self, whole: KernelWhole, player: int) -> None:
        for part in self.parts:
            there, here = shared_rows(whole.game, part.game, player)
            rows = averages(whole.store, FLOP, player)[:, there]
            averages(part.store, FLOP, player)[:, here] = rows

    def put_back(self, whole: KernelWhole, player: int) -> None:
        for part in self.parts:
            there, here = shared_rows(whole.game, part.game, player)
            rows = averages(part.store, FLOP, player)[:, here]
            averages(whole.store, FLOP, player)[:, there] = rows

    def start_from(self, whole: KernelWhole) -> None:
        """From even strategies, an endgame of eight ranks had a gap of 37 after 100, not 26."""
        for player in (0, 1):
            self.take_out(whole, player)
            for part, endgame in zip(self.parts, self.endgames, strict=True):
                _regret_of_average(part, endgame, player)


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


def averages(store: BoardStore, street: int, player: int) -> Float32s:
    """A view of the averages of a street's unabstracted rows: [tiles, rows, 16]."""
    return store.street_rows(store.average, street, player)


def _even_out(store: BoardStore, street: int, player: int) -> None:
    """Give hands of a street that are alike the mean of their averages."""
    boards, side = store.game.tree.streets[street], store.game.cards[street].sides[player]
    rows = averages(store, street, player)
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


def spread_buckets(base: BoardStore, whole: BoardStore) -> None:
    """Give both players of an unabstracted game the strategies of an abstract one."""
    buckets = base.game.buckets
    if buckets is None:
        raise GameError("the base strategy has no buckets to spread")
    for player in (0, 1):
        averages(whole, PREFLOP, player)[:] = averages(base, PREFLOP, player)
        rows = averages(whole, FLOP, player)
        by_bucket = base.bucket_rows(base.average, player)[:, : rows.shape[1]]
        side = base.game.cards[FLOP].sides[player]
        for b, (start, stop) in enumerate(zip(side.start[:-1], side.start[1:], strict=True)):
            hands = side.hand[start * LANES : stop * LANES]
            bucket = np.where(hands < 0, buckets.count, buckets.of[b, hands])
            rows[start:stop] = by_bucket[bucket].reshape(-1, LANES, rows.shape[1]).swapaxes(1, 2)


def _regret_of_average(part: BoardBackend, endgame: PreflopEndgame, player: int) -> None:
    """Turn a player's averages into regrets, as large as one iteration's could be."""
    game, store = part.game, part.store
    others = part.root(1 - player).astype(np.float32)
    size = np.float32(others.sum() * game.tree.chance[FLOP] * endgame.spent / UNIT)
    average = averages(store, FLOP, player)
    regret = store.street_rows(store.regret, FLOP, player)
    plan = game.streets[FLOP]
    for first, actions in zip(plan.first[player], plan.actions[player], strict=True):
        rows = slice(first - len(plan.starts), first - len(plan.starts) + actions)
        total = average[:, rows].sum(axis=1, keepdims=True)
        regret[:, rows] = size * average[:, rows] / np.where(total > 0, total, 1)
    average[:] = 0
