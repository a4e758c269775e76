"""Training a blueprint by regret minimization: `solvers.firstorder.cfr` at the size of buckets.

It is the same iteration on the same `Game`, in 32-bit floats and on several threads: what the
terminals of a street pay is a product of the opponent's reaches [T, K] with a matrix [K, K], and
everything else is done bucket by bucket.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from endspiel.blueprint.train_products import Products
from endspiel.engine.backend import Backend, alternate, best_value
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.errors import GameError
from endspiel.game import Exploitability, Game
from endspiel.games.product import Product
from endspiel.kernels import cpu
from endspiel.kernels.arrays import Discounts, Float32s, Floats, Ints
from endspiel.kernels.regrets import add_plans, shares

Span = tuple[Ints, Ints]


class BucketLearner:
    """One player's regrets, current play and average."""

    def __init__(self, game: Game, player: int, threads: int) -> None:
        plex = game.plexes[player]
        self.plex = plex
        self.parts = [plex.arrays.part(*span) for span in split_states(game, player, threads)]
        self.regret = np.zeros(plex.num_sequences, np.float32)
        self.average = np.zeros(plex.num_sequences, np.float32)  # weighted sum of plans
        self.behavior = np.ones(plex.num_sequences, np.float32)
        for block in plex:
            block.of(self.behavior)[:] = 1 / block.num_actions
        self.plan = np.ones(plex.num_sequences, np.float32)
        self.kept: Float32s | None = None  # the solution that was best so far

    @property
    def is_current(self) -> bool:
        """Whether current play is the solution, and no average is stored."""
        return not self.average.size

    @property
    def solution(self) -> Float32s:
        """What decides the answer's probabilities [S]: the average's sums, or current play."""
        return self.behavior if self.is_current else self.average

    def take(self, solution: Float32s) -> None:
        """Let this be the answer; learning ends here."""
        if self.is_current:
            self.behavior = solution
        else:
            self.average = solution

    @property
    def root(self) -> Float32s:
        """Mass [R] of each root: a view."""
        return self.plan[: self.plex.num_roots]

    def arrays(self) -> dict[str, Float32s]:
        """Everything that learning changes, by name."""
        found = {"regret": self.regret, "average": self.average, "behavior": self.behavior}
        return found if self.kept is None else {**found, "kept": self.kept}

    def probabilities(self, first: int, num_actions: int, states: int) -> Float32s:
        """The solution's probabilities [A, K] at the block that begins at a sequence."""
        weights = self.solution[first : first + num_actions * states].reshape(num_actions, states)
        found: Float32s = shares(weights)
        return found


class BucketBackend:
    """The backend of abstract games: pairs of buckets, in 32-bit floats, on several threads."""

    longest_average = INFINITE
    zero_sum = True

    def __init__(self, game: Game, threads: int = 1) -> None:
        self.game = game
        self.learners = BucketLearner(game, 0, threads), BucketLearner(game, 1, threads)
        size = max(learner.plex.num_sequences for learner in self.learners)
        self._gradient, self._plan = np.empty(size, np.float32), np.empty(size, np.float32)
        self._pool = ThreadPoolExecutor(threads)
        self._products = Products(game, self._pool, threads)
        for own in self.learners:
            self._walk_down(own)

    def accept(self, scheme: Scheme) -> None:
        if not scheme.alternating:
            raise GameError("a blueprint's players learn one after the other")
        if scheme.solution == CURRENT:
            for own in self.learners:
                own.average = np.zeros(0, np.float32)

    def root(self, player: int) -> Floats:
        return self.learners[player].root.astype(np.float64)

    def set_root(self, player: int, reach: Floats) -> None:
        self.learners[player].root[:] = reach
        self._walk_down(self.learners[player])

    def _walk_down(self, own: BucketLearner) -> None:
        """Find the plan of the behavior there is."""
        self._each(own, cpu.walk_down, own.behavior, own.plan)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        own = self.learners[player]
        gradient = self.gradient(player, self.learners[1 - player].plan)
        if not own.is_current:
            add_plans(own.average[: own.plex.num_roots], own.root, discounts)  # in no block
        learned = own.regret, own.behavior, own.plan, own.average
        self._each(own, cpu.learn_blocks, gradient, *learned, discounts)
        return gradient[: own.plex.num_roots].astype(np.float64)

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        alternate(self, schedule)

    def gradient(self, player: int, plan: Float32s) -> Float32s:
        """What a player's sequences earn against the other's plan [S]: [S], until the next call."""
        out = self._gradient[: self.learners[player].plex.num_sequences]
        out[:] = 0
        self._products.add_gradient(player, plan, out)
        return out

    def average_plan(self, player: int) -> Float32s:
        """The plan [S] of a player's average (or current) behavior, until the next call."""
        own = self.learners[player]
        plan = self._plan[: own.plex.num_sequences]
        self._each(own, cpu.normalize, own.solution, plan)
        plan[: own.plex.num_roots] = own.root
        self._each(own, cpu.walk_down, plan, plan)
        return plan

    def best_earnings(self, player: int) -> Float32s:
        """What each sequence [S] earns by best play against the other's average, until the next.

        The roots are first.
        """
        values, own = self.gradient(player, self.average_plan(1 - player)), self.learners[player]
        self._each(own, cpu.best_up, values, self._plan[: own.plex.num_sequences])
        return values

    def best_values(self, player: int) -> Floats:
        roots = self.learners[player].plex.num_roots
        return self.best_earnings(player)[:roots].astype(np.float64)

    def average_values(self, player: int) -> Floats:
        plex, weights = self.learners[player].plex, self.learners[player].solution
        values, behavior = self.gradient(player, self.average_plan(1 - player)), weights.copy()
        cpu.normalize(plex.arrays, weights, behavior)
        cpu.advantages(plex.arrays, behavior, values)
        return values[: plex.num_roots].astype(np.float64)

    def _each(self, own: BucketLearner, work: Callable[..., None], *arguments: Any) -> None:
        """Run a kernel over a player's states, shared out among the threads."""
        list(self._pool.map(lambda part: work(part, *arguments), own.parts))

    def state(self) -> dict[str, Any]:
        return {
            f"{name}{player}": array
            for player, own in enumerate(self.learners)
            for name, array in own.arrays().items()
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        for player, own in enumerate(self.learners):
            if f"kept{player}" in arrays:
                own.kept = np.empty_like(own.solution)
            for name, array in own.arrays().items():
                array[:] = arrays[f"{name}{player}"]
            self._walk_down(own)


class Trainer(Driver[BucketBackend]):
    """A running training by any scheme of the family."""

    def __init__(self, game: Game, scheme: Scheme, threads: int = 1) -> None:
        super().__init__(BucketBackend(game, threads), scheme)

    @property
    def game(self) -> Game:
        """What is trained."""
        return self.backend.game

    @property
    def learners(self) -> tuple[BucketLearner, BucketLearner]:
        """What each player has learned."""
        return self.backend.learners

    def keep(self) -> None:
        """Keep the solution as it is."""
        for own in self.learners:
            own.kept = own.solution.copy()

    def fall_back(self) -> None:
        """Take the solution that was kept; learning ends here."""
        for own in self.learners:
            if own.kept is not None:
                own.take(own.kept)


def measured(trainer: Driver[Backend], game: Game) -> Exploitability:
    """The averages' value and both best responses to them, in chips."""
    best = best_value(trainer.backend, 0), best_value(trainer.backend, 1)
    return Exploitability(trainer.value(), best, game.unit)


def split_states(game: Game, player: int, parts: int) -> list[Span]:
    """Ranges of states in each block [B], for as many threads, none above another's states."""
    where = game.nodes
    if not isinstance(where, Product):
        raise GameError(f"{game.name} is no product of a betting tree and buckets")
    boards = [street[0] for street in where.streets]
    roots = [np.arange(len(boards[0].states))]  # [K] a street: each bucket's preflop bucket
    for board in boards[1:]:
        roots.append(roots[-1][board.above])
    cuts = _even_cuts(np.bincount(roots[-1]), parts)
    starts = [int(start[0]) for start in where.starts[player]]
    street = np.searchsorted(starts, game.plexes[player].arrays.first, side="right") - 1
    bounds = np.array([np.searchsorted(root, cuts) for root in roots])  # [streets, cuts]
    return [(bounds[street, i], bounds[street, i + 1]) for i in range(len(cuts) - 1)]


def _even_cuts(weight: Ints, parts: int) -> Ints:
    """Where to cut buckets of the given weights [n] into parts of about the same weight."""
    share = np.cumsum(weight) / weight.sum()
    inner = np.searchsorted(share, np.arange(1, parts) / parts) + 1
    return np.unique(np.concatenate([[0], inner, [len(weight)]]))
