"""Progress of long work: a live line on a terminal, plain lines elsewhere, always on stderr."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from endspiel.progress import Observe, Pace, Progress

if TYPE_CHECKING:  # rich takes a while to load, and most commands start without
    from rich.progress import Progress as Bar

    from endspiel.engine.limits import Limits, TracePoint

PLAIN_EVERY = 5.0  # seconds between plain lines
STARTING = "starting"


class Reporter:
    """Shows how far work is: a line, drawn again on a terminal.

    Work that is often over in a moment may be `terse`: it has no lines but on a terminal until it
    takes long.
    """

    def __init__(self, terse: bool = False) -> None:
        self._terse = terse
        self._said = time.monotonic() if terse else -math.inf
        self._bar: Bar | None = None
        self._pace = Pace()
        self.last: Progress | None = None  # what was reported last

    def __call__(self, progress: Progress) -> None:
        """Show how far the work is; what its first report counts was done before."""
        if not self._terse and (self.last is None or self.last.what != progress.what):
            self._said = -math.inf  # a stage begins
        self.last = progress
        if progress.note:
            self.note(progress.note)
        text, seconds, left = self._pace.line(progress), progress.seconds, progress.left
        if seconds is None:
            self.show(text, progress.finished, progress.total or None)
        else:
            self.show(text, seconds, None if left is None else seconds + left)

    def show(self, text: str, done: float, total: float | None) -> None:
        """A line of what is done; elsewhere than on a terminal now and then, and the last."""
        if self._bar is not None:
            task = self._bar.task_ids[0]
            self._bar.update(task, description=text, completed=done, total=total)
        elif time.monotonic() - self._said >= PLAIN_EVERY or (done == total and not self._terse):
            self._said = time.monotonic()
            self.note(text)

    def note(self, text: str) -> None:
        """A line that stays."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    @contextmanager
    def live(self, checked: bool = True) -> Iterator[Self]:
        """Show a live line while inside, where standard error is a terminal.

        Elsewhere work that has checked its input says that it starts; other work may still refuse.
        """
        starting = checked or sys.stderr.isatty()
        with live_bar(STARTING if starting and not self._terse else "") as self._bar:
            yield self
        self._bar = None


class SolveWatch:
    """Reports each measurement of a solve as progress, with the time that it may still take."""

    def __init__(
        self,
        observe: Observe,
        limits: "Limits | None" = None,
        unit: str = "",
        scale: float = 1.0,
    ) -> None:
        self.observe, self.limits, self.unit = observe, limits, unit
        self.scale = scale  # shown exploitability = measured * scale
        self.points: list[TracePoint] = []

    def __call__(self, point: "TracePoint") -> None:
        """Report a measurement."""
        self.points.append(point)
        shown = f"exploitability {point.exploitability * self.scale:.3g}{self.unit}"
        left = self.seconds_left()
        self.observe(
            Progress("iteration", point.iteration, text=shown, seconds=point.seconds, left=left)
        )

    def seconds_left(self) -> float | None:
        """Time until the first of the limits, where there is a trend to tell it from."""
        if self.limits is None:
            return None
        from endspiel.solving.forecast import seconds_left

        return seconds_left(self.points, self.limits)


@contextmanager
def live_bar(starting: str) -> "Iterator[Bar | None]":
    """A live line on standard error with one task; None where that is no terminal."""
    if not sys.stderr.isatty():
        if starting:
            print(f"Endspiel: {starting}", file=sys.stderr, flush=True)
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (BarColumn(bar_width=20), TextColumn("{task.description}"))
    with Bar(*columns, console=console, transient=True) as bar:
        bar.add_task(starting, total=None)
        yield bar
