"""Exact equilibria by linear programming over the sequence form, each with its certificate.

The plain program is in `sequence_form`; larger games first try the short programs of `shortlist`.
Whatever the way, the strategies handed out are held against best responses in the game itself.
"""

from dataclasses import replace

import numpy as np

from endspiel.engine.schemes import SCHEMES
from endspiel.game import Game, Profile, Treeplex, best_response
from endspiel.kernels.arrays import Bools, Floats
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.lp.highs import SMALL_PROGRAM, LinearProgram, SolverError
from endspiel.solvers.lp.sequence_form import ProgramSize, SequenceForm
from endspiel.solvers.lp.task import Equilibrium, Options, PrecisionWarning, ProgramTask

SCOUTING = 100  # iterations of CFR
UNLIKELY = 1e-4  # sequences under this share of their root mass are left out at first
GROWTH = 100.0  # each round lowers the share by this factor
ROUNDS = 3
WORTHWHILE = 0.4  # share of kept sequences up to which the short programs are faster


def solve_short(task: ProgramTask) -> Profile | None:
    """An equilibrium from short programs; None where they do not pay or do not suffice."""
    game = task.game
    scout = CFR(game, SCHEMES["dcfr"])
    for _ in range(SCOUTING):
        scout.step()
    average = scout.average()
    kept = [_likely(game, average, player, UNLIKELY) for player in (0, 1)]
    if any(mask.mean() > WORTHWHILE for mask in kept):
        return None
    form = SequenceForm.of(game)
    best = _Guarantees(game, average)
    for number in range(ROUNDS):
        for player, side in enumerate((form, form.flip())):
            _, found = task.solve(_without(side.program(), ~kept[player]), "simplex")
            own, other = side.plans(found)
            best.offer(player, game.plexes[player].behavior(own))
            best.offer(1 - player, game.plexes[1 - player].behavior(other))
            if best.gap <= task.allowed:
                return best.profile
            answer = best_response(game, player, best.against(player, other))[1]
            kept[player] |= game.plexes[player].walk_down(answer) > 0
            kept[player] |= _likely(game, average, player, UNLIKELY / GROWTH ** (number + 1))
    return None


class _Guarantees:
    """The best strategies met so far, by what they are sure to earn."""

    def __init__(self, game: Game, start: Profile) -> None:
        self.game = game
        self._behavior = list(start.behavior)
        self._sure = [-np.inf, -np.inf]  # each player's guarantee, in the player's own sign

    @property
    def profile(self) -> Profile:
        return Profile((self._behavior[0], self._behavior[1]))

    @property
    def gap(self) -> float:
        return -sum(self._sure) / 2

    def offer(self, player: int, behavior: Floats) -> None:
        """Take a strategy if it is sure to earn more."""
        profile = self._with(player, behavior)
        sure = -best_response(self.game, 1 - player, profile)[0]
        if sure > self._sure[player]:
            self._sure[player], self._behavior[player] = sure, behavior

    def against(self, player: int, plan: Floats) -> Profile:
        """A profile in which the player's opponent follows a plan."""
        return self._with(1 - player, self.game.plexes[1 - player].behavior(plan))

    def _with(self, player: int, behavior: Floats) -> Profile:
        pair = list(self._behavior)
        pair[player] = behavior
        return Profile((pair[0], pair[1]))


def _likely(game: Game, average: Profile, player: int, share: float) -> Bools:
    """Sequences [S] that a profile plays more often than a share of their root mass."""
    plex = game.plexes[player]
    kept: Bools = average.plan(game, player) > share * plex.mass
    kept[: plex.num_roots] = True
    _close(plex, kept, average.behavior[player])
    return kept


def _close(plex: Treeplex, kept: Bools, behavior: Floats) -> None:
    """Keep the likeliest action where a kept sequence leads to a state and all fell away."""
    for block in plex:
        actions = block.of(kept)
        actions &= kept[block.parent]
        bare = np.flatnonzero(kept[block.parent] & ~actions.any(axis=0))
        actions[block.of(behavior)[:, bare].argmax(axis=0), bare] = True


def _without(program: LinearProgram, dropped: Bools) -> LinearProgram:
    """The program with the dropped sequences [S0] held at zero; presolve takes them out."""
    upper = program.upper.copy()
    upper[: len(dropped)][dropped] = 0
    return replace(program, upper=upper)


__all__ = ["Equilibrium", "Options", "PrecisionWarning", "ProgramSize", "SolverError", "solve"]


def solve(game: Game, options: Options | None = None) -> Equilibrium:
    """One equilibrium of a game with perfect recall, its gap certified by best responses."""
    task = ProgramTask(game, options or Options())
    small = ProgramSize.of(game).nonzeros <= SMALL_PROGRAM
    if task.options.solver == "auto" and task.options.shortlist and not small:
        found = solve_short(task)
        if found is not None:
            return task.finish(found)
    return task.finish(task.solve_form(SequenceForm.of(game)))
