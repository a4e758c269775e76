"""The best division of a line: clusterings of equities on the river, exact for every number.

On a line clusters are intervals, and dynamic programming finds the best ones. Where the last
interval begins never falls as the line grows, so the middle of the line is done first and bounds
both halves: n log n steps for each number of clusters instead of n squared
(`native/core/lines.cpp`).
"""

from ctypes import c_int64
from typing import NamedTuple

import numpy as np

from endspiel.kernels.arrays import Float64s, Int32s, Ints
from endspiel.native.boundary import pointer
from endspiel.native.library import function


class Division(NamedTuple):
    """The best division of one line into intervals, for 1, 2, ... of them."""

    errors: Float64s  # [K] weight times distance to the interval's median, in levels
    limits: tuple[Ints, ...]  # [K] of [k]: last level of each interval, ascending


def divide(weight: Ints, most: int) -> Division:
    """Divide levels 0, 1, ... of the given weights [n] into a limited number of intervals."""
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


def _best_starts(levels: Ints, weight: Ints, most: int) -> tuple[Float64s, Int32s]:
    """Errors [most] of the whole line, and where the last of k intervals to a place starts."""
    n = len(levels)
    mass, moment = np.zeros((2, n + 1), np.int64)
    np.cumsum(weight, out=mass[1:])
    np.cumsum(weight * levels, out=moment[1:])
    errors, starts = np.empty(most), np.zeros((most, n), np.int32)
    function("divide_line")(
        pointer(levels, np.int64, name="levels"),
        *(pointer(sums, np.int64) for sums in (mass, moment)),
        *map(c_int64, (n, most)),
        pointer(np.empty(2 * n), np.float64, written=True),
        pointer(errors, np.float64, written=True),
        pointer(starts, np.int32, written=True),
    )
    return errors, starts
