"""The running result of a match as a picture; needs the extra ``endspiel[plots]``."""

from pathlib import Path
from typing import Any

from endspiel.arena.estimates import running
from endspiel.arena.match import MatchResult
from endspiel.errors import EndspielError, FileError


def check_picture(path: Path) -> None:
    """Refuse, before the match, a picture that could not be drawn after it."""
    pyplot = _pyplot()
    endings = sorted(pyplot.figure().canvas.get_supported_filetypes())
    pyplot.close()
    if path.suffix[1:].lower() not in endings:
        raise FileError(f"pictures end in {', '.join(endings)}, not as {path.name!r} does")


def plot_match(result: MatchResult, path: Path) -> None:
    """Agent A's rate so far, with its 95% interval, against the hands played."""
    plan = result.plan
    counts, means, halves = running(result.units())
    hands = counts * plan.sections
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.fill_between(hands, means - halves, means + halves, alpha=0.25, label="95% interval")
    axes.plot(hands, means, label=f"{plan.agents[0]} against {plan.agents[1]}")
    if len(halves):  # the first few hands would dwarf the rest
        reach = 3 * float(halves[len(halves) // 10]) or 1.0
        axes.set_ylim(float(means[-1]) - reach, float(means[-1]) + reach)
    axes.set_xlabel("hands")
    axes.set_ylabel("mbb a hand")
    axes.grid(True, alpha=0.25)
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
