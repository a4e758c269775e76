"""The best division of a line: clusterings of equities on the river, exact for every number.

On a line clusters are intervals, and dynamic programming finds the best ones. Where the last
interval begins never falls as the line grows, so the middle of the line is done first and bounds
both halves: n log n steps for each number of clusters instead of n squared.
"""

from typing import NamedTuple

import numpy as np

from endspiel.jit import njit
from endspiel.kernels.arrays import Float64s, Int32s, Ints


class Division(NamedTuple):
    """The best division of one line into intervals, for 1, 2, ... of them."""

    errors: Float64s  # [K] weight times distance to the interval's median, in levels
    limits: tuple[Ints, ...]  # [K] of [k]: last level of each interval, ascending


def divide(weight: Ints, most: int) -> Division:
    """Divide levels 0, 1, ... of the given weights [n] into at most so many intervals."""
    levels = np.flatnonzero(weight)
    if not len(levels):  # nothing falls here: one interval that holds everything
        return Division(np.zeros(1), (np.array([len(weight) - 1]),))
    most = min(most, len(levels))
    errors, starts = _best_starts(levels, weight[levels], most)
    # Between two intervals the empty levels are shared by nearness.
    limits = []
    for k in range(1, most + 1):
        firsts = _trace(starts, k)[1:]
        inner = (levels[firsts] + levels[firsts - 1]) // 2
        limits.append(np.append(inner, len(weight) - 1))
    return Division(errors, tuple(limits))


def _trace(starts: Int32s, k: int) -> Ints:
    """First place of each of k intervals."""
    firsts = np.zeros(k, np.int64)
    end = starts.shape[1] - 1
    for interval in range(k - 1, 0, -1):
        firsts[interval] = starts[interval, end]
        end = firsts[interval] - 1
    return firsts


@njit(cache=True, nogil=True)
def _spread(levels: Ints, sums: tuple[Ints, Ints], first: int, last: int) -> float:
    """Weight times distance to the median over places first..last."""
    mass, moment = sums  # [n + 1] weight, and weight times level, before each place
    half = mass[first] + (mass[last + 1] - mass[first] + 1) // 2
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if mass[middle + 1] >= half:
            high = middle
        else:
            low = middle + 1
    under = levels[low] * (mass[low] - mass[first]) - (moment[low] - moment[first])
    over = moment[last + 1] - moment[low] - levels[low] * (mass[last + 1] - mass[low])
    return float(under + over)


@njit(cache=True, nogil=True)
def _best_starts(levels: Ints, weight: Ints, most: int) -> tuple[Float64s, Int32s]:
    """Errors [most] of the whole line, and where the last of k intervals to a place starts."""
    n = len(levels)
    mass, moment = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    mass[1:], moment[1:] = np.cumsum(weight), np.cumsum(weight * levels)
    sums = (mass, moment)
    starts = np.zeros((most, n), np.int32)
    errors = np.zeros(most)
    best = np.empty(n)
    for place in range(n):
        best[place] = _spread(levels, sums, 0, place)
    errors[0] = best[n - 1]
    for k in range(1, most):
        better = np.full(n, np.inf)
        better[:k] = 0.0  # as many intervals as places
        starts[k, :k] = np.arange(k)
        step = 1
        while step < n:
            step *= 2
        while step:
            for place in range(step - 1, n, 2 * step):
                if place < k:
                    continue
                low = starts[k, place - step] if place - step >= 0 else 0
                high = starts[k, place + step] if place + step < n else place
                for start in range(max(low, k), min(high, place) + 1):
                    error = best[start - 1] + _spread(levels, sums, start, place)
                    if error < better[place]:
                        better[place], starts[k, place] = error, start
            step //= 2
        best = better
        errors[k] = best[n - 1]
    return errors, starts
