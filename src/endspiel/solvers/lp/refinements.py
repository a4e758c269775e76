"""Equilibria that also play well off the path: undominated, and epsilon-quasi-perfect.

A plain equilibrium promises nothing where it expects never to come. An undominated one makes the
most of a player who errs in every way at times, and an epsilon-quasi-perfect one is best at every
decision against a player whose hand trembles (Miltersen and Sorensen 2010).
"""

from dataclasses import dataclass, fields

import numpy as np
from scipy import sparse

from endspiel.errors import GameError
from endspiel.game import Game, Profile, Treeplex
from endspiel.kernels.arrays import Floats
from endspiel.solvers.lp.highs import LinearProgram, Optimum
from endspiel.solvers.lp.sequence_form import SequenceForm
from endspiel.solvers.lp.task import Equilibrium, Options, ProgramTask

STRICT = 1e-12  # duals of a refined optimum above this count as positive
RESOLVED = 100.0  # least ratio between a tremble and the misses of the solved program
MISTAKE = 1e-6  # largest loss at a decision, as a share of its stake, that needs no warning


def undominated(game: Game, options: Options | None = None) -> Equilibrium:
    """An equilibrium in which neither player's strategy is weakly dominated.

    A first program finds the value; a second one, for each player, maximizes the payoff against
    the opponent's uniform strategy over the optimal plans. Whatever weakly dominated its answer
    would be optimal as well, and do better against the uniform strategy, which plays everything.

    The second program keeps to the optimal face by complementary slackness: a plan is optimal
    just when it leaves alone what the first program's dual prices above zero. So no slack in the
    value is needed; prices count as zero up to `STRICT`, far above the error of the refined first
    optimum (a warning says so where it is not).
    """
    face = OptimalPlans.of(game, options)
    if face.optima[0].miss > STRICT:
        face.task.warnings.append(
            f"the optimal plans differ from others only by {face.optima[0].miss:.3g}, so the "
            "strategies may be dominated"
        )
    plans = []
    for player, form in enumerate(face.forms):
        mean = game.plexes[1 - player].uniform()
        plan = form.plexes[1].walk_down(mean) / form.mass[1]
        plans.append(face.best(player, form.payoffs @ plan))
    return face.task.finish(Profile.from_plans(game, plans[0], plans[1]))


@dataclass(frozen=True)
class OptimalPlans:
    """Both players' equilibrium plans: the optimal faces of a game's two linear programs."""

    task: ProgramTask
    forms: tuple[SequenceForm, SequenceForm]  # by player, its own side first
    optima: tuple[Optimum, Optimum]

    @classmethod
    def of(cls, game: Game, options: Options | None = None) -> "OptimalPlans":
        """Solve the game once."""
        task = ProgramTask(game, options or Options())
        form = SequenceForm.of(game)
        solver, found = task.solve(form.program())
        found = task.refine(solver, found)
        return cls(task, (form, form.flip()), (found, _flip(form, found)))

    def farthest(self, player: int, direction: Floats) -> Floats:
        """The player's equilibrium plan [S] that goes farthest in a direction [S]."""
        return self.best(player, direction * self.forms[player].mass[0])

    def best(self, player: int, cost: Floats) -> Floats:
        """The player's equilibrium plan [S] with the highest cost [S], in shares of root mass."""
        form = self.forms[player]
        solver, best = self.task.solve(_on_face(form, self.optima[player], cost))
        return form.plans(self.task.refine(solver, best, STRICT))[0]


def _on_face(form: SequenceForm, found: Optimum, cost: Floats) -> LinearProgram:
    """Maximize a cost [S0] among the optimal plans."""
    program = form.program()
    S0, S1 = form.payoffs.shape
    reduced = program.cost - program.matrix.T @ found.row_dual
    upper = program.upper.copy()
    upper[:S0][reduced[:S0] < -STRICT] = 0
    row_lower = program.row_lower.copy()
    tight = np.flatnonzero(found.row_dual[:S1] > STRICT)
    row_lower[tight] = program.row_upper[tight]
    costs = np.concatenate([cost, np.zeros(len(program.cost) - S0)])
    return LinearProgram(program.matrix, costs, program.lower, upper, row_lower, program.row_upper)


def _flip(form: SequenceForm, found: Optimum) -> Optimum:
    """The other player's optimum: the two programs are each other's duals.

    Player 1 maximizes -e'u, so that its columns are (y, -u) and its duals (x, -v).
    """
    S0, S1 = form.payoffs.shape
    z = np.concatenate([found.row_dual[:S1], -found.row_dual[S1:]])
    duals = np.concatenate([found.z[:S0], -found.z[S0:]])
    return Optimum(z, duals, found.solver, 0, found.dual_miss, found.primal_miss)


@dataclass(frozen=True)
class QuasiPerfect(Equilibrium):
    """An equilibrium of the game in which every action trembles; gap and value are the game's."""

    epsilon: float = 0.0
    tremble: float = 0.0  # the smallest lower bound on a sequence: epsilon^(own actions in it)
    perturbed_gap: float = 0.0  # mean best-response gain among strategies that tremble as much
    worst_mistake: float = 0.0  # most that a decision loses, as a share of what it has at stake


def quasi_perfect(
    game: Game, epsilon: float = 1e-3, options: Options | None = None
) -> QuasiPerfect:
    """An epsilon-quasi-perfect equilibrium, from one program over trembling plans.

    Every sequence of k own actions has a weight of epsilon^k at least. The bounds of both players
    go into the one program: the maximizer's as bounds, the other's as a cost (a bound on a plan
    is a cost on its dual). The program is solved for what lies above the bounds, and refined
    until extended precision gives out; the smallest bounds then still count.

    The profile comes with the trembles. Each decision is checked by itself, in proportion to its
    own stake: errors where the trembles lead are too small to show in any gap of the whole game.
    """
    widest = max(int(plex.arrays.actions.max(initial=1)) for plex in game.plexes)
    if not 0 < epsilon * widest <= 1:
        raise GameError(
            f"epsilon must lie above 0 and not above 1/{widest}, the share of an action among "
            f"{game.name}'s widest choice, not be {epsilon}"
        )
    task = ProgramTask(game, options or Options())
    lower = _trembles(game.plexes[0], epsilon), _trembles(game.plexes[1], epsilon)
    form = SequenceForm.of(game, lower)
    solver, found = task.solve(form.program())
    found = task.refine(solver, found)
    profile = Profile.from_plans(game, *form.plans(found))
    tremble = float(min(bounds[bounds > 0].min() for bounds in lower))
    gap, mistake = _check(game, profile, (lower[0] * form.mass[0], lower[1] * form.mass[1]))
    if tremble < RESOLVED * found.miss:
        task.warnings.append(
            f"the smallest tremble, {tremble:.3g}, hardly exceeds the program's error of "
            f"{found.miss:.3g}: epsilon {epsilon:g} is too small for this game"
        )
    if gap > task.allowed:
        task.warnings.append(
            f"trembling best responses gain {gap:.3g}, more than the certified {task.allowed:.3g}"
        )
    if mistake > MISTAKE:
        task.warnings.append(f"a decision loses {mistake:.3g} of its stake off the path")
    # What the trembles cost in the game itself is no flaw, so the plain gap is not held against it.
    plain = task.finish(profile, allowed=np.inf)
    shared = {field.name: getattr(plain, field.name) for field in fields(plain)}
    return QuasiPerfect(
        **shared, epsilon=epsilon, tremble=tremble, perturbed_gap=gap, worst_mistake=mistake
    )


def _trembles(plex: Treeplex, epsilon: float) -> Floats:
    """Lower bounds [S] on a player's plan, in shares of mass; none where there is no mass."""
    bounds: Floats = np.where(plex.mass > 0, epsilon ** plex.depth.astype(np.float64), 0.0)
    return bounds


def _check(game: Game, profile: Profile, lower: tuple[Floats, Floats]) -> tuple[float, float]:
    """The perturbed game's gap, and the worst mistake at a decision.

    What lies above the bounds must go to best actions; what an action loses there is its value
    short of the state's best. A state's stake is the most that payoffs below it can amount to.
    """
    gap, worst = 0.0, 0.0
    for player, plex in enumerate(game.plexes):
        other = profile.plan(game, 1 - player)
        matrix = abs(game.matrix if player == 0 else sparse.csr_matrix(game.matrix.T))
        values, _ = plex.best_response(game.gradient(player, other))
        stakes, _ = plex.best_response(matrix @ other)
        plan = profile.plan(game, player)
        for block in plex:
            short = block.of(values).max(axis=0) - block.of(values)
            loss = (np.maximum(block.of(plan - lower[player]), 0) * short).sum(axis=0)
            stake = block.of(stakes).max(axis=0) * plan[block.parent]
            gap += float(loss.sum()) / 2
            worst = max(worst, float((loss[stake > 0] / stake[stake > 0]).max(initial=0.0)))
    return gap, worst
