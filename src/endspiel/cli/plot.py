"""Pictures of a solve; needs the extra ``endspiel[plots]``."""

from collections.abc import Sequence
from pathlib import Path

from endspiel.errors import EndspielError
from endspiel.pictures import check_picture, picture
from endspiel.solvers.methods import EXACT
from endspiel.solvers.solution import Solution


def check_plot(method: str, path: Path) -> None:
    """Refuse, before the work, a picture that could not be drawn after it."""
    if method in EXACT:
        raise EndspielError(f"{method} has no iterations to plot")
    check_picture(path)


def plot_convergence(solutions: Sequence[Solution], path: Path) -> None:
    """Exploitability against iterations, one line per solution, both axes logarithmic."""
    with picture(path) as axes:
        for solution in solutions:
            points = [p for p in solution.trace if p.exploitability > 0 and p.iteration > 0]
            axes.loglog(
                [p.iteration for p in points],
                [p.exploitability for p in points],
                marker=".",
                label=f"{solution.method} ({solution.seconds:.2f} s)",
            )
        axes.set_xlabel("iterations")
        axes.set_ylabel("exploitability (mean of both gains)")
        axes.set_title(solutions[0].game)
        axes.grid(True, which="both", alpha=0.25)
        axes.legend()
