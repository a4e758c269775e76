"""Comparing two versions of an agent that differ only in endgames (2015 paper, Appendix C).

Both versions play the same opponent, hand k of one run beside hand k of the other. Three ways to
use the hands:

same     hands where both come to the same endgame: biased (Proposition 3), kept to show it
both     hands where both come to some endgame (Proposition 4)
either   every hand, those that end before an endgame counted as nothing

``both`` estimates the difference per endgame. Its proof multiplies the chances that the two runs
come to endgames, so it needs runs whose deals are independent. With the same deals a deal that
comes to endgames often counts too much, and the estimate is biased unless play before the endgame
is deterministic, or throws the same dice in both runs. For the same reason hands of one position
are compared on their own, and the positions then weighed by how often they come to endgames.
``either`` needs no independence: before an endgame the versions play alike, so what is left out has
the same mean in both runs. It estimates the difference per hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.estimates import Estimate, Floats, estimate
from endspiel.errors import EndspielError
from endspiel.rules.state import State

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Run:
    """One version's hands against the opponent, of one position or of both.

    Hands of both positions that stand at one place may share a deal; those at different places may
    not.
    """

    values: Floats  # [hands] or [positions, hands] in mbb
    reached: Bools  # the same shape: whether the hand came to an endgame
    lines: Sequence[Any] = ()  # the same: betting before the endgame; only ``same`` reads it


def trunk(state: State, round: int) -> str | None:
    """Betting before a round, the endgame's root, or None for a hand that ended without it.

    A hand that was all-in before the round leaves the endgame nothing to decide, and ends there.
    """
    return line_trunk(state.line, round)


def line_trunk(line: str, round: int) -> str | None:
    """The trunk of a whole hand's betting, as a log has it."""
    streets = line.split("/")
    if len(streets) <= round or not streets[round]:
        return None
    return "/".join(streets[:round])


def same_endgame(base: Run, other: Run) -> Estimate:
    """Proposition 3's estimator of other - base per endgame, which is biased."""
    return _per_endgame("same endgame", base, other, in_same(base, other))


def both_endgames(base: Run, other: Run) -> Estimate:
    """Proposition 4's estimator of other - base per endgame; see above for what it needs."""
    return _per_endgame("both endgames", base, other, in_both(base, other))


def either_endgame(base: Run, other: Run) -> Estimate:
    """Other - base per hand, the hands of each that end before an endgame counted as nothing."""
    _check(base, other)
    counted = np.where(other.reached, other.values, 0) - np.where(base.reached, base.values, 0)
    return estimate("either endgame", np.atleast_2d(counted).mean(axis=0))


def all_hands(base: Run, other: Run) -> Estimate:
    """Other - base per hand, every hand counted: what the others are measured by."""
    _check(base, other)
    return estimate("all hands", np.atleast_2d(other.values - base.values).mean(axis=0))


ESTIMATORS: Final = {"either": either_endgame, "both": both_endgames, "same": same_endgame}


def in_both(base: Run, other: Run) -> Bools:
    """Which pairs of hands came to some endgame in both runs: [hands] or [positions, hands]."""
    _check(base, other)
    return base.reached & other.reached


def in_same(base: Run, other: Run) -> Bools:
    """Which pairs of hands came to the same endgame."""
    alike: Bools = np.array(base.lines, object) == np.array(other.lines, object)
    return in_both(base, other) & alike


def _per_endgame(name: str, base: Run, other: Run, chosen: Bools) -> Estimate:
    """Other - base per endgame, from chosen pairs of hands.

    Each position has its own mean, and counts as often as it comes to endgames in either run. The
    error is that of the places, at which both positions may have one deal, to first order.
    """
    if not chosen.any():
        raise EndspielError("no pair of hands came to endgames: play more of them")
    picked = np.atleast_2d(chosen)  # [P, N]
    gains = np.atleast_2d(other.values - base.values)
    reached = np.atleast_2d(base.reached.astype(np.float64) + other.reached)
    often, comes = picked.mean(axis=1, keepdims=True), reached.mean(axis=1, keepdims=True)  # [P, 1]
    if not often.all():
        raise EndspielError("no pair of hands came to endgames in one position: play more of them")
    means = np.where(picked, gains, 0).mean(axis=1, keepdims=True) / often
    share = comes / comes.sum()
    mean = float((share * means).sum())
    pulls = share * picked * (gains - means) / often
    pulls += (means - mean) * (reached - comes) / comes.sum()
    error = estimate(name, pulls.sum(axis=0)).error
    return Estimate(name, mean, error, int(picked.sum()))


def _check(base: Run, other: Run) -> None:
    if base.values.shape != other.values.shape:
        raise EndspielError(
            f"runs of {base.values.size} and {other.values.size} hands cannot be paired"
        )
