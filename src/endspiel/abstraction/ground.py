"""The earth mover's distance between histograms over next-round buckets.

Moving a share of a histogram from one bucket to another costs the distance between the two, the
ground distance. Where the buckets stand on a line, the distance of two histograms is a sum over
the gaps of the line: length times the difference of the shares below the gap. A histogram is
therefore stored as its counts below each gap, its coordinates, and the earth mover's distance is a
weighted L1 distance of coordinates.

- River: buckets are bins of equity on one line. The coordinates are the cumulative counts, and the
  distance is exact.
- Turn, flop: the ground distance of two buckets is the earth mover's distance of their centers.
  As that is an L1 distance, the buckets stand on as many lines as a center has coordinates, and
  the ground distance is the sum over the lines. The distance of two histograms is taken as the sum
  of their distances along each line: never more than the earth mover's distance, as one plan of
  transport must serve all lines, and measured at 98% of it, with a correlation of 0.999. A draw and
  a made hand of equal expectation stay apart, which one line by expectation would forget.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from endspiel.abstraction.thresholds import divide
from endspiel.kernels.arrays import Float32s, Float64s, Ints

LEVELS = 8  # different places on each line, to which the buckets' own are rounded

Counts = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Ground:
    """N buckets on lines with E gaps in all; histograms over them have a fixed total."""

    below: Float32s  # [E, N] 1 where a bucket lies below a gap of its line
    length: Float32s  # [E]
    slope: Float64s  # [E] what a share below each gap adds to a histogram's mean equity
    base: float  # mean equity before that
    total: int  # of every histogram

    def embed(self, counts: Counts) -> Counts:
        """Coordinates [..., E] of histograms [..., N], of the same type."""
        coordinates: Counts = (counts.astype(np.float32) @ self.below.T).astype(counts.dtype)
        return coordinates

    def distance(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> Float64s:
        """Earth mover's distance of coordinates [..., E], in shares of equity."""
        moved = np.abs(a.astype(np.float64) - b.astype(np.float64))
        far: Float64s = moved @ self.length.astype(np.float64) / self.total
        return far

    def means(self, coordinates: NDArray[np.integer]) -> Float64s:
        """Mean equity of histograms by their coordinates [..., E]: [...]."""
        means: Float64s = self.base + coordinates @ self.slope / self.total
        return means


def line(num_bins: int, total: int) -> Ground:
    """Bins of equity of equal width, side by side."""
    gaps = np.arange(num_bins - 1)
    middles = (np.arange(num_bins) + 0.5) / num_bins
    return Ground(
        below=(np.arange(num_bins) <= gaps[:, None]).astype(np.float32),
        length=np.full(len(gaps), 1.0 / num_bins, np.float32),
        slope=middles[:-1] - middles[1:],
        base=float(middles[-1]),
        total=total,
    )


def lines(centers: Counts, mass: Ints, ground: Ground, total: int, levels: int = LEVELS) -> Ground:
    """Buckets by their centers [N, E], coordinates on the ground before, and their masses [N].

    On each line the buckets' places are rounded to the best levels.
    """
    below, length, slope, base = [], [], [], ground.base
    for gap in range(centers.shape[1]):
        on_line = centers[:, gap].astype(np.int64)
        weight = np.zeros(ground.total + 1, np.int64)
        np.add.at(weight, on_line, mass)
        limits = divide(weight, levels).limits[-1]
        level = np.searchsorted(limits, on_line)
        places = np.bincount(level, mass * on_line) / np.bincount(level, mass)
        places /= ground.total
        steps = np.diff(places)
        below.append(level <= np.arange(len(steps))[:, None])
        length.append(steps * ground.length[gap])
        slope.append(-steps * ground.slope[gap])
        base += float(places[-1] * ground.slope[gap])
    if not any(map(len, length)):  # one bucket, or all the same: a gap to have a coordinate
        none = np.zeros(1)
        return Ground(
            np.ones((1, len(centers)), np.float32), none.astype(np.float32), none, base, total
        )
    return Ground(
        np.concatenate(below).astype(np.float32),
        np.concatenate(length).astype(np.float32),
        np.concatenate(slope),
        base,
        total,
    )


def fit(ground: Ground, centers: Counts, before: Ground) -> float:
    """Correlation of ground distances, rounded to levels, with the distances of the centers."""
    if len(centers) < 3:
        return 1.0
    own = pdist(centers * (before.length / before.total).astype(np.float64), "cityblock")
    rounded = pdist(ground.below.T * ground.length.astype(np.float64), "cityblock")
    return float(np.corrcoef(own, rounded)[0, 1])
