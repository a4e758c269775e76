"""Solving a decision until its measured gap is narrow enough.

A solve is judged by its gap, never by the clock. One whose gap is wider than `PLAYABLE` gets more
time; then the decision is solved with a leaner menu; if that is not good enough either, the
decision is left to the strategy file. What was done is recorded with the solve.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from endspiel.agent.clock import MoveTime
from endspiel.endgame.safe.nested_solve import Unsolved
from endspiel.engine.limits import Limits

PLAYABLE: Final = 0.03  # the widest gap of a solve that is played, as a share of the pot
MOST_ITERATIONS: Final = 1000  # of a solve that gets more time

AS_PLANNED: Final = "as planned"
MORE_TIME: Final = "more time than planned"
MORE_BUCKETS: Final = "more buckets than planned"  # of a linear program
LEANER: Final = "leaner menu than planned"
EARLIER: Final = "an earlier solve of the hand"

NO_TIME: Final = Unsolved("no time is left to solve anything")
TOO_WIDE: Final = Unsolved("no solve came within its bound in time")


class PlannedSolve(Protocol):
    """What a solve may cost."""

    @property
    def iterations(self) -> int:
        """Iterations planned."""

    @property
    def seconds(self) -> float:
        """About how long they take on one core."""


P = TypeVar("P", bound=PlannedSolve)
E = TypeVar("E")
Solve = Callable[[Limits], float]  # to a gap, as a share of the pot; called again, it goes on


class Found(NamedTuple, Generic[E]):
    """A solve that is good enough to be played."""

    endgame: E
    gap: float  # as a share of the pot
    how: str  # AS_PLANNED, MORE_TIME or LEANER


class Standard(NamedTuple):
    """When a solve ends, and how good it must be to be played."""

    limits: Limits
    playable: float = PLAYABLE  # the widest gap, as a share of the pot


def solve_well(
    plans: Sequence[P],  # the one to follow, then leaner ones
    build: Callable[[P], tuple[E, Solve]],
    standard: Standard,
    time: MoveTime,
) -> Found[E] | Unsolved:
    """Solve a decision by its plan, then for longer, then by a leaner plan."""
    begun, (first, *leaner), (limits, playable) = perf_counter(), plans, standard
    if time.latest <= begun:
        return NO_TIME
    most = limits.iterations or max(MOST_ITERATIONS, first.iterations)
    (endgame, solve), planned = build(first), min(first.iterations, most)
    gap = solve(replace(limits, iterations=planned, deadline_seconds=time.planned))
    if gap <= playable:
        return Found(endgame, gap, AS_PLANNED)
    now = perf_counter()
    # Seconds from the start, as gaps fall at least like 1 / time.
    needed = (now - begun) * gap / playable if playable else inf
    longer = replace(limits, target_units=playable, iterations=most, deadline_seconds=time.latest)
    if begun + needed <= time.latest or not leaner:
        gap = solve(longer)
        if gap <= playable:
            return Found(endgame, gap, MORE_TIME)
    now = perf_counter()
    if leaner and now < time.latest:
        share = (time.latest - now) / needed
        fitting = (plan for plan in leaner if _cost(plan) <= share * _cost(first))
        endgame, solve = build(next(fitting, leaner[-1]))
        gap = solve(longer)
        if gap <= playable:
            return Found(endgame, gap, LEANER)
    return TOO_WIDE


def _cost(plan: PlannedSolve) -> float:
    """About how many seconds of one core an iteration takes."""
    return plan.seconds / plan.iterations
