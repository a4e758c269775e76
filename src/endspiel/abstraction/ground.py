"""The earth mover's distance between histograms over next-round buckets.

Moving a share of a histogram from one bucket to another costs the distance between the two, the
ground distance. Where the buckets hang on a tree whose edges have lengths, the distance of two
histograms is a sum over the edges: length times the difference of the shares below the edge. A
histogram is therefore stored as its counts below each edge, its coordinates, and the earth mover's
distance is a weighted L1 distance of coordinates, exactly.

- River: buckets are bins of equity and the tree is the line they stand on. The coordinates are the
  cumulative counts.
- Turn, flop: the ground distance of two buckets is the earth mover's distance of their centers.
  Clustering them by average linkage hangs them on a tree, on which two buckets are as far apart as
  the clusters whose union first joins them. So a draw and a made hand of equal expectation stay
  far apart, which an order of buckets by equity alone would forget.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average
from scipy.spatial.distance import pdist, squareform

Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
Counts = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Ground:
    """N buckets on a tree with E edges; histograms over them have a fixed total."""

    below: Float32s  # [E, N] 1 where a bucket lies below an edge
    length: Float32s  # [E]
    value: Floats  # [N] mean equity of each bucket
    slope: Floats  # [E] what a share below each edge adds to a histogram's mean equity
    base: float  # mean equity before that
    total: int  # of every histogram

    def embed(self, counts: Counts) -> Counts:
        """Coordinates [..., E] of histograms [..., N], of the same type."""
        coordinates: Counts = (counts.astype(np.float32) @ self.below.T).astype(counts.dtype)
        return coordinates

    def distance(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> Floats:
        """Earth mover's distance of coordinates [..., E], in shares of equity."""
        moved = np.abs(a.astype(np.float64) - b.astype(np.float64))
        far: Floats = moved @ self.length.astype(np.float64) / self.total
        return far

    def means(self, coordinates: NDArray[np.integer]) -> Floats:
        """Mean equity of histograms by their coordinates [..., E]: [...]."""
        means: Floats = self.base + coordinates @ self.slope / self.total
        return means

    def distances(self) -> Floats:
        """Ground distance of every two buckets: [N, N]."""
        far: Floats = squareform(pdist(self.below.T * self.length, "cityblock"))
        return far


def line(num_bins: int, total: int) -> Ground:
    """Bins of equity of equal width, side by side."""
    edges = np.arange(num_bins - 1)
    value = (np.arange(num_bins) + 0.5) / num_bins
    return Ground(
        below=(np.arange(num_bins) <= edges[:, None]).astype(np.float32),
        length=np.full(len(edges), 1.0 / num_bins, np.float32),
        value=value,
        slope=value[:-1] - value[1:],
        base=float(value[-1]),
        total=total,
    )


def tree(centers: Counts, ground: Ground, value: Floats, total: int) -> Ground:
    """Buckets by their centers [N, E], which are coordinates on the ground before."""
    num = len(centers)
    if num == 1:  # one edge, so that the bucket has a coordinate
        flat = np.zeros(1, np.float32)
        return Ground(np.ones((1, 1), np.float32), flat, value, value, 0.0, total)
    between = pdist(centers * (ground.length / ground.total).astype(np.float64), "cityblock")
    merges = average(between)  # rows: two nodes, the distance at which they join, size
    below = np.eye(2 * num - 1, num, dtype=np.float32)  # nodes: buckets, then unions
    height = np.zeros(2 * num - 1)
    length = np.zeros(2 * num - 1)
    for union, (left, right, apart, _) in enumerate(merges, start=num):
        children = [int(left), int(right)]
        below[union] = below[children].sum(axis=0)
        height[union] = apart / 2
        length[children] = apart / 2 - height[children]
    slope = np.zeros(2 * num - 2)
    slope[:num] = value
    # The last union is the root, which has no edge above it.
    return Ground(below[:-1], length[:-1].astype(np.float32), value, slope, 0.0, total)


def fit(ground: Ground, centers: Counts, before: Ground) -> float:
    """Correlation of a tree's ground distances with the distances of the centers."""
    if len(centers) < 3:
        return 1.0
    between = pdist(centers * (before.length / before.total).astype(np.float64), "cityblock")
    on_tree = squareform(ground.distances(), checks=False)
    return float(np.corrcoef(between, on_tree)[0, 1])
