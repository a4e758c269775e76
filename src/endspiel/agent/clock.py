"""Time at the table: what is left for a hand on average, and until when a move must be made."""

import time
from dataclasses import dataclass
from typing import Final

HAND_SECONDS: Final = 7.0  # a hand on average, as in the competition
MOVE_SECONDS: Final = 10.0
MARGIN: Final = 0.05  # seconds kept back of every move, for what comes after the solving
SAVED_HANDS: Final = 10  # time of so many hands may be saved up


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

    def begin_move(self) -> float:
        """The deadline, by time.perf_counter, of a move that begins now."""
        self._since = time.perf_counter()
        # Later moves of the hand need time too: half of what is left, not all.
        budget = min(self.move, max(self.left / 2, 0.0))
        return self._since + max(budget - MARGIN, 0.0)

    def end_move(self) -> float:
        """Count a move's time; its seconds."""
        seconds = time.perf_counter() - self._since
        self.left -= seconds
        return seconds
