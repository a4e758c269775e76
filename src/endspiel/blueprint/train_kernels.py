"""The loops of training over buckets, in 32-bit floats, for a share of a player's states.

States that descend from different preflop buckets never meet again: threads take ranges of preflop
buckets, whose states are side by side on every street, and nothing that one thread writes is read
by another. The result does not depend on how the buckets are shared out.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from endspiel.kernels.arrays import Discounts, Ints, PlexArrays

Float32s = NDArray[np.float32]

_FAST = {"contract", "reassoc", "arcp", "nsz"}
_TINY = np.float32(np.finfo(np.float32).tiny)  # the reciprocal of anything smaller overflows


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def learn(
    plex: PlexArrays,
    span: tuple[Ints, Ints],  # [B], [B] states of each block: from, below
    gradient: Float32s,  # [S] used up
    sums: tuple[Float32s, Float32s],  # [S], [S] regrets, and weighted sum of plans
    play: tuple[Float32s, Float32s],  # [S], [S] current behavior and plan
    discounts: Discounts,
) -> None:
    """One player's iteration: average, advantages, regrets, new behavior and plan."""
    low, high = span
    regret, average = sums
    behavior, plan = play
    keep = np.float32(discounts.average)
    for b in range(len(plex.first)):
        first, K, count = plex.first[b], plex.states[b], high[b] - low[b]
        for a in range(plex.actions[b]):
            start = first + a * K + low[b]
            reach, total = plan[start : start + count], average[start : start + count]
            for k in range(count):
                total[k] = total[k] * keep + reach[k]
    value = np.empty(_widest(low, high), np.float32)
    for b in range(len(plex.first) - 1, -1, -1):
        _pass_up(plex, b, low[b], high[b], gradient, behavior, value)
        _match(plex, b, low[b], high[b], gradient, regret, behavior, value, discounts)
    walk_down(plex, span, behavior, plan)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def walk_down(
    plex: PlexArrays,
    span: tuple[Ints, Ints],  # [B], [B]
    behavior: Float32s,  # [S]
    plan: Float32s,  # [S] filled; the roots' entries are there
) -> None:
    """The plan of a behavior."""
    low, high = span
    for b in range(len(plex.first)):
        first, K, base, at = plex.first[b], plex.states[b], plex.base[b], plex.map_at[b]
        count = high[b] - low[b]
        parent = plex.maps[at + low[b] : at + high[b]]
        for a in range(plex.actions[b]):
            start = first + a * K + low[b]
            share, reach = behavior[start : start + count], plan[start : start + count]
            for k in range(count):
                reach[k] = share[k] * plan[np.uint64(base + parent[k])]


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy", inline="always")
def _pass_up(plex, b, low, high, gradient, behavior, value):  # type: ignore[no-untyped-def]
    """Values of a block's states pass up; its advantages take the place of its gradient."""
    first, K, A = plex.first[b], plex.states[b], plex.actions[b]
    base, at, count = plex.base[b], plex.map_at[b], high - low
    for k in range(count):
        value[k] = np.float32(0)
    for a in range(A):
        start = first + a * K + low
        share, gain = behavior[start : start + count], gradient[start : start + count]
        for k in range(count):
            value[k] += share[k] * gain[k]
    for a in range(A):
        start = first + a * K + low
        gain = gradient[start : start + count]
        for k in range(count):
            gain[k] -= value[k]
    parent = plex.maps[at + low : at + high]
    for k in range(count):
        gradient[np.uint64(base + parent[k])] += value[k]


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy", inline="always")
def _match(plex, b, low, high, advantage, regret, behavior, total, discounts):  # type: ignore[no-untyped-def]
    """New regrets and behavior of a block's states."""
    first, K, A, count = plex.first[b], plex.states[b], plex.actions[b], high - low
    positive, negative = np.float32(discounts.positive), np.float32(discounts.negative)
    predict, zero = np.float32(discounts.predict), np.float32(0)
    for k in range(count):
        total[k] = zero
    for a in range(A):
        start = first + a * K + low
        stored, gain = regret[start : start + count], advantage[start : start + count]
        share = behavior[start : start + count]
        for k in range(count):
            new = gain[k]
            old = max(stored[k], zero) * positive + min(stored[k], zero) * negative + new
            stored[k] = old
            share[k] = max(old + predict * new, zero)
            total[k] += share[k]
    _divide(behavior, total, first + low, K, A, count)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy", inline="always")
def _divide(behavior, total, first, K, A, count):  # type: ignore[no-untyped-def]
    """Divide shares by their totals; uniform where these all but vanish."""
    zero, one = np.float32(0), np.float32(1)
    uniform = one / np.float32(A)
    for k in range(count):
        total[k] = one / total[k] if total[k] >= _TINY else zero
    for a in range(A):
        share = behavior[first + a * K : first + a * K + count]
        for k in range(count):
            share[k] = share[k] * total[k] if total[k] > zero else uniform


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def fill_plan(
    plex: PlexArrays,
    span: tuple[Ints, Ints],  # [B], [B]
    weights: Float32s,  # [S] behavior in any scale, such as a sum of plans
    plan: Float32s,  # [S] filled; the roots' entries are there
) -> None:
    """The plan of a behavior that is given up to scale, uniform where it vanishes."""
    low, high = span
    total = np.empty(_widest(low, high), np.float32)
    zero, one = np.float32(0), np.float32(1)
    for b in range(len(plex.first)):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        base, at, count = plex.base[b], plex.map_at[b], high[b] - low[b]
        for k in range(count):
            total[k] = zero
        for a in range(A):
            start = first + a * K + low[b]
            share = weights[start : start + count]
            for k in range(count):
                total[k] += share[k]
        for k in range(count):
            total[k] = one / total[k] if total[k] >= _TINY else zero
        parent = plex.maps[at + low[b] : at + high[b]]
        uniform = one / np.float32(A)
        for a in range(A):
            start = first + a * K + low[b]
            share, reach = weights[start : start + count], plan[start : start + count]
            for k in range(count):
                chance = share[k] * total[k] if total[k] > zero else uniform
                reach[k] = chance * plan[np.uint64(base + parent[k])]


@njit(cache=True, nogil=True, error_model="numpy")
def best_up(plex: PlexArrays, span: tuple[Ints, Ints], gradient: Float32s) -> None:
    """Values of best play pass up to the roots, in place of the gradient [S]."""
    low, high = span
    best = np.empty(_widest(low, high), np.float32)
    for b in range(len(plex.first) - 1, -1, -1):
        first, K = plex.first[b], plex.states[b]
        base, at, count = plex.base[b], plex.map_at[b], high[b] - low[b]
        for a in range(plex.actions[b]):
            gain = gradient[first + a * K + low[b] : first + a * K + high[b]]
            for k in range(count):
                best[k] = gain[k] if a == 0 else max(best[k], gain[k])
        parent = plex.maps[at + low[b] : at + high[b]]
        for k in range(count):
            gradient[np.uint64(base + parent[k])] += best[k]


@njit(cache=True, nogil=True)
def _widest(low: Ints, high: Ints) -> int:
    widest = 0
    for b in range(len(low)):
        widest = max(widest, high[b] - low[b])
    return widest
