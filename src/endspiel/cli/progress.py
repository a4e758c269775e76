"""Progress of long work: a live line on a terminal, plain lines elsewhere, always on stderr."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from endspiel.solvers.solution import TracePoint

PLAIN_EVERY = 5.0  # seconds between plain lines


class Reporter:
    """Shows each measurement of a solve, and how long the target may still take."""

    def __init__(self, target: float | None, unit: str = "", scale: float = 1.0) -> None:
        self.target = target
        self.unit = unit
        self.scale = scale  # shown exploitability = measured * scale
        self._points: list[TracePoint] = []
        self._said = -math.inf
        self._bar: Progress | None = None

    def __call__(self, point: TracePoint) -> None:
        self._points.append(point)
        left = self.seconds_left()
        shown = f"{point.exploitability * self.scale:.3g}{self.unit}"
        text = f"iteration {point.iteration}, exploitability {shown}, {_time(point.seconds)}"
        if left is not None:
            text += f", about {_time(left)} left"
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=text, completed=self._share())
        elif time.monotonic() - self._said >= PLAIN_EVERY:
            self._said = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    def seconds_left(self) -> float | None:
        """Time to the target if the trend of the last half (a power law) goes on."""
        if not self.target or len(self._points) < 4:
            return None
        late, middle = self._points[-1], self._points[len(self._points) // 2]
        if not 0 < late.exploitability < middle.exploitability or late.seconds <= 0:
            return None
        if late.exploitability <= self.target:
            return 0.0
        slope = math.log(middle.exploitability / late.exploitability) / math.log(
            late.seconds / max(middle.seconds, 1e-9)
        )
        ratio = math.log(late.exploitability / self.target) / max(slope, 0.05)
        return late.seconds * (math.exp(min(ratio, 50.0)) - 1)

    def _share(self) -> float:
        """How far along the way to the target, on a logarithmic scale."""
        first, last = self._points[0].exploitability, self._points[-1].exploitability
        if not self.target or not first > self.target or last <= 0:
            return 0.0
        return min(1.0, math.log(first / last) / math.log(first / self.target))

    @contextmanager
    def live(self) -> Iterator["Reporter"]:
        """Show a live line while inside, where standard error is a terminal."""
        console = Console(stderr=True)
        if not console.is_terminal:
            yield self
            return
        columns = (BarColumn(bar_width=20), TextColumn("{task.description}"))
        with Progress(*columns, console=console, transient=True) as bar:
            bar.add_task("starting (the first run on a machine compiles)", total=1.0)
            self._bar = bar
            yield self
            self._bar = None


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
