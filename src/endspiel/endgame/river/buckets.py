"""Card abstraction made for one river endgame: hands of like equity against the other's range.

Algorithm 5 of the 2015 paper: the top bucket takes the equities from alpha on, the others share
what is below in intervals of equal length, and intervals without hands are dropped. (The paper's
pseudocode marks the hand where it means the interval as used.) What it is set against there, the
clusters of k-means, is here too: on a line the best ones are found exactly.

The paper divides T by the betting sequences first and drops empty intervals afterwards, so the
program is often much smaller than T. `occupied_buckets` takes narrower intervals until those in
use come near to that number.
"""

from ctypes import c_int64
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endspiel.endgame.river.river import River
from endspiel.errors import GameError
from endspiel.kernels.arrays import Float64s, Floats, Ints
from endspiel.native.boundary import pointer
from endspiel.native.library import function

PAPER_T = 7500
PAPER_ALPHA = 0.99
ALL_HANDS = "all-hands"
CLUSTERINGS = ("equal", "occupied", "kmeans", ALL_HANDS)
POPULATIONS = ("range", "all")  # whose equities keep an interval from being dropped
EVEN = 0.5  # the equity taken for hands that nothing can be held against
FINEST = 2**24  # intervals at most: no narrower ones are tried


@dataclass(frozen=True, eq=False)
class RiverBuckets:
    """One player's hands in buckets, weakest first.

    Each holds a hand of the range, unless the buckets are those of all hands.
    """

    of: Ints  # [1326] bucket of each hand; -1 where the board rules it out
    mass: Floats  # [K] weight of the range in each bucket; 0 where it holds none of its hands

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
    river: River,
    player: int,
    number: int,
    alpha: float = PAPER_ALPHA,
    population: str = "range",
) -> RiverBuckets:
    """Put a player's hands into intervals of equity; drop empty intervals.

    Of the population "range" are the hands that the player may hold; the others, which may be held
    all the same, go to their own interval where it is used, and to the nearest used one elsewhere.
    Of the population "all", the paper's, is every hand that the board leaves.
    """
    _check(number, alpha)
    equity = _known_equities(river, player)
    interval = np.full(len(equity), number - 1)
    below = equity < alpha
    if number > 1:
        width = alpha / (number - 1)
        # Rounding must not push an equity just below alpha into the top bucket.
        interval[below] = np.minimum(np.floor(equity[below] / width), number - 2)
    kept = {"range": river.ranges[player] > 0, "all": river.strengths > 0}[population]
    return _buckets(river, player, interval, kept)


def occupied_buckets(
    river: River,
    player: int,
    number: int,
    alpha: float = PAPER_ALPHA,
    population: str = "range",
) -> RiverBuckets:
    """Return a player's hands in equal intervals, narrow enough that about ``number`` are in use.

    At most ``number`` of the intervals hold a hand, and more would if there were one more of them.
    Other, narrower intervals may do as well: how many are in use does not always rise with them.
    """

    def buckets(intervals: int) -> RiverBuckets:
        return equity_buckets(river, player, intervals, alpha, population)

    found, fits, most = buckets(number), number, 2 * number
    while most <= FINEST and (tried := buckets(most)).count <= number:
        found, fits, most = tried, most, 2 * most
    while most <= FINEST and most - fits > 1:
        middle = (fits + most) // 2
        tried = buckets(middle)
        if tried.count <= number:
            found, fits = tried, middle
        else:
            most = middle
    return found


def kmeans_buckets(
    river: River, player: int, number: int, alpha: float = PAPER_ALPHA
) -> RiverBuckets:
    """Cluster a player's hands by equity; those from alpha on are a cluster of their own.

    The squared distance to the cluster's mean, weighed by the range, is as small as can be. Hands
    outside the range go where the nearest equity of the range is.
    """
    _check(number, alpha)
    equity, weights = _known_equities(river, player), river.ranges[player]
    top = equity >= alpha
    points = np.unique(equity[(weights > 0) & ~top])
    if not len(points):
        return _buckets(river, player, np.zeros(len(equity), np.int64), weights > 0)
    place = np.abs(equity[:, None] - points).argmin(axis=1)
    mass: Floats = np.zeros(len(points))
    np.add.at(mass, place[~top], weights[~top])
    clusters = max(1, number - 1) if (weights[top] > 0).any() else number
    label = divide_line(points, mass, clusters)[place]
    if number > 1:
        label[top] = clusters
    return _buckets(river, player, label, weights > 0)


def divide_line(points: Floats, mass: Floats, most: int) -> Ints:
    """The k-means cluster [n] of each point on a line, ascending, in at most ``most``; exact.

    On a line clusters are intervals. The least cost of the first j points in k clusters is that
    of the first i in k - 1 and of the others in one, for the best i (dynamic programming).
    """
    n = len(points)
    if most >= n:
        return np.arange(n)
    sums = np.zeros((3, n + 1))
    for power in range(3):
        sums[power, 1:] = np.cumsum(mass * points**power)
    starts, label, end = _last_starts(sums, most), np.empty(n, np.int64), n
    for cluster in range(most - 1, -1, -1):
        begin = int(starts[cluster, end])
        label[begin:end], end = cluster, begin
    return label


def _last_starts(sums: Float64s, most: int) -> Ints:
    """Where the last of k + 1 clusters of the first j points begins: [most, n + 1]."""
    starts, work = np.zeros((most, sums.shape[1]), np.int64), np.empty((2, sums.shape[1]))
    function("last_starts")(
        pointer(sums, np.float64, shape=(3, -1), name="sums"),
        *map(c_int64, (sums.shape[1] - 1, most)),
        pointer(work[0], np.float64),
        pointer(work[1], np.float64),
        pointer(starts, np.int64, written=True),
    )
    return starts


def _check(number: int, alpha: float) -> None:
    if number < 1 or not 0 < alpha <= 1:
        raise GameError(f"{number} buckets, alpha {alpha}: give 1 or more, and alpha in (0, 1]")


def hand_buckets(river: River, player: int) -> RiverBuckets:
    """No abstraction: every hand of the range is a bucket of its own, in the order of equities."""
    place = np.empty(len(river.strengths), np.int64)
    place[np.argsort(_known_equities(river, player), kind="stable")] = np.arange(len(place))
    return _buckets(river, player, place, river.ranges[player] > 0)


def _known_equities(river: River, player: int) -> Floats:
    return np.nan_to_num(river.equities[player], nan=EVEN)


def _buckets(river: River, player: int, label: Ints, kept: NDArray[np.bool_]) -> RiverBuckets:
    """Buckets from ordered labels [1326]: those of kept hands, numbered; other hands to these."""
    used = np.unique(label[kept])
    after = np.searchsorted(used, label).clip(0, len(used) - 1)
    before = np.maximum(after - 1, 0)
    nearer_below = label - used[before] <= used[after] - label
    bucket = np.where((used[after] == label) | ~nearer_below, after, before)
    mass = np.zeros(len(used))
    np.add.at(mass, bucket, river.ranges[player])
    return RiverBuckets(np.where(river.strengths > 0, bucket, -1), mass)
