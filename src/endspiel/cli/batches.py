"""Progress of a batch: a live line on a terminal, plain lines elsewhere, always on stderr."""

from typing import TYPE_CHECKING

from endspiel.cli.progress import CountReporter
from endspiel.pace import at_this_pace, left_text, time_text

if TYPE_CHECKING:
    from endspiel.batch.running import BatchProgress


class BatchReporter(CountReporter):
    """Shows how far a batch is, and how long it may still take."""

    def __init__(self, noun: str) -> None:
        super().__init__()
        self.noun = noun  # what there are many of: spots, flops

    def __call__(self, progress: "BatchProgress") -> None:
        if progress.newest is None and progress.plan.note:
            self.note(f"endspiel: {progress.plan.note}")
        if progress.newest is not None and progress.newest.error:
            self.note(f"{progress.newest.name}: {progress.newest.error}")
        self.show(self._text(progress), progress.finished, progress.total)

    def _text(self, progress: "BatchProgress") -> str:
        text = f"{progress.finished} of {progress.total} {self.noun}"
        if progress.resumed:
            text += f", {progress.resumed} of them from before"
        if progress.failed:
            text += f", {progress.failed} failed"
        return f"{text}, {time_text(progress.seconds)}{left_text(seconds_left(progress))}"


def seconds_left(progress: "BatchProgress") -> float | None:
    """Time for the rest at the pace so far; None where nothing was solved or nothing is left."""
    if progress.newest is None:
        return None
    solved, left = progress.finished - progress.resumed, progress.total - progress.finished
    return at_this_pace(progress.seconds, solved, left)
