"""Pictures of a solve; needs the extra ``endspiel[plots]``."""

from collections.abc import Sequence
from pathlib import Path

from endspiel.errors import EndspielError
from endspiel.solvers.solution import Solution


def plot_convergence(solutions: Sequence[Solution], path: Path) -> None:
    """Exploitability against iterations, one line per solution, both axes logarithmic."""
    try:
        import matplotlib
    except ImportError as error:
        raise EndspielError("plots need matplotlib: pip install 'endspiel[plots]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for solution in solutions:
        points = [p for p in solution.trace if p.exploitability > 0]
        if not points:
            raise EndspielError(f"{solution.method} has no iterations to plot")
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
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise EndspielError(f"cannot write {path}: {error}") from error
    finally:
        pyplot.close(figure)
