"""Running an iterative solver: when to measure, when to stop, how to be stopped and go on."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from endspiel import files
from endspiel.errors import EndspielError, FileError
from endspiel.game import Game, Profile, exploitability
from endspiel.solvers.solution import TracePoint

KIND = "checkpoint"


class Iterative(Protocol):
    """A solver that gets better by steps and can be put down and taken up again."""

    iteration: int

    def step(self) -> None: ...

    def average(self) -> Profile: ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, arrays: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class Until:
    """When to stop: whichever comes first; exploitability is in the game's units."""

    target: float | None = None
    iterations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in vars(self).items():
            if limit is not None and not limit >= 0:
                raise EndspielError(f"{name} must not be negative, got {limit}")
        if self.target is None and self.iterations is None and self.seconds is None:
            raise EndspielError("a solve needs a target, a number of iterations or a time")


@dataclass(frozen=True)
class Checkpoint:
    """Where a run writes itself down, how often, and what must match to go on from it."""

    path: Path
    every: float = 30.0  # seconds
    match: dict[str, Any] = field(default_factory=dict)

    def save(self, solver: Iterative, trace: list[TracePoint], seconds: float) -> None:
        points = [(p.iteration, p.seconds, p.exploitability) for p in trace]
        record = {**self.match, "trace": points, "seconds": seconds}
        files.save(self.path, KIND, record, solver.state())

    def load(self, solver: Iterative) -> tuple[list[TracePoint], float]:
        """Take the solver to where the file left it, if there is one: its trace and seconds."""
        if not self.path.exists():
            return [], 0.0
        record, arrays = files.load(self.path, KIND)
        for name, wanted in self.match.items():
            if record.get(name) != wanted:
                raise FileError(
                    f"{self.path} is a checkpoint with {name} {record.get(name)!r}, not {wanted!r}"
                )
        solver.restore(arrays)
        return [TracePoint(*point) for point in record["trace"]], record["seconds"]


def next_check(iteration: int) -> int:
    """The iteration to measure at after this one: every tenth at first, then every tenth part."""
    return iteration + max(10, iteration // 100 * 10)


def run(
    game: Game,
    solver: Iterative,
    until: Until,
    observe: Callable[[TracePoint], None] = lambda point: None,
    checkpoint: Checkpoint | None = None,
) -> tuple[list[TracePoint], str]:
    """Step until done; the measurements made, and why it ended.

    Ctrl-C ends the run after the step under way; what was found so far is kept.
    """
    trace, before = checkpoint.load(solver) if checkpoint else ([], 0.0)
    start = time.perf_counter() - before
    saved = time.perf_counter()
    due = next_check(trace[-1].iteration) if trace else next_check(0)
    reason = _reached(trace, until) or ""
    with _interruptible() as interrupted:
        while not reason:
            if solver.iteration == until.iterations:
                reason = "iterations"
            elif interrupted.is_set():
                reason = "interrupted"
            elif until.seconds is not None and time.perf_counter() - start >= until.seconds:
                reason = "seconds"
            else:
                solver.step()
                if solver.iteration < due:
                    continue
            if not trace or trace[-1].iteration < solver.iteration:
                trace.append(_measure(game, solver, start))
                observe(trace[-1])
            due = next_check(solver.iteration)
            reason = reason or _reached(trace, until)
            if checkpoint and (reason or time.perf_counter() - saved >= checkpoint.every):
                checkpoint.save(solver, trace, time.perf_counter() - start)
                saved = time.perf_counter()
    return trace, reason


def _measure(game: Game, solver: Iterative, start: float) -> TracePoint:
    gap = exploitability(game, solver.average()).mean
    return TracePoint(solver.iteration, time.perf_counter() - start, gap)


def _reached(trace: list[TracePoint], until: Until) -> str:
    if until.target is not None and trace and trace[-1].exploitability <= until.target:
        return "target"
    return ""


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets; a second Ctrl-C interrupts as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)
