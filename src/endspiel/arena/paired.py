"""Comparing two versions of an agent that differ only in endgames (2015 paper, Appendix C).

Both versions play the same opponent, hand k of one run beside hand k of the other. Three ways to
use the hands:

same     hands where both come to the same endgame: biased (Proposition 3), kept to show it
both     hands where both come to some endgame (Proposition 4)
either   every hand, those that end before an endgame counted as nothing

``both`` estimates the difference per endgame. Its proof multiplies the chances that the two runs
come to endgames, so it needs runs whose deals are independent. With the same deals a deal that
comes to endgames often counts too much, and the estimate is biased unless play before the endgame
is deterministic. For the same reason the hands must all be of one position, or each position taken
on its own. ``either`` needs no independence: before an endgame the versions play alike, so
what is left out has the same mean in both runs. It estimates the difference per hand.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimates import Estimate, Floats, estimate
from endspiel.errors import EndspielError
from endspiel.rules.state import State


@dataclass(frozen=True)
class Run:
    """One version's hands against the opponent."""

    values: Floats  # [hands] in mbb
    reached: NDArray[np.bool_]  # [hands] whether the hand came to an endgame
    lines: tuple[str, ...] = ()  # [hands] betting before the endgame; only ``same`` reads it


def trunk(state: State, round: int) -> str | None:
    """Betting before a round, the endgame's root, or None for a hand that ended without it.

    A hand that was all-in before the round leaves the endgame nothing to decide, and ends there.
    """
    return line_trunk(state.line, round)


def line_trunk(line: str, round: int) -> str | None:
    """The same from a whole hand's betting, as a log has it."""
    streets = line.split("/")
    if len(streets) <= round or not streets[round]:
        return None
    return "/".join(streets[:round])


def same_endgame(base: Run, other: Run) -> Estimate:
    """Proposition 3's estimator of other - base per endgame, which is biased."""
    _check(base, other)
    alike = np.array([a == b for a, b in zip(base.lines, other.lines, strict=True)], np.bool_)
    chosen = base.reached & other.reached & alike
    return estimate("same endgame", _some(other.values - base.values, chosen))


def both_endgames(base: Run, other: Run) -> Estimate:
    """Proposition 4's estimator of other - base per endgame; see above for what it needs."""
    _check(base, other)
    return estimate(
        "both endgames", _some(other.values - base.values, base.reached & other.reached)
    )


def either_endgame(base: Run, other: Run) -> Estimate:
    """Other - base per hand, the hands of each that end before an endgame counted as nothing."""
    _check(base, other)
    return estimate(
        "either endgame",
        np.where(other.reached, other.values, 0) - np.where(base.reached, base.values, 0),
    )


def all_hands(base: Run, other: Run) -> Estimate:
    """Other - base per hand, every hand counted: what the others are measured by."""
    _check(base, other)
    return estimate("all hands", other.values - base.values)


def _check(base: Run, other: Run) -> None:
    if base.values.shape != other.values.shape:
        raise EndspielError(
            f"runs of {len(base.values)} and {len(other.values)} hands cannot be paired"
        )


def _some(values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    if not chosen.any():
        raise EndspielError("no pair of hands came to endgames: play more of them")
    picked: Floats = values[chosen]
    return picked
