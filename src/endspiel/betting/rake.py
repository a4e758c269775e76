"""What the end of a line pays each player where the house takes a part: the rake.

With a rake the game is not zero-sum. A loser still loses its stake; a winner gets the other's stake
less the rake, and players who tie share the rake. An uncalled bet goes back before the rake is
taken, and pots that end before the flop are not raked (no flop, no drop).
"""

import re
from dataclasses import dataclass
from math import inf, isfinite
from typing import NamedTuple

from endspiel.errors import BettingError

_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")


class Outcome(NamedTuple):
    """What a player gets at the end of a line, half of the starting pot counted as its own."""

    win: float
    tie: float
    lose: float


Outcomes = tuple[Outcome, Outcome]  # of each player


@dataclass(frozen=True)
class Rake:
    """A share of every pot that sees a flop, up to a cap in chips.

    Examples:
        >>> import endspiel as es
        >>> es.Rake(0.05, cap=30).taken(200), es.Rake(0.05, cap=30).taken(1000)
        (10.0, 30)
    """

    share: float
    cap: float = inf  # chips

    def __post_init__(self) -> None:
        if not (isinstance(self.share, int | float) and 0 <= self.share < 1):
            raise BettingError(f"a rake is a share of the pot from 0 up to 1, not {self.share!r}")
        if not (isinstance(self.cap, int | float) and self.cap >= 0):
            raise BettingError(f"a rake's cap is 0 chips or more, not {self.cap!r}")

    def __bool__(self) -> bool:
        """Whether anything is ever taken."""
        return self.share > 0 and self.cap > 0

    def taken(self, pot: float) -> float:
        """Chips that are taken of a pot, uncalled bets not counted."""
        return min(self.share * pot, self.cap)

    def outcomes(self, stake: float, flop_seen: bool) -> Outcomes:
        """What both players get where the loser loses a stake: the pot is two of them."""
        taken = self.taken(2 * stake) if flop_seen else 0.0
        either = Outcome(stake - taken, -taken / 2, -stake)
        return either, either

    def dump(self) -> list[str]:
        """The lines of a spot file that `parse_rake` reads back; none where nothing is taken."""
        if not self:
            return []
        percent = 100 * self.share
        texts = [f"{percent:.{digits}g}" for digits in range(1, 17)]
        text = next((text for text in texts if float(text) / 100 == self.share), repr(percent))
        cap = [f"rake_cap = {self.cap!r}"] if isfinite(self.cap) else []
        return [f'rake = "{text}%"', *cap]

    def __str__(self) -> str:
        cap = f", at most {self.cap:g} chips" if isfinite(self.cap) else ""
        return f"{100 * self.share:g}% of the pot{cap}"


NO_RAKE = Rake(0.0)


def parse_rake(share: str, cap: float | None = None) -> Rake:
    """The rake that a text like ``5%`` and a cap in chips, or none, describe."""
    found = _PERCENT.fullmatch(share.strip())
    if found is None or float(found[1]) >= 100:
        raise BettingError(f"a rake is written as a share of the pot, as in '5%', not {share!r}")
    return Rake(float(found[1]) / 100, inf if cap is None else cap)
