"""Time at the table: what is left for a hand on average, and until when a move must be made."""

import time
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

HAND_SECONDS: Final = 7.0  # a hand on average, as in the competition
MOVE_SECONDS: Final = 10.0
MARGIN: Final = 0.05  # seconds kept back of every move, for what comes after the solving
SAVED_HANDS: Final = 10  # hands of which the time may be saved up
PLANNED: Final = 0.5  # share of the time left that a move may take as planned
MOST: Final = 0.85  # share that it may take where its solve is not good enough by then


class MoveTime(NamedTuple):
    """Deadlines of a move, by time.perf_counter."""

    planned: float
    latest: float  # for a solve whose gap is too wide by then


UNTIMED: Final = MoveTime(inf, inf)


@dataclass
class Clock:
    """A budget a hand, on average, and one a move; time that is not used is saved for later hands.

    The clock never makes an agent think longer than it wants to, so an agent whose wants are met
    plays the same whatever the machine's speed.
    """

    hand: float = HAND_SECONDS
    move: float = MOVE_SECONDS
    left: float = 0.0
    _since: float = 0.0

    def begin_hand(self) -> None:
        """Another hand's time."""
        self.left = min(self.left + self.hand, SAVED_HANDS * self.hand)

    def begin_move(self) -> MoveTime:
        """Start a move. It may not take all that is left: later moves of the hand need time too."""
        self._since = time.perf_counter()
        planned, latest = (self._since + self._budget(share) for share in (PLANNED, MOST))
        return MoveTime(planned, latest)

    def _budget(self, share: float) -> float:
        """Seconds that a move may take with a share of what is left."""
        return max(min(self.move, share * max(self.left, 0.0)) - MARGIN, 0.0)

    def end_move(self) -> float:
        """Count a move's time; its seconds."""
        seconds = time.perf_counter() - self._since
        self.left -= seconds
        return seconds
