"""How far long work is: one event for all of it, and the time that it took and may still take."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """How far long work is, as every long action reports it.

    Examples:
        >>> Progress("flops", 12, 20, resumed=8, failed=1).counts
        'flops: 12 of 20, 8 from before, 1 failed'
        >>> Progress("round", 3, text="exploitability 0.01").counts
        'round 3, exploitability 0.01'
    """

    what: str  # what is counted: boards, flops, hands; or the name of a stage
    finished: int  # with those of earlier runs and those that failed
    total: int = 0  # 0 where it is not known
    resumed: int = 0  # finished by earlier runs
    failed: int = 0
    text: str = ""  # what was found so far
    note: str = ""  # a line that stays: a doubt, an error
    figures: Mapping[str, float] = field(default_factory=dict)  # what was measured, by name
    seconds: float | None = None  # that it took, where that is more than the observer's own clock
    left: float | None = None  # seconds, where more is known than the pace of like parts

    @property
    def counts(self) -> str:
        """What is done, in words."""
        of = f": {self.finished:,} of {self.total:,}" if self.total else f" {self.finished:,}"
        resumed = f", {self.resumed:,} from before" if self.resumed else ""
        failed = f", {self.failed:,} failed" if self.failed else ""
        return f"{self.what}{of}{resumed}{failed}" + (f", {self.text}" if self.text else "")


Observe = Callable[[Progress], None]
Halted = Callable[[], bool]  # asked between pieces of work: whether to end with what is done


def unobserved(progress: Progress) -> None:
    """Work without an observer."""


def unhalted() -> bool:
    """Work that nothing ends early."""
    return False


class Pace:
    """The clock of some work; what is done at its first report counts as done before."""

    def __init__(self) -> None:
        self._what, self._begun, self._before, self._last = "", 0.0, 0, 0

    def line(self, progress: Progress) -> str:
        """Word how far work is, with its time; other work restarts the clock.

        Examples:
            >>> Pace().line(Progress("hands", 100, 900))
            'hands: 100 of 900, 0.0 s'
        """
        now = time.monotonic()
        if progress.what != self._what or progress.finished < self._last:
            self._what, self._begun, self._before = progress.what, now, progress.finished
        self._last = progress.finished
        if progress.seconds is not None:
            return f"{progress.counts}, {time_text(progress.seconds)}{left_text(progress.left)}"
        seconds, done = now - self._begun, progress.finished - self._before
        left = at_this_pace(seconds, done, progress.total - progress.finished)
        return f"{progress.counts}, {time_text(seconds)}{left_text(left)}"


def at_this_pace(seconds: float, done: int, left: int) -> float | None:
    """Time for the rest of like parts; None where nothing was done yet or nothing is left.

    Examples:
        >>> at_this_pace(10.0, done=4, left=8)
        20.0
    """
    return seconds / done * left if done > 0 and left > 0 else None


def left_text(seconds: float | None) -> str:
    """What a line ends with where it is known how long work still takes."""
    return f", about {time_text(seconds)} left" if seconds else ""


def time_text(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
