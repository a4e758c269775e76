"""Bounds of the numbers that a user gives: what is larger is a slip of the finger.

Options state them in their help, and the library refuses what is beyond them, too.
"""

from typing import Final

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
