"""Training a blueprint by regret minimization: the loop of `solvers.cfr` at the size of buckets.

It is the same iteration on the same `Game`, in 32-bit floats and on several threads: what the
terminals of a street pay is a product of the opponent's reaches [T, K] with a matrix [K, K], and
everything else is done bucket by bucket.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.blueprint import train_kernels as kernels
from endspiel.blueprint.train_products import Products
from endspiel.engine.schemes import Scheme
from endspiel.errors import GameError
from endspiel.game import Exploitability, Game
from endspiel.games.product import Product
from endspiel.kernels.arrays import Ints
from endspiel.kernels.regrets import shares

DOT: Final = 1 << 14  # entries whose products are summed in 32 bits

Float32s = NDArray[np.float32]
Span = tuple[Ints, Ints]


class BucketLearner:
    """One player's regrets, current play and average."""

    def __init__(self, game: Game, player: int, threads: int) -> None:
        plex = game.plexes[player]
        self.plex = plex
        self.spans = split_states(game, player, threads)
        self.regret = np.zeros(plex.num_sequences, np.float32)
        self.average = np.zeros(plex.num_sequences, np.float32)  # weighted sum of plans
        self.behavior = np.ones(plex.num_sequences, np.float32)
        for block in plex:
            end = block.first + block.num_actions * block.num_states
            self.behavior[block.first : end] = 1 / block.num_actions
        self.plan = np.ones(plex.num_sequences, np.float32)
        self.kept: Float32s | None = None  # the average that was best so far

    def probabilities(self, first: int, num_actions: int, states: int) -> Float32s:
        """The average's probabilities [A, K] at the block that begins at a sequence."""
        weights = self.average[first : first + num_actions * states].reshape(num_actions, states)
        found: Float32s = shares(weights)
        return found


class Trainer:
    """A running training by any scheme of the family."""

    def __init__(self, game: Game, scheme: Scheme, threads: int = 1) -> None:
        if not scheme.alternating:
            raise GameError("a blueprint's players learn one after the other")
        self.game, self.scheme, self.iteration = game, scheme, 0
        self.learners = BucketLearner(game, 0, threads), BucketLearner(game, 1, threads)
        size = max(learner.plex.num_sequences for learner in self.learners)
        self._gradient, self._plan = np.empty(size, np.float32), np.ones(size, np.float32)
        self._pool = ThreadPoolExecutor(threads)
        self._products = Products(game, self._pool, threads)
        self._restart()

    def _restart(self) -> None:
        """Walk down to the plans of the behavior there is."""
        for own in self.learners:
            self._each(own, kernels.walk_down, own.behavior, own.plan)

    def step(self) -> None:
        """One iteration: the players learn one after the other."""
        discounts = self.scheme.at(self.iteration + 1)
        for player, own in enumerate(self.learners):
            gradient = self.gradient(player, self.learners[1 - player].plan)
            sums, play = (own.regret, own.average), (own.behavior, own.plan)
            self._each(own, kernels.learn, gradient, sums, play, discounts)
            roots = own.average[: own.plex.num_roots]  # in no block
            roots *= np.float32(discounts.average)
            roots += own.plan[: own.plex.num_roots]
        self.iteration += 1

    def gradient(self, player: int, plan: Float32s) -> Float32s:
        """What a player's sequences earn against the other's plan [S]: [S], until the next call."""
        out = self._gradient[: self.learners[player].plex.num_sequences]
        out[:] = 0
        self._products.add_gradient(player, plan, out)
        return out

    def average_plan(self, player: int) -> Float32s:
        """The plan [S] of a player's average behavior, until the next call."""
        own = self.learners[player]
        plan = self._plan[: own.plex.num_sequences]
        self._each(own, kernels.fill_plan, own.average, plan)
        return plan

    def exploitability(self) -> Exploitability:
        """Both best responses to the averages, in chips."""
        best, value = [], 0.0
        for player, own in enumerate(self.learners):
            gradient = self.gradient(player, self.average_plan(1 - player))
            if player == 0:
                value = _dot(self.average_plan(0), gradient)
            self._each(own, kernels.best_up, gradient)
            best.append(float(gradient[: own.plex.num_roots].sum(dtype=np.float64)))
        return Exploitability(value, (best[0], best[1]), self.game.unit)

    def _each(self, own: BucketLearner, work: Callable[..., None], *arguments: Any) -> None:
        """Run a kernel over a player's states, shared out among the threads."""
        on_states = partial(work, own.plex.arrays)
        list(self._pool.map(lambda span: on_states(span, *arguments), own.spans))

    def keep(self) -> None:
        """Keep the averages as they are."""
        for own in self.learners:
            if own.kept is None:
                own.kept = np.empty_like(own.average)
            own.kept[:] = own.average

    def fall_back(self) -> None:
        """Take the averages that were kept; learning ends here."""
        for own in self.learners:
            own.average = own.average if own.kept is None else own.kept

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        arrays: dict[str, Any] = {"iteration": np.array([self.iteration])}
        for player, own in enumerate(self.learners):
            arrays[f"regret{player}"] = own.regret
            arrays[f"average{player}"] = own.average
            arrays[f"behavior{player}"] = own.behavior
            if own.kept is not None:
                arrays[f"kept{player}"] = own.kept
        return arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        for player, own in enumerate(self.learners):
            own.regret[:] = arrays[f"regret{player}"]
            own.average[:] = arrays[f"average{player}"]
            own.behavior[:] = arrays[f"behavior{player}"]
            kept = arrays.get(f"kept{player}")
            if kept is not None:
                own.kept = np.empty_like(own.average)
                own.kept[:] = kept
        self._restart()


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


def _dot(a: Float32s, b: Float32s) -> float:
    """Sum of products, in pieces that lose nothing in 32 bits."""
    whole = len(a) - len(a) % DOT
    pieces = np.einsum("ij,ij->i", a[:whole].reshape(-1, DOT), b[:whole].reshape(-1, DOT))
    return float(pieces.sum(dtype=np.float64)) + float(np.dot(a[whole:], b[whole:]))
