"""The front door of the solvers: one call for every method."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError
from endspiel.game import Game, Profile, exploitability
from endspiel.solvers import lp
from endspiel.solvers.cfr import CFR
from endspiel.solvers.egt import EGT
from endspiel.solvers.refinements import QuasiPerfect, quasi_perfect, undominated
from endspiel.solvers.run import Checkpoint, Iterative, Task, Until, run
from endspiel.solvers.solution import Solution, TracePoint

EXACT: dict[str, Callable[..., lp.Equilibrium]] = {
    "lp": lp.solve,
    "undominated": undominated,
    "quasi-perfect": quasi_perfect,
}
METHODS = (*SCHEMES, "egt", *EXACT)
DEFAULT_TARGET = 1e-4  # of the game's payoff range


@dataclass(frozen=True)
class Effort:
    """How a solve is run: when it stops, who watches, where it is written down."""

    target: float | None = None  # exploitability in the game's units
    iterations: int | None = None
    seconds: float | None = None
    observe: Callable[[TracePoint], None] = lambda point: None
    checkpoint: str | Path | None = None
    checkpoint_every: float = 30.0  # seconds
    # Told iterations and seconds between steps, many times a second; True ends the run as Ctrl-C
    # does. Exact methods do not ask.
    halt: Callable[[int, float], bool] | None = None
    # Whether Ctrl-C ends the solve with the best so far, and no KeyboardInterrupt reaches the
    # caller: what a command wants, and a loop over many solves does not.
    keep_on_interrupt: bool = False

    def checkpoint_of(self, task: Task) -> Checkpoint | None:
        """Where a task is written down, if anywhere."""
        if self.checkpoint is None:
            return None
        return Checkpoint(Path(self.checkpoint), task, self.checkpoint_every)

    def until(self, game: Game) -> Until:
        """The limits given, or the default target where none is."""
        if self.target is None and self.iterations is None and self.seconds is None:
            if game.payoff_range == 0:  # nothing is at stake, so anything is an equilibrium
                return Until(iterations=1)
            return self.limits(DEFAULT_TARGET * game.payoff_range)
        return self.limits(self.target)

    def limits(self, target: float | None) -> Until:
        """The limits with this target."""
        return Until(target, self.iterations, self.seconds, self.halt, self.keep_on_interrupt)


def check_method(method: str) -> None:
    """Refuse a method that there is not."""
    if method not in METHODS:
        raise EndspielError(f"there is no method {method!r}: methods are {', '.join(METHODS)}")


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
    The exact methods end when they are done, or with an error when their seconds are over; they
    refuse imperfect recall. The exploitability of any solution is measured in the game itself.
    """
    check_method(method)
    effort = replace(effort or Effort(), **limits)
    if method in EXACT:
        return _exact(game, method, effort)
    if method == "egt":
        egt = EGT(game)
        return _iterate(game, method, egt, effort, asdict(egt.options))
    scheme = replace(SCHEMES[method], alternating=alternating)
    return _iterate(game, method, CFR(game, scheme), effort, scheme.parameters())


def _exact(game: Game, method: str, effort: Effort) -> Solution:
    if effort.checkpoint is not None:
        raise EndspielError(f"{method} is solved in one piece and keeps no checkpoint")
    seconds = effort.until(game).seconds
    options = lp.Options() if seconds is None else lp.Options(time_limit=seconds)
    found = EXACT[method](game, options=options)
    parameters: dict[str, Any] = {"solver": found.solver}
    if isinstance(found, QuasiPerfect):
        parameters["epsilon"] = found.epsilon
    return Solution(
        profile=found.profile,
        value=found.value,
        exploitability=found.gap,
        method=method,
        game=game.name,
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
    game: Game, method: str, solver: Averaging, effort: Effort, parameters: dict[str, Any]
) -> Solution:
    def measure() -> float:
        return exploitability(game, solver.average()).mean

    checkpoint = effort.checkpoint_of(Task(game.name, game.fingerprint, method, parameters))
    trace, stopped = run(solver, measure, effort.until(game), effort.observe, checkpoint)
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
