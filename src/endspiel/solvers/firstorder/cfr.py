"""Counterfactual regret minimization and its variants, one loop over data.

An iteration, for each player: (1) the gradient against the other's current plan, (2) add the own
current plan to the average (the supplement's equation 8: of the strategies that iterations 1 to T
play), (3) walk up: each action's advantage over the current strategy (equation 3), (4) discount the
stored regrets, add the advantages, and match the positive ones (equations 4, 9 and 10), (5) walk
down to the plan of the next iteration.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.game import Game, Profile, Sparse, TerminalGroup, Treeplex
from endspiel.game.payoffs import compressed
from endspiel.kernels import cpu
from endspiel.kernels.arrays import DenseEnds, Discounts, Floats, Side

if TYPE_CHECKING:
    from scipy import sparse

SMALL_FORM: Final = (
    2**15
)  # entries of a form that fit the second-level cache: larger ones go by BLAS


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
        self._mass = np.ones(0) if plex.rows is None else plex.mass  # [S] weighs states in rows

    @property
    def is_current(self) -> bool:
        """Whether the current strategy is the solution, and no average is stored."""
        return not self.average.size

    @property
    def root(self) -> Floats:
        """Mass [R] of each root: a view."""
        return self.plan[: self.plex.num_roots]

    def set_root(self, reach: Floats) -> None:
        """Begin with these masses [R]."""
        self.root[:] = reach
        cpu.walk_down(self.plex.arrays, self._choice, self.plan)
        if self.plex.rows is not None:
            self._mass = self.plan_of(np.ones_like(self.plan))

    def plan_of(self, behavior: Floats) -> Floats:
        """The plan [S] of a behavior [S], from the roots' masses as they are."""
        plan = np.empty_like(behavior)
        plan[: self.plex.num_roots] = self.root
        cpu.walk_down(self.plex.arrays, behavior, plan)
        return plan

    def update(self, gradient: Floats, discounts: Discounts) -> None:
        """Learn from the gradient [S] of the other's plan; the roots' values take its place."""
        plex = self.plex
        if plex.rows is None:
            cpu.learn(
                plex.arrays, gradient, self.regret, self._choice, self.plan, self.average, discounts
            )
            return
        rows = plex.rows
        if not self.is_current:
            self.average *= discounts.average
            self.average += np.bincount(rows.of, self.plan, rows.size)
        cpu.advantages(plex.arrays, self._choice, gradient)
        weighted = gradient * self._mass
        advantage: Floats = np.bincount(rows.of, weighted, rows.size).astype(np.float64)
        cpu.match_regrets(rows.arrays, advantage, self.regret, self._row_choice, discounts)
        self._choice[plex.num_roots :] = self._row_choice[rows.of[plex.num_roots :]]
        cpu.walk_down(plex.arrays, self._choice, self.plan)

    def side(self, payoffs: "sparse.spmatrix", ends: DenseEnds | None = None) -> Side:
        """The arrays for the fused kernel; payoffs [S, S'] are to this player."""
        scratch: Any = np.empty_like(self.plan)
        changed: Any = self.regret, self._choice, self.plan, self.average
        return Side(self.plex.arrays, compressed(payoffs), ends or _ends((), 0), scratch, *changed)

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

    def solution(self) -> Floats:
        """Behavior [S] that is the answer: of the average, or the current one."""
        return self.current_behavior() if self.is_current else self.average_behavior()

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


class PlexBackend:
    """The backend of `Game`: two treeplexes, by the kernels of `cpu`, in 64-bit floats."""

    longest_average = INFINITE

    def __init__(self, game: Game) -> None:
        self.game = game
        self.learners = (Learner(game.plexes[0]), Learner(game.plexes[1]))
        self._sides = self._fused_sides()

    def _fused_sides(self) -> tuple[Side, Side] | None:
        """Both players' arrays for the fused kernel, where it fits: small forms, own rows."""
        game, groups = self.game, self.game.groups
        if not game.zero_sum or any(plex.rows is not None for plex in game.plexes):
            return None
        dense = [group for group in groups if not isinstance(group.payoff, Sparse)]
        if any(group.payoff.shape[0] * group.payoff.shape[1] > SMALL_FORM for group in dense):
            return None
        if dense:
            game = replace(game, groups=[g for g in groups if isinstance(g.payoff, Sparse)])
        one, two = self.learners
        sides = one.side(game.matrix, _ends(dense, 0)), two.side(-game.matrix.T, _ends(dense, 1))
        return sides

    @property
    def zero_sum(self) -> bool:
        return self.game.zero_sum

    def accept(self, scheme: Scheme) -> None:
        """Every scheme will do."""
        if scheme.solution == CURRENT:
            for learner in self.learners:
                learner.average = np.zeros(0)
            self._sides = self._fused_sides()

    def root(self, player: int) -> Floats:
        return self.learners[player].root

    def set_root(self, player: int, reach: Floats) -> None:
        self.learners[player].set_root(reach)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        plan = self.learners[1 - player].plan
        if self._sides is None:
            gradient = self.game.gradient(player, plan)
        else:  # sums in the order of `iterate`
            cpu.earn(self._sides[player], plan)
            gradient = self._sides[player].gradient
        self.learners[player].update(gradient, discounts)
        return gradient[: self.game.plexes[player].num_roots].copy()

    def iterate(self, schedule: Sequence[Discounts], alternating: bool) -> None:
        if self._sides is not None:
            cpu.iterate(*self._sides, np.array(schedule), alternating)
            return
        (one, two), gradient = self.learners, self.game.gradient
        for discounts in schedule:
            theirs = None if alternating else gradient(1, one.plan)
            one.update(gradient(0, two.plan), discounts)
            two.update(gradient(1, one.plan) if theirs is None else theirs, discounts)

    def _against_average(self, player: int) -> Floats:
        """What each sequence earns [S] against the other's average."""
        other = self.learners[1 - player]
        return self.game.gradient(player, other.plan_of(other.solution()))

    def best_values(self, player: int) -> Floats:
        plex = self.game.plexes[player]
        return plex.best_response(self._against_average(player))[0][: plex.num_roots]

    def average_values(self, player: int) -> Floats:
        plex, values = self.game.plexes[player], self._against_average(player)
        cpu.advantages(plex.arrays, self.learners[player].solution(), values)
        return values[: plex.num_roots]

    def state(self) -> dict[str, Any]:
        return {
            f"{name}{player}": array
            for player, learner in enumerate(self.learners)
            for name, array in learner.arrays().items()
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        for player, learner in enumerate(self.learners):
            for name, array in learner.arrays().items():
                array[:] = arrays[f"{name}{player}"]


def _ends(groups: Sequence[TerminalGroup], player: int) -> DenseEnds:
    """Terminals with dense forms, as a player sees them."""
    places, stakes, entries = [np.zeros((5, 0), np.int64)], np.zeros(0), np.zeros(0)
    for group in groups:
        form, seqs = group.payoff.dense(), (group.seqs0, group.seqs1)
        form = form.T if player == 0 else form
        sizes = np.array([[form.shape[1]], [form.shape[0]], [len(entries)]])
        of_each = np.broadcast_to(sizes, (3, len(group.stakes)))
        places.append(np.stack([seqs[player], seqs[1 - player], *of_each]))
        stakes = np.append(stakes, group.stakes if player == 0 else -group.stakes)
        entries = np.append(entries, form)
    own, other, states, others, at = np.concatenate(places, axis=1)
    return DenseEnds(own, other, states, others, at, stakes, entries)


class CFR(Driver[PlexBackend]):
    """A running solve of a `Game` by any scheme of the family."""

    def __init__(self, game: Game, scheme: Scheme) -> None:
        super().__init__(PlexBackend(game), scheme)

    @property
    def learners(self) -> tuple[Learner, Learner]:
        """What each player has learned."""
        return self.backend.learners

    def average(self) -> Profile:
        """The solution: the average strategies, or the current ones where the scheme says so."""
        return Profile((self.learners[0].solution(), self.learners[1].solution()))

    def current(self) -> Profile:
        """The strategies of the newest iteration."""
        return Profile((self.learners[0].current_behavior(), self.learners[1].current_behavior()))
