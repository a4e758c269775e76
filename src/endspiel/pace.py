"""How long work of many like parts takes, and may still take."""

import time


class Pace:
    """The clock of some work; the first report counts as done before."""

    def __init__(self) -> None:
        self._what, self._begun, self._before = "", 0.0, 0

    def line(self, what: str, done: int, total: int, more: str = "") -> str:
        """Report how much work is done; work of another name restarts the clock.

        Examples:
            >>> Pace().line("hands", 100, 900)
            'hands: 100 of 900, 0.0 s'
        """
        now = time.monotonic()
        if what != self._what:
            self._what, self._begun, self._before = what, now, done
        seconds = now - self._begun
        left = at_this_pace(seconds, done - self._before, total - done)
        return f"{what}: {done:,} of {total:,}{more}, {time_text(seconds)}{left_text(left)}"


def at_this_pace(seconds: float, done: int, left: int) -> float | None:
    """Time for what is left of like parts; None where nothing was done yet or nothing is left.

    Examples:
        >>> at_this_pace(10.0, done=4, left=8)
        20.0
    """
    return seconds / done * left if done and left else None


def left_text(seconds: float | None) -> str:
    """What a line ends with where it is known how long work still takes."""
    return "" if seconds is None else f", about {time_text(seconds)} left"


def time_text(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
