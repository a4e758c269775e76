"""Jitted loops of clustering: nearest centers, medians, seeds, samples.

Points are coordinates on a ground (``ground``): small whole numbers whose weighted L1 distance is
the earth mover's distance.
"""

import numpy as np

from endspiel.abstraction.features import DEAD
from endspiel.abstraction.ground import Counts
from endspiel.jit import njit
from endspiel.kernels.arrays import Float32s, Float64s, Int32s, Ints, UInt16s


@njit(cache=True, nogil=True, fastmath=True)
def _apart(point: Float32s, center: Float32s, length: Float32s) -> np.float32:
    """Weighted L1 distance."""
    far = np.float32(0.0)
    for gap in range(len(length)):
        far += length[gap] * abs(point[gap] - center[gap])
    return far


@njit(cache=True, nogil=True, fastmath=True)
def _project(point: Float32s, length: Float32s) -> np.float32:
    """Weighted sum of coordinates: two points are at least as far apart as their sums."""
    total = np.float32(0.0)
    for gap in range(len(length)):
        total += length[gap] * point[gap]
    return total


@njit(cache=True, nogil=True)
def _nearest(
    point: Float32s, centers: Float32s, sums: Float32s, length: Float32s
) -> tuple[int, np.float32]:
    """The nearest of centers that ascend by their sums, searched outward from the point's own."""
    own = _project(point, length)
    above = int(np.searchsorted(sums, own))
    under = above - 1
    best, least = -1, np.float32(np.inf)
    while True:
        up = sums[above] - own if above < len(sums) else np.float32(np.inf)
        down = own - sums[under] if under >= 0 else np.float32(np.inf)
        if min(up, down) >= least:
            return best, least
        if up < down:
            at = above
            above += 1
        else:
            at = under
            under -= 1
        far = _apart(point, centers[at], length)
        if far < least:
            best, least = at, far


@njit(cache=True, nogil=True)
def assign_points(
    points: Counts,  # [n, E]
    length: Float32s,  # [E]
    centers: tuple[Float32s, Float32s],  # [k, E] ascending by their sums [k]
    labels: Int32s,  # [n] filled
    far: Float32s,  # [n] filled: distance to the nearest center
) -> None:
    """Give every point its nearest center."""
    point = np.empty(len(length), np.float32)
    for i in range(len(points)):
        for gap in range(len(length)):
            point[gap] = points[i, gap]
        labels[i], far[i] = _nearest(point, centers[0], centers[1], length)


@njit(cache=True, nogil=True)
def assign_children(
    points: Counts,  # [n, E]
    parents: UInt16s,  # [n] DEAD for points that count nowhere
    length: Float32s,  # [E]
    family: tuple[Ints, Float32s, Float32s, UInt16s],  # see ``streets.Family``
    labels: UInt16s,  # [n] filled
    far: Float32s,  # [n] filled
) -> None:
    """Give every point the nearest among the children of its parent."""
    first, centers, sums, number = family
    point = np.empty(len(length), np.float32)
    for i in range(len(points)):
        if parents[i] == DEAD:
            labels[i], far[i] = DEAD, 0.0
            continue
        for gap in range(len(length)):
            point[gap] = points[i, gap]
        start, end = first[parents[i]], first[parents[i] + 1]
        best, far[i] = _nearest(point, centers[start:end], sums[start:end], length)
        labels[i] = number[start + best]


@njit(cache=True, nogil=True)
def move_members(
    points: Counts,  # [n, E]
    weight: Ints,  # [n]
    labels: Int32s,  # [n]
    before: Int32s,  # [n] labels that the counts know, -1 for none yet; made the same
    held: Int32s,  # [k, E, levels] weight of each cluster at each level of each coordinate
) -> None:
    """Bring the counts of clusters up to date: only points that have moved cost anything."""
    for i in range(len(points)):
        new, old = labels[i], before[i]
        if new == old:
            continue
        for gap in range(points.shape[1]):
            level = points[i, gap]
            held[new, gap, level] += weight[i]
            if old >= 0:
                held[old, gap, level] -= weight[i]
        before[i] = new


@njit(cache=True, nogil=True)
def fill_medians(held: Int32s, centers: Counts) -> None:
    """The median of each coordinate [k, E] of every cluster that is not empty."""
    num_levels = held.shape[2]
    for cluster in range(len(centers)):
        mass = np.int64(0)
        for level in range(num_levels):
            mass += held[cluster, 0, level]
        if mass == 0:
            continue
        for gap in range(held.shape[1]):
            level, passed = 0, np.int64(held[cluster, gap, 0])
            while 2 * passed < mass:
                level += 1
                passed += held[cluster, gap, level]
            centers[cluster, gap] = level


@njit(cache=True, nogil=True)
def draw_seeds(
    points: Counts,  # [n, E]
    weight: Ints,  # [n]
    length: Float32s,  # [E]
    far: Float64s,  # [n] distance to the seeds so far, infinite where there are none; lowered
    draws: Float64s,  # [seeds] uniform in [0, 1)
) -> Ints:
    """More seeds: each a point drawn by weight times distance to the nearest seed before it.

    Fewer come back where every point already is a seed.
    """
    seeds = np.empty(len(draws), np.int64)
    center, point = np.empty(len(length), np.float32), np.empty(len(length), np.float32)
    for at in range(len(draws)):
        chance = weight * np.where(np.isinf(far), 1.0, far)
        reached = np.cumsum(chance)
        if reached[-1] <= 0.0:
            return seeds[:at]
        seed = min(int(np.searchsorted(reached, draws[at] * reached[-1], "right")), len(far) - 1)
        while chance[seed] <= 0.0:  # rounding at the end of the sum
            seed -= 1
        seeds[at] = seed
        for gap in range(len(length)):
            center[gap] = points[seed, gap]
        for i in range(len(points)):
            for gap in range(len(length)):
                point[gap] = points[i, gap]
            far[i] = min(far[i], _apart(point, center, length))
    return seeds


@njit(cache=True, nogil=True)
def sample_members(
    labels: UInt16s,  # [n] DEAD for none
    seed: int,
    members: Ints,  # [labels, m] filled as far as there are members
    found: Ints,  # [labels] filled: how many points have each label
) -> None:
    """A uniform sample of the points of each label, all of them where they are few (reservoirs)."""
    state = np.uint64(seed)
    found[:] = 0
    most = members.shape[1]
    for i in range(len(labels)):
        label = labels[i]
        if label == DEAD:
            continue
        seen = found[label]
        found[label] = seen + 1
        if seen < most:
            members[label, seen] = i
            continue
        state += np.uint64(0x9E3779B97F4A7C15)  # splitmix64
        mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        slot = (mixed ^ (mixed >> np.uint64(31))) % np.uint64(seen + 1)
        if slot < np.uint64(most):
            members[label, slot] = i


@njit(cache=True, nogil=True)
def sum_by_label(
    labels: UInt16s,  # [n] DEAD for none
    weight: Ints,  # [n // block] one weight for every block of points
    block: int,
    far: Float32s,  # [n]
    sums: tuple[Ints, Float64s],  # [labels] weight, [labels] weight times distance: added to
) -> None:
    """Mass and total distance of each cluster."""
    for i in range(len(labels)):
        if labels[i] != DEAD:
            sums[0][labels[i]] += weight[i // block]
            sums[1][labels[i]] += weight[i // block] * far[i]
