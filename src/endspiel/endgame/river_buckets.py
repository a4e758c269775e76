"""Card abstraction made for one river endgame: hands of like equity against the other's range.

Algorithm 5 of the 2015 paper: the top bucket takes the equities from alpha on, the others share
what is below in intervals of equal length, and intervals without hands are dropped. (The paper's
pseudocode marks the hand where it means the interval as used.)
"""

from dataclasses import dataclass

import numpy as np

from endspiel.endgame.river import River
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats, Ints

PAPER_T = 7500
PAPER_ALPHA = 0.99
EVEN = 0.5  # the equity taken for hands that nothing can be held against


@dataclass(frozen=True, eq=False)
class RiverBuckets:
    """One player's hands in buckets, weakest first; each bucket holds a hand of the range."""

    of: Ints  # [1326] bucket of each hand; -1 where the board rules it out
    mass: Floats  # [K] weight of the range in each bucket

    @property
    def count(self) -> int:
        """K."""
        return len(self.mass)


def bucket_number(budget: int, sequences: int) -> int:
    """k = floor(T / b), so that states times betting sequences stay at T; 1 at least."""
    if budget < 1:
        raise GameError(f"T is {budget}; it is 1 or more")
    return max(1, budget // max(sequences, 1))


def equity_buckets(
    river: River, player: int, number: int, alpha: float = PAPER_ALPHA
) -> RiverBuckets:
    """A player's hands in so many intervals of equity, those without a hand of the range dropped.

    Hands outside the range have no weight in the endgame, but may be held all the same: they go
    to their own interval where it is used, and to the nearest used one elsewhere.
    """
    if number < 1 or not 0 < alpha <= 1:
        raise GameError(f"{number} buckets, alpha {alpha}: give 1 or more, and alpha in (0, 1]")
    equity = _known_equities(river, player)
    interval = np.full(len(equity), number - 1)
    below = equity < alpha
    if number > 1:
        width = alpha / (number - 1)
        # Rounding must not push an equity just below alpha into the top bucket.
        interval[below] = np.minimum(np.floor(equity[below] / width), number - 2)
    return _buckets(river, player, interval)


def hand_buckets(river: River, player: int) -> RiverBuckets:
    """No abstraction: every hand of the range is a bucket of its own, in the order of equities."""
    place = np.empty(len(river.strengths), np.int64)
    place[np.argsort(_known_equities(river, player), kind="stable")] = np.arange(len(place))
    return _buckets(river, player, place)


def _known_equities(river: River, player: int) -> Floats:
    return np.nan_to_num(river.equities[player], nan=EVEN)


def _buckets(river: River, player: int, label: Ints) -> RiverBuckets:
    """Buckets from ordered labels [1326]: those that the range uses, numbered; others to these."""
    weights = river.ranges[player]
    used = np.unique(label[weights > 0])
    after = np.searchsorted(used, label).clip(0, len(used) - 1)
    before = np.maximum(after - 1, 0)
    nearer_below = label - used[before] <= used[after] - label
    bucket = np.where((used[after] == label) | ~nearer_below, after, before)
    mass = np.zeros(len(used))
    np.add.at(mass, bucket, weights)
    return RiverBuckets(np.where(river.strengths > 0, bucket, -1), mass)
