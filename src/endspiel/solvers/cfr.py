"""Counterfactual regret minimization and its variants, one loop over data.

An iteration, for each player: (1) the gradient against the other's current plan, (2) add the own
current plan to the average (the supplement's equation 8: of the strategies that iterations 1 to T
play), (3) walk up: each action's advantage over the current strategy (equation 3), (4) discount the
stored regrets, add the advantages, and match the positive ones (equations 4, 9 and 10), (5) walk
down to the plan of the next iteration.
"""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from endspiel.game import Game, Profile, Sparse, Treeplex
from endspiel.kernels import cpu
from endspiel.kernels.arrays import CompressedRows, Discounts, Floats, Side

INFINITE = float("inf")


@dataclass(frozen=True)
class Scheme:
    """A member of the family: how iteration t discounts what came before (Brown, Sandholm 2019).

    Positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by the same with
    beta, both raised to a power, and iteration t has weight t^gamma in the average. With alpha and
    beta 1, iteration t has weight t^power in the regrets: linear CFR forgets its beginnings like
    1/t, a higher power sooner. A predictive scheme counts the newest regret twice when it chooses
    (Farina et al. 2021).
    """

    alpha: float
    beta: float
    gamma: float
    predictive: bool = False
    alternating: bool = True
    power: float = 1

    def parameters(self) -> dict[str, Any]:
        """The fields as a file can hold them: numbers that are not finite as words.

        The power is left out where it does nothing: files from before there was one say the same.
        """
        named = asdict(self)
        if self.power == 1:
            del named["power"]
        return {name: str(x) if abs(x) == INFINITE else x for name, x in named.items()}

    def at(self, t: int) -> Discounts:
        """What iteration t = 1, 2, ... does to the sums of the t - 1 before it."""
        return Discounts(
            _share(t - 1, self.alpha) ** self.power,
            _share(t - 1, self.beta) ** self.power,
            ((t - 1) / t) ** self.gamma,
            float(self.predictive),
        )


def _share(t: int, exponent: float) -> float:
    """t^e / (t^e + 1), also for infinite e; 0 before the first iteration."""
    if t == 0 or exponent == -INFINITE:
        return 0.0
    if exponent == INFINITE:
        return 1.0
    power: float = float(t) ** exponent
    return power / (power + 1.0)


SCHEMES = {
    "cfr": Scheme(INFINITE, INFINITE, 0),
    "cfr+": Scheme(INFINITE, -INFINITE, 1),
    "linear": Scheme(1, 1, 1),
    "dcfr": Scheme(1.5, 0, 2),
    "pcfr+": Scheme(INFINITE, -INFINITE, 2, predictive=True),
}


class Learner:
    """One player's regrets, current strategy and average, updated in place."""

    def __init__(self, plex: Treeplex) -> None:
        self.plex = plex
        size = plex.num_sequences if plex.rows is None else plex.rows.size
        self.regret = np.zeros(size)
        self.average = np.zeros(size)  # weighted sum of plans
        self.plan = plex.walk_down(plex.uniform())
        self._choice = plex.uniform()  # [S] current behavior
        self._row_choice = self._choice if plex.rows is None else np.ones(size)

    @cached_property
    def _mass(self) -> Floats:
        return self.plex.mass

    def update(self, gradient: Floats, by: Discounts) -> None:
        """Learn from the gradient [S] of the other's plan; the gradient is used up."""
        plex = self.plex
        if plex.rows is None:
            cpu.learn(plex.arrays, gradient, self.regret, self._choice, self.plan, self.average, by)
            return
        rows = plex.rows
        self.average *= by.average
        self.average += np.bincount(rows.of, self.plan, rows.size)
        cpu.walk_up(plex.arrays, self._choice, gradient)
        weighted = gradient * self._mass
        advantage: Floats = np.bincount(rows.of, weighted, rows.size).astype(np.float64)
        cpu.match_regrets(rows.arrays, advantage, self.regret, self._row_choice, by)
        self._choice[plex.num_roots :] = self._row_choice[rows.of[plex.num_roots :]]
        cpu.walk_down(plex.arrays, self._choice, self.plan)

    def side(self, payoffs: sparse.spmatrix) -> Side:
        """The same arrays for the fused kernel; payoffs [S, S'] are to this player."""
        rows = sparse.csr_matrix(payoffs)
        rows.sort_indices()
        form = CompressedRows(
            rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data
        )
        scratch = np.empty_like(self.plan)
        return Side(
            self.plex.arrays, form, scratch, self.regret, self._choice, self.plan, self.average
        )

    def arrays(self) -> dict[str, Floats]:
        """Everything that learning changes, by name."""
        return {
            "regret": self.regret,
            "average": self.average,
            "plan": self.plan,
            "choice": self._choice,
            "row_choice": self._row_choice,
        }

    def current_behavior(self) -> Floats:
        """Behavior [S] that the next iteration will play."""
        return self._choice.copy()

    def average_behavior(self) -> Floats:
        """Behavior [S] of the weighted average of all iterations."""
        if self.plex.rows is None:
            return self.plex.behavior(self.average)
        rows = self.plex.rows
        by_row = np.ones(rows.size)
        cpu.normalize(rows.arrays, self.average, by_row)
        behavior: Floats = by_row[rows.of]
        behavior[: self.plex.num_roots] = 1
        return behavior


class CFR:
    """A running solve by any scheme of the family."""

    def __init__(self, game: Game, scheme: Scheme) -> None:
        self.game = game
        self.scheme = scheme
        self.iteration = 0
        self.learners = (Learner(game.plexes[0]), Learner(game.plexes[1]))
        self._sides = self._fused_sides()

    def _fused_sides(self) -> tuple[Side, Side] | None:
        """Both players' arrays for the fused kernel, where it fits: sparse payoffs, own rows."""
        if any(plex.rows is not None for plex in self.game.plexes):
            return None
        if not all(isinstance(group.payoff, Sparse) for group in self.game.groups):
            return None
        one, two = self.learners
        return one.side(self.game.matrix), two.side(-self.game.matrix.T)

    def step(self) -> None:
        """One iteration: both players learn, one after the other or at once."""
        self.advance(1)

    def advance(self, steps: int) -> None:
        """So many iterations; many at once save the way into the kernels."""
        schedule = [self.scheme.at(self.iteration + t + 1) for t in range(steps)]
        if self._sides is not None:
            cpu.iterate(*self._sides, np.array(schedule), self.scheme.alternating)
        else:
            for by in schedule:
                self._learn(by)
        self.iteration += steps

    def _learn(self, by: Discounts) -> None:
        one, two = self.learners
        if self.scheme.alternating:
            one.update(self.game.gradient(0, two.plan), by)
            two.update(self.game.gradient(1, one.plan), by)
        else:
            gradients = self.game.gradient(0, two.plan), self.game.gradient(1, one.plan)
            one.update(gradients[0], by)
            two.update(gradients[1], by)

    def average(self) -> Profile:
        """The average strategies: the solution."""
        return Profile((self.learners[0].average_behavior(), self.learners[1].average_behavior()))

    def current(self) -> Profile:
        """The strategies of the newest iteration."""
        return Profile((self.learners[0].current_behavior(), self.learners[1].current_behavior()))

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        arrays: dict[str, Any] = {"iteration": np.array([self.iteration])}
        for player, learner in enumerate(self.learners):
            for name, array in learner.arrays().items():
                arrays[f"{name}{player}"] = array
        return arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        for player, learner in enumerate(self.learners):
            for name, array in learner.arrays().items():
                array[:] = arrays[f"{name}{player}"]
