"""Exact equilibria by linear programming over the sequence form, each with its certificate.

The plain program is in `sequence_form`; larger games first try the short programs of `shortlist`.
Whatever the way, the strategies handed out are held against best responses in the game itself.
"""

from endspiel.game import Game
from endspiel.solvers.lp.highs import SMALL_PROGRAM, SolverError
from endspiel.solvers.lp.sequence_form import ProgramSize, SequenceForm
from endspiel.solvers.lp.shortlist import solve_short
from endspiel.solvers.lp.task import Equilibrium, Options, PrecisionWarning, ProgramTask

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
