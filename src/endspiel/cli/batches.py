"""Progress of a batch: a live line on a terminal, plain lines elsewhere, always on stderr."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from endspiel.cli.progress import PLAIN_EVERY, live_bar, time_text

if TYPE_CHECKING:
    from rich.progress import Progress

    from endspiel.batch.running import BatchProgress


class BatchReporter:
    """Shows how far a batch is, and how long it may still take."""

    def __init__(self, noun: str) -> None:
        self.noun = noun  # what there are many of: spots, flops
        self._said = -math.inf
        self._bar: Progress | None = None

    def __call__(self, progress: "BatchProgress") -> None:
        if progress.newest is None and progress.plan.note:
            self._print(f"endspiel: {progress.plan.note}")
        if progress.newest is not None and progress.newest.error:
            self._print(f"{progress.newest.name}: {progress.newest.error}")
        text = self._text(progress)
        if self._bar is not None:
            task = self._bar.task_ids[0]
            self._bar.update(
                task, description=text, completed=progress.finished, total=progress.total
            )
        elif time.monotonic() - self._said >= PLAIN_EVERY or progress.finished == progress.total:
            self._said = time.monotonic()
            self._print(text)

    def _text(self, progress: "BatchProgress") -> str:
        text = f"{progress.finished} of {progress.total} {self.noun}"
        if progress.resumed:
            text += f", {progress.resumed} of them from before"
        if progress.failed:
            text += f", {progress.failed} failed"
        text += f", {time_text(progress.seconds)}"
        left = seconds_left(progress)
        return text if left is None else f"{text}, about {time_text(left)} left"

    def _print(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    @contextmanager
    def live(self) -> Iterator["BatchReporter"]:
        """Show a live line while inside, where standard error is a terminal."""
        with live_bar() as self._bar:
            yield self
        self._bar = None


def seconds_left(progress: "BatchProgress") -> float | None:
    """Time for the rest at the pace so far; None where nothing was solved or nothing is left."""
    solved = progress.finished - progress.resumed
    left = progress.total - progress.finished
    if progress.newest is None or not solved or not left:
        return None
    return progress.seconds / solved * left
