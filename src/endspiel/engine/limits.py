"""When a solve ends, who watches it, and where it is written down: one type for all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict

import msgspec

from endspiel.bounds import MOST_ITERATIONS, MOST_SECONDS, MOST_UNITS
from endspiel.errors import EndspielError

_MOST = {"target_units": MOST_UNITS, "iterations": MOST_ITERATIONS, "seconds": MOST_SECONDS}


class TracePoint(msgspec.Struct, frozen=True, array_like=True):
    """One measurement on the way: exploitability is the mean of both players' gains.

    In files it is a list of its three numbers.

    Examples:
        >>> import endspiel as es
        >>> solution = es.solve(es.games.kuhn(), "cfr+", iterations=100)
        >>> solution.trace[-1].iteration
        100
    """

    iteration: int
    seconds: float
    exploitability: float


def unobserved(point: TracePoint) -> None:
    """A measurement without an observer; limits go to other processes, where a lambda cannot."""


@dataclass(frozen=True)
class Limits:
    """When to stop, whichever comes first.

    Exploitability is in the units of the game's payoffs: those of a game by itself, the pot of a
    spot or an endgame, chips of a blueprint.

    Examples:
        >>> import endspiel as es
        >>> limits = es.Limits(target_units=1e-3, iterations=500)
        >>> es.solve(es.games.kuhn(), "dcfr", limits=limits).stopped
        'target'
    """

    target_units: float | None = None  # exploitability
    iterations: int | None = None
    seconds: float | None = None  # of the whole run, earlier sessions included
    observe: Callable[[TracePoint], None] = unobserved  # called after each measurement
    checkpoint: str | Path | None = None  # where the run is written down
    checkpoint_seconds: float = 30.0  # between two
    # Called with iterations and seconds between steps, many times a second; True ends the run as
    # Ctrl-C does. Exact methods do not ask.
    halt: Callable[[int, float], bool] | None = None
    # Whether Ctrl-C ends the solve with the best so far, and no KeyboardInterrupt reaches the
    # caller: what a command wants, and a loop over many solves does not.
    keep_on_interrupt: bool = False
    deadline_seconds: float | None = None  # by time.perf_counter; one iteration is always made

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            limit, said = getattr(self, name), name.removesuffix("_units")
            if limit is not None and not (isinstance(limit, int | float) and limit >= 0):
                raise EndspielError(f"{said} must be a number from 0 on, not {limit}")
            if limit is not None and limit > most:
                raise EndspielError(f"{said} must be a number up to {most:,.15g}, not {limit}")

    @property
    def given(self) -> bool:
        """Whether anything ends a run."""
        ends = (self.target_units, self.iterations, self.seconds, self.deadline_seconds)
        return any(limit is not None for limit in ends)

    def or_target(self, target_units: float) -> "Limits":
        """These limits; with this target where nothing else ends a run."""
        return self if self.given else replace(self, target_units=target_units)

    def reached(self, iteration: int, seconds: float) -> str:
        """Which limit on the work is reached, if any."""
        if self.iterations is not None and iteration >= self.iterations:
            return "iterations"
        if self.seconds is not None and seconds >= self.seconds:
            return "seconds"
        if self.halt is not None and self.halt(iteration, seconds):
            return "interrupted"
        return ""

    def met(self, trace: list[TracePoint]) -> str:
        """Whether the newest measurement reaches the target."""
        if self.target_units is not None and trace:
            return "target" if trace[-1].exploitability <= self.target_units else ""
        return ""

    def seconds_left(self) -> float:
        """Time to the deadline; infinite where there is none."""
        return inf if self.deadline_seconds is None else self.deadline_seconds - perf_counter()

    def passed(self, spare: float = 0.0) -> bool:
        """Whether the deadline is over, or will be in a number of seconds."""
        return self.seconds_left() <= spare


class Limiting(TypedDict, total=False):
    """The limits that a solve takes by name."""

    target: float | None
    iterations: int | None
    seconds: float | None
    observe: Callable[[TracePoint], None]
    checkpoint: str | Path | None
    checkpoint_seconds: float
    halt: Callable[[int, float], bool] | None
    keep_on_interrupt: bool


def limits_of(limits: Limits | None, given: Mapping[str, Any]) -> Limits:
    """Limits with those given by name in the place of their own."""
    names = tuple(Limiting.__annotations__)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise EndspielError(
                f"a solve has no limit {name!r}{hint}: limits are {', '.join(names)}"
            )
    changes = {"target_units" if name == "target" else name: x for name, x in given.items()}
    return replace(limits or Limits(), **changes)
