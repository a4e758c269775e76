"""Bounds and units of the numbers that a user gives: what is beyond is a slip of the finger.

Options state them in their help, and the library refuses what is beyond them, too.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

MOST_ITERATIONS: Final = 10**9  # and hands, boards, steps: what is done one after the other
MOST_DRAWN: Final = 10**6  # what is drawn at once
MOST_SECONDS: Final = 1e9  # thirty years
MOST_MILLISECONDS: Final = 10**12
MOST_UNITS: Final = 1e12  # chips, or whatever a game pays; exploitability is of these too
LEAST_UNIT: Final = 1e-9  # of what other numbers are divided by
MOST_POWER: Final = 100.0  # of t, by which an average weighs iteration t
MOST_BITS: Final = 24  # of fixed point: as many as a 32-bit float has
MOST_THREADS: Final = 4096
DEFAULT_SEED: Final = 1  # of every command and of every function behind one
MOST_SEED: Final = 2**63 - 1
MOST_DEALER_SEED: Final = 2**32 - 1  # of the Mersenne Twister that deals


class Units(NamedTuple):
    """The units in which a field may be written."""

    bare: str  # the unit of a number without one, in words
    factors: Mapping[str, float]  # how many of those each unit is

    def __str__(self) -> str:
        written = ", ".join(f"1{unit}" for unit in self.factors)
        return f"{written}{' or ' if written else ''}a bare number in {self.bare}"


PERCENT: Final = Units("percent of the pot", {"%": 1.0})
POTS: Final = Units("pots", {"%": 0.01})
BIG_BLINDS: Final = Units("big blinds", {"bb": 1.0, "mbb": 1e-3})
MILLI_BIG_BLINDS: Final = Units("milli big blinds", {"mbb": 1.0, "bb": 1e3})
GAME_UNITS: Final = Units("the game's own units", {"bb": 1.0, "mbb": 1e-3})  # bb: of hold'em
