"""The front door of the solvers: one call for every method."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from endspiel.engine.limits import Limiting, Limits, limits_of
from endspiel.engine.run import Checkpoint, Iterative, RunTask, run
from endspiel.engine.schemes import SCHEMES, USUAL, Answer
from endspiel.game import Game, Profile, exploitability
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.methods import EXACT, SMALL_GAME
from endspiel.solvers.solution import Solution

if TYPE_CHECKING:
    from endspiel.solvers import lp

GAME_TARGET = 1e-4  # of the game's payoff range


def limits_for(game: Game, limits: Limits) -> Limits:
    """The limits given, or the default target where none is."""
    if game.payoff_range == 0:  # nothing is at stake, so anything is an equilibrium
        return limits if limits.given else replace(limits, iterations=1)
    return limits.or_target(GAME_TARGET * game.payoff_range)


def solve(
    game: Game,
    method: str = "cfr+",
    limits: Limits | None = None,
    *,
    alternating: bool = True,
    answer: Answer = USUAL,
    **given: Unpack[Limiting],
) -> Solution:
    """Solve a game by any of `METHODS`.

    Limits are given together or by name: `solve(game, "dcfr", target=1e-4)`.
    The exact methods end when they are done, or with an error when their seconds are over; they
    refuse imperfect recall. The exploitability of any solution is measured in the game itself.
    """
    limits = limits_of(limits, given)
    asked = {
        "alternating": not alternating,
        "answer": answer != USUAL,
        "checkpoint": limits.checkpoint is not None,
    }
    SMALL_GAME.check(method, [option for option, given in asked.items() if given])
    if method not in SCHEMES:
        game.require_zero_sum(method)
    if method in EXACT:
        return _exact(game, method, limits)
    if method == "egt":
        from endspiel.solvers.firstorder.egt import EGT

        egt = EGT(game)
        return _iterate(game, method, egt, limits, asdict(egt.options))
    scheme = replace(SCHEMES[method], alternating=alternating).answering(answer)
    return _iterate(game, method, CFR(game, scheme), limits, scheme.parameters())


def exact_solver(method: str) -> "Callable[..., lp.Equilibrium]":
    """Return the solver of an exact method; linear programming is loaded when it is asked for."""
    from endspiel.solvers import lp
    from endspiel.solvers.lp.refinements import quasi_perfect, undominated

    solvers: dict[str, Callable[..., lp.Equilibrium]] = {
        "lp": lp.solve,
        "undominated": undominated,
        "quasi-perfect": quasi_perfect,
    }
    return solvers[method]


def _exact(game: Game, method: str, limits: Limits) -> Solution:
    from endspiel.solvers import lp
    from endspiel.solvers.lp.refinements import QuasiPerfect

    seconds = limits.seconds
    options = lp.Options() if seconds is None else lp.Options(time_limit=seconds)
    found = exact_solver(method)(game, options=options)
    parameters: dict[str, Any] = {"solver": found.solver}
    if isinstance(found, QuasiPerfect):
        parameters["epsilon"] = found.epsilon
    return Solution(
        profile=found.profile,
        value=found.value,
        exploitability=found.gap,
        method=method,
        game=game.name,
        built=game,
        fingerprint=game.fingerprint,
        iterations=found.iterations,
        seconds=found.seconds,
        parameters=parameters,
        stopped="optimal",
        warnings=found.warnings,
    )


class Averaging(Iterative, Protocol):
    """An iterative solver whose solution is an average strategy."""

    def average(self) -> Profile: ...


def _iterate(
    game: Game, method: str, solver: Averaging, limits: Limits, parameters: dict[str, Any]
) -> Solution:
    def measure() -> float:
        return exploitability(game, solver.average()).mean

    checkpoint = Checkpoint.of(
        limits, lambda: RunTask(game.name, game.fingerprint, method, parameters)
    )
    trace, stopped = run(solver, measure, limits_for(game, limits), checkpoint)
    profile = solver.average()
    measured = exploitability(game, profile)
    return Solution(
        profile=profile,
        value=measured.value,
        exploitability=measured.mean,
        method=method,
        game=game.name,
        built=game,
        fingerprint=game.fingerprint,
        iterations=solver.iteration,
        seconds=trace[-1].seconds if trace else 0.0,
        trace=tuple(trace),
        parameters=parameters,
        stopped=stopped,
    )
