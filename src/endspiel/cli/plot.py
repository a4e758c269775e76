"""Pictures of a solve; needs the extra ``endspiel[plots]``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from endspiel.errors import EndspielError, FileError
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import EXACT


def check_plot(method: str, path: Path) -> None:
    """Refuse, before the work, a picture that could not be drawn after it."""
    if method in EXACT:
        raise EndspielError(f"{method} has no iterations to plot")
    endings = sorted(_pyplot().figure().canvas.get_supported_filetypes())
    _pyplot().close()
    if path.suffix[1:].lower() not in endings:
        raise FileError(f"pictures end in {', '.join(endings)}, not as {path.name!r} does")


def plot_convergence(solutions: Sequence[Solution], path: Path) -> None:
    """Exploitability against iterations, one line per solution, both axes logarithmic."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
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
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {error}") from error
    finally:
        pyplot.close(figure)


def _pyplot() -> Any:
    """Matplotlib's drawing module, which needs no screen here."""
    try:
        import matplotlib
    except ImportError as error:
        raise EndspielError("plots need matplotlib: pip install 'endspiel[plots]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
