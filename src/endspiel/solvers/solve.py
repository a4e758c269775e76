"""The front door of the solvers: one call for every method."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from endspiel.errors import EndspielError
from endspiel.game import Game, exploitability
from endspiel.solvers.cfr import CFR, SCHEMES
from endspiel.solvers.egt import EGT
from endspiel.solvers.lp import solve_lp
from endspiel.solvers.refinements import quasi_perfect, undominated
from endspiel.solvers.run import Checkpoint, Iterative, Until, run
from endspiel.solvers.solution import Solution, TracePoint

EXACT = {"lp": solve_lp, "undominated": undominated, "quasi-perfect": quasi_perfect}
METHODS = (*SCHEMES, "egt", *EXACT)
DEFAULT_TARGET = 1e-3  # of the game's payoff range


@dataclass(frozen=True)
class Effort:
    """How a solve is run: when it stops, who watches, where it is written down."""

    target: float | None = None  # exploitability in the game's units
    iterations: int | None = None
    seconds: float | None = None
    observe: Callable[[TracePoint], None] = lambda point: None
    checkpoint: Path | None = None
    checkpoint_every: float = 30.0  # seconds

    def until(self, game: Game) -> Until:
        """The limits given, or the default target where none is."""
        if self.target is None and self.iterations is None and self.seconds is None:
            return Until(DEFAULT_TARGET * game.payoff_range)
        return Until(self.target, self.iterations, self.seconds)


def solve(
    game: Game,
    method: str = "cfr+",
    effort: Effort | None = None,
    *,
    alternating: bool = True,
    **limits: Any,
) -> Solution:
    """Solve a game by any of `METHODS`.

    Limits are `Effort`'s fields, given together or by name: `solve(game, "dcfr", target=1e-4)`.
    The exact methods need no limits and refuse imperfect recall.
    """
    effort = replace(effort or Effort(), **limits)
    if method in EXACT:
        return _exact(game, method)
    if method in SCHEMES:
        scheme = replace(SCHEMES[method], alternating=alternating)
        return _iterate(game, method, CFR(game, scheme), effort, asdict(scheme))
    if method == "egt":
        return _iterate(game, method, EGT(game), effort, {})
    raise EndspielError(f"no method {method!r}; there are {', '.join(METHODS)}")


def _exact(game: Game, method: str) -> Solution:
    found = EXACT[method](game)
    return Solution(
        profile=found.profile,
        value=found.value,
        exploitability=exploitability(game, found.profile).mean,
        method=method,
        game=game.name,
        fingerprint=game.fingerprint,
        iterations=found.iterations,
        seconds=found.seconds,
        stopped="optimal",
        warnings=tuple(found.warnings),
    )


def _iterate(
    game: Game, method: str, solver: Iterative, effort: Effort, parameters: dict[str, Any]
) -> Solution:
    checkpoint = None
    if effort.checkpoint is not None:
        match = {"game": game.fingerprint, "method": method}
        checkpoint = Checkpoint(effort.checkpoint, effort.checkpoint_every, match)
    trace, stopped = run(game, solver, effort.until(game), effort.observe, checkpoint)
    profile = solver.average()
    measured = exploitability(game, profile)
    return Solution(
        profile=profile,
        value=measured.value,
        exploitability=measured.mean,
        method=method,
        game=game.name,
        fingerprint=game.fingerprint,
        iterations=solver.iteration,
        seconds=trace[-1].seconds if trace else 0.0,
        trace=tuple(trace),
        parameters=parameters,
        stopped=stopped,
    )
