"""The kernels of `reference`, compiled: same names, same arguments, same results.

Loops run over a block's states innermost: one action of a block is one contiguous slice, so the
compiler turns them into vector instructions. ``fastmath`` is limited to contraction and
reassociation; infinities and NaN keep their meaning.
"""

import numpy as np
from numba import njit

from endspiel.kernels.arrays import Discounts, Floats, Ints, PlexArrays

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def walk_down(plex: PlexArrays, behavior: Floats, plan: Floats) -> None:
    for b in range(len(plex.first)):
        first, K, base, at = plex.first[b], plex.states[b], plex.base[b], plex.map_at[b]
        for a in range(plex.actions[b]):
            offset = first + a * K
            for k in range(K):
                plan[offset + k] = behavior[offset + k] * plan[base + plex.maps[at + k]]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def walk_up(plex: PlexArrays, behavior: Floats, gradient: Floats) -> None:
    value = np.empty(_largest(plex.states), gradient.dtype)
    for b in range(len(plex.first) - 1, -1, -1):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        base, at = plex.base[b], plex.map_at[b]
        value[:K] = 0
        for a in range(A):
            offset = first + a * K
            for k in range(K):
                value[k] += behavior[offset + k] * gradient[offset + k]
        for a in range(A):
            offset = first + a * K
            for k in range(K):
                gradient[offset + k] -= value[k]
        for k in range(K):
            gradient[base + plex.maps[at + k]] += value[k]


@njit(cache=True, error_model="numpy")
def best_up(plex: PlexArrays, gradient: Floats, behavior: Floats) -> None:
    for b in range(len(plex.first) - 1, -1, -1):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        base, at = plex.base[b], plex.map_at[b]
        for k in range(K):
            best = 0
            for a in range(1, A):
                if gradient[first + a * K + k] > gradient[first + best * K + k]:
                    best = a
            for a in range(A):
                behavior[first + a * K + k] = 1 if a == best else 0
            gradient[base + plex.maps[at + k]] += gradient[first + best * K + k]


@njit(cache=True, error_model="numpy")
def smooth_up(plex: PlexArrays, gradient: Floats, weights: Floats, behavior: Floats) -> None:
    for b in range(len(plex.first) - 1, -1, -1):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        base, at = plex.base[b], plex.map_at[b]
        for k in range(K):
            w = weights[first + k]
            top = gradient[first + k]
            for a in range(1, A):
                top = max(top, gradient[first + a * K + k])
            total = 0.0
            for a in range(A):
                e = np.exp((gradient[first + a * K + k] - top) / w)
                behavior[first + a * K + k] = e
                total += e
            for a in range(A):
                behavior[first + a * K + k] /= total
            gradient[base + plex.maps[at + k]] += top + w * np.log(total)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def match_regrets(
    plex: PlexArrays, advantage: Floats, regret: Floats, behavior: Floats, by: Discounts
) -> None:
    total = np.empty(_largest(plex.states), regret.dtype)
    positive, negative = regret.dtype.type(by.positive), regret.dtype.type(by.negative)
    predict, zero = regret.dtype.type(by.predict), regret.dtype.type(0)
    for b in range(len(plex.first)):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        total[:K] = 0
        for a in range(A):
            offset = first + a * K
            for k in range(K):
                old, new = regret[offset + k], advantage[offset + k]
                old = max(old, zero) * positive + min(old, zero) * negative + new
                regret[offset + k] = old
                share = max(old + predict * new, zero)
                behavior[offset + k] = share
                total[k] += share
        _divide(behavior, total, first, K, A)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def learn(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    by: Discounts,
) -> None:
    walk_up(plex, behavior, gradient)
    match_regrets(plex, gradient, regret, behavior, by)
    walk_down(plex, behavior, plan)
    keep = average.dtype.type(by.average)
    for s in range(len(average)):
        average[s] = average[s] * keep + plan[s]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def normalize(plex: PlexArrays, weights: Floats, behavior: Floats) -> None:
    total = np.empty(_largest(plex.states), behavior.dtype)
    for b in range(len(plex.first)):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        total[:K] = 0
        for a in range(A):
            offset = first + a * K
            for k in range(K):
                behavior[offset + k] = weights[offset + k]
                total[k] += weights[offset + k]
        _divide(behavior, total, first, K, A)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def multiply(indptr: Ints, indices: Ints, data: Floats, x: Floats, out: Floats) -> None:
    for i in range(len(indptr) - 1):
        total = out[i]
        for j in range(indptr[i], indptr[i + 1]):
            total += data[j] * x[indices[j]]
        out[i] = total


@njit(cache=True)
def gather(plan: Floats, seqs: Ints, stakes: Floats, reach: Floats) -> None:
    for t in range(len(seqs)):
        for k in range(reach.shape[1]):
            reach[t, k] = stakes[t] * plan[seqs[t] + k]


@njit(cache=True)
def scatter(values: Floats, seqs: Ints, out: Floats) -> None:
    for t in range(len(seqs)):
        for k in range(values.shape[1]):
            out[seqs[t] + k] += values[t, k]


@njit(cache=True)
def _largest(counts: Ints) -> int:
    return counts.max() if len(counts) else 0


@njit(cache=True, fastmath=_FAST, error_model="numpy", inline="always")
def _divide(behavior, total, first, K, A):  # type: ignore[no-untyped-def]
    """Divide a block's shares by their totals [K]; uniform where the total is zero."""
    zero, one = total.dtype.type(0), total.dtype.type(1)
    for k in range(K):
        some = total[k] > zero
        total[k] = one / total[k] if some else zero
        uniform = zero if some else one / total.dtype.type(A)
        behavior[first + k] = behavior[first + k] * total[k] + uniform
    for a in range(1, A):
        offset = first + a * K
        for k in range(K):
            uniform = zero if total[k] > zero else one / total.dtype.type(A)
            behavior[offset + k] = behavior[offset + k] * total[k] + uniform
