"""Clustering of histograms under the earth mover's distance, with k-means++ seeds and restarts.

A round of k-means gives every point its nearest center and every cluster its best center. Under
the earth mover's distance (``ground``: a weighted L1 distance) the best center is the median of
each coordinate, and the total distance never rises from round to round.
Seeds are drawn by distance rather than its square, as it is distance that is summed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.clustering_kernels import (
    assign_points,
    draw_seeds,
    fill_medians,
    move_members,
)
from endspiel.abstraction.ground import Ground
from endspiel.arrays import Unsigneds
from endspiel.kernels.arrays import Float32s, Int32s, Ints

MAX_ROUNDS = 40
SMALL_GAIN = 1e-3  # a round that saves a smaller share of the distance is the last


@dataclass(frozen=True, eq=False)
class Points:
    """Weighted histograms to cluster."""

    coordinates: Unsigneds  # [n, E] on the ground
    weight: Ints  # [n]
    ground: Ground


@dataclass(frozen=True, eq=False)
class Clusters:
    """A clustering of points: k clusters, none of them empty."""

    centers: Unsigneds  # [k, E]
    labels: Int32s  # [n]
    error: float  # sum over the points of weight times distance to the center

    @property
    def size(self) -> int:
        """k."""
        return len(self.centers)


def cluster(points: Points, k: int, rng: np.random.Generator, restarts: int = 1) -> Clusters:
    """At most k clusters, fewer where there are fewer different points; the best of restarts."""
    found = [_settle(points, _seeds(points, None, k, rng)) for _ in range(restarts)]
    return min(found, key=lambda clusters: clusters.error)


def curve(points: Points, most: int, rng: np.random.Generator, restarts: int = 1) -> list[Clusters]:
    """Clusterings with 1, 2, ... clusters, each at least as good as the one before.

    Besides fresh seeds, each tries the centers of the one before and one seed more. The list ends
    early where no point is left that is not a center.
    """
    found = [_settle(points, _seeds(points, None, 1, rng))]
    while found[-1].size < most and found[-1].error > 0.0:
        k = found[-1].size + 1
        tries = [_settle(points, _seeds(points, found[-1].centers, k, rng))]
        tries += [_settle(points, _seeds(points, None, k, rng)) for _ in range(restarts)]
        best = min((t for t in tries if t.size == k), key=lambda t: t.error, default=None)
        if best is None:
            break
        found.append(best)
    return found


def ascending(centers: Unsigneds, length: Float32s) -> tuple[Float32s, Float32s, NDArray[np.intp]]:
    """Centers [k, E] in ascending order of their sums [k], as the search wants them, and order."""
    floats = centers.astype(np.float32)
    sums = floats @ length
    order = np.argsort(sums, kind="stable")
    return np.ascontiguousarray(floats[order]), sums[order], order


def assign(points: Points, centers: Unsigneds) -> tuple[Int32s, Float32s]:
    """The nearest center of each point [n], and how far it is [n]."""
    floats, sums, order = ascending(centers, points.ground.length)
    labels = np.empty(len(points.coordinates), np.int32)
    far = np.empty(len(labels), np.float32)
    assign_points(points.coordinates, points.ground.length, (floats, sums), labels, far)
    return order[labels].astype(np.int32), far / np.float32(points.ground.total)


def medians(points: Points, labels: Int32s, k: int) -> Unsigneds:
    """The center of each of k clusters [k, E]: what moves least earth in all; 0 if empty."""
    num_points, num_gaps = points.coordinates.shape
    held = np.zeros((k, num_gaps, points.ground.total + 1), np.int32)
    before = np.full(num_points, -1, np.int32)
    move_members(points.coordinates, points.weight, labels, before, held)
    centers = np.zeros((k, num_gaps), points.coordinates.dtype)
    fill_medians(held, centers)
    return centers


def _seeds(
    points: Points, centers: Unsigneds | None, k: int, rng: np.random.Generator
) -> Unsigneds:
    """Centers to begin with: k-means++ seeds, after the centers there are."""
    far = np.full(len(points.coordinates), np.inf)
    if centers is not None:
        far = assign(points, centers)[1].astype(np.float64)
    missing = k - (0 if centers is None else len(centers))
    seeds = draw_seeds(
        points.coordinates, points.weight, points.ground.length, far, rng.random(missing)
    )
    chosen = points.coordinates[seeds]
    return chosen if centers is None else np.concatenate([centers, chosen])


def _settle(points: Points, centers: Unsigneds) -> Clusters:
    """Rounds from the given centers until they save little."""
    centers = centers.copy()
    num_points, num_gaps = points.coordinates.shape
    held = np.zeros((len(centers), num_gaps, points.ground.total + 1), np.int32)
    before = np.full(num_points, -1, np.int32)
    labels, far = assign(points, centers)
    for _ in range(MAX_ROUNDS):
        _fill_empty(points, centers, labels, far)
        error = _error(points, far)
        move_members(points.coordinates, points.weight, labels, before, held)
        fill_medians(held, centers)
        labels, far = assign(points, centers)
        if error - _error(points, far) <= SMALL_GAIN * error:
            break
    _fill_empty(points, centers, labels, far)
    used = np.bincount(labels, minlength=len(centers)) > 0
    renumbered = (np.cumsum(used) - 1).astype(np.int32)
    return Clusters(centers[used], renumbered[labels], _error(points, far))


def _error(points: Points, far: Float32s) -> float:
    """Weight times distance, summed; not as a dot product, whose threads would fight ours."""
    return float((points.weight * far).sum())


def _fill_empty(points: Points, centers: Unsigneds, labels: Int32s, far: Float32s) -> None:
    """Move each empty cluster's center onto the point that costs most, where any costs something.

    A point that was alone in its cluster sits on its center and costs nothing: none gets emptied.
    """
    for empty in np.flatnonzero(np.bincount(labels, minlength=len(centers)) == 0):
        farthest = int(np.argmax(points.weight * far))
        if far[farthest] <= 0.0:
            return
        centers[empty] = points.coordinates[farthest]
        labels[farthest] = empty
        far[farthest] = 0.0
