"""Solving a decision until its measured gap is narrow enough.

A solve is judged by its gap, never by the clock. One whose gap is wider than `PLAYABLE` gets more
time; then the decision is solved with a leaner menu; if that is not good enough either, the
decision is left to the strategy file. What was done is recorded with the solve. On a machine so
busy that a solve could not come within the bound in time, the leaner menu follows at once.
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
FEWEST_ITERATIONS: Final = 40  # a gap of `PLAYABLE` takes them at least
BUILDING: Final = 1.5  # factor of a solve's time that building and measuring it come to
TIMED_ITERATIONS: Final = 4  # after the first: by then their pace is known

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


class _TooSlowError(Exception):
    """A solve that is given up, by the seconds that an iteration takes."""

    def __init__(self, each: float) -> None:
        super().__init__()
        self.each = each


def _give_up_by(end: float) -> Callable[[int, float], bool]:
    """Return what to ask between iterations: it raises where the least of them would end late."""
    first: tuple[int, float] | None = None  # iterations and seconds; it touches memory

    def ask(made: int, seconds: float) -> bool:
        nonlocal first
        if first is None:
            first = (made, seconds) if made > 0 else None
        elif first[0] + TIMED_ITERATIONS <= made < FEWEST_ITERATIONS:
            each = (seconds - first[1]) / (made - first[0])
            if perf_counter() + (FEWEST_ITERATIONS - made) * each > end:
                raise _TooSlowError(each)
        return False

    return ask


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
    limited = replace(limits, iterations=planned, deadline_seconds=time.planned)
    if leaner and playable <= PLAYABLE and most >= FEWEST_ITERATIONS:
        limited = replace(limited, halt=_give_up_by(time.latest))
    try:
        gap = solve(limited)
        if gap <= playable:
            return Found(endgame, gap, AS_PLANNED)
        # Seconds from the start, as gaps fall at least like 1 / time.
        needed = (perf_counter() - begun) * gap / playable if playable else inf
    except _TooSlowError as slow:
        gap, needed = inf, BUILDING * FEWEST_ITERATIONS * slow.each
    longer = replace(limits, target_units=playable, iterations=most, deadline_seconds=time.latest)
    if gap < inf and (begun + needed <= time.latest or not leaner):
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
