"""The running result of a match as a picture; needs the extra ``endspiel[plots]``."""

from pathlib import Path

from endspiel.arena.estimators.estimates import running
from endspiel.arena.match import MatchResult
from endspiel.pictures import picture


def plot_match(result: MatchResult, path: Path) -> None:
    """Agent A's rate so far, with its 95% interval, against the hands played."""
    plan = result.plan
    counts, means, halves = running(result.units())
    hands = counts * plan.sections
    with picture(path) as axes:
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
