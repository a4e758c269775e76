"""The kernels of `reference`, compiled: same names, same arguments, same results.

Loops run over a block's states innermost: one action of a block is one contiguous slice, so the
compiler turns them into vector instructions. ``fastmath`` is limited to contraction and
reassociation; infinities and NaN keep their meaning.
"""

import numpy as np

from endspiel.jit import njit
from endspiel.kernels.arrays import Discounts, Floats, Indices, Ints, PlexArrays, Side

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def walk_down(plex: PlexArrays, behavior: Floats, plan: Floats) -> None:
    for b in range(len(plex.first)):
        first, K, base, at = plex.first[b], plex.states[b], plex.base[b], plex.map_at[b]
        maps, step = plex.maps[at : at + K], plex.stride[b]
        for a in range(plex.actions[b]):
            span = slice(first + a * step, first + a * step + K)
            share, reach = behavior[span], plan[span]
            for k in range(K):
                reach[k] = share[k] * plan[np.uint64(base + maps[k])]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def advantages(plex: PlexArrays, behavior: Floats, gradient: Floats) -> None:
    value = np.empty(_largest(plex.states), gradient.dtype)
    for b in range(len(plex.first) - 1, -1, -1):
        _pass_up(plex, b, behavior, gradient, value)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _pass_up(plex, b, behavior, gradient, value):  # type: ignore[no-untyped-def]
    """One block's advantages in place of its gradient; its values [K] pass up."""
    first, K, A = plex.first[b], plex.states[b], plex.actions[b]
    base, at, step = plex.base[b], plex.map_at[b], plex.stride[b]
    value[:K] = 0
    for a in range(A):
        span = slice(first + a * step, first + a * step + K)
        share, gain = behavior[span], gradient[span]
        for k in range(K):
            value[k] += share[k] * gain[k]
    for a in range(A):
        gain = gradient[first + a * step : first + a * step + K]
        for k in range(K):
            gain[k] -= value[k]
    maps = plex.maps[at : at + K]
    for k in range(K):
        gradient[np.uint64(base + maps[k])] += value[k]


@njit(cache=True, nogil=True, error_model="numpy")
def best_up(plex: PlexArrays, gradient: Floats, behavior: Floats) -> None:
    for b in range(len(plex.first) - 1, -1, -1):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        base, at, step = plex.base[b], plex.map_at[b], plex.stride[b]
        for k in range(K):
            best = 0
            for a in range(1, A):
                if gradient[first + a * step + k] > gradient[first + best * step + k]:
                    best = a
            for a in range(A):
                behavior[first + a * step + k] = 1 if a == best else 0
            gradient[base + plex.maps[at + k]] += gradient[first + best * step + k]


@njit(cache=True, error_model="numpy")
def smooth_up(plex: PlexArrays, gradient: Floats, weights: Floats, behavior: Floats) -> None:
    for b in range(len(plex.first) - 1, -1, -1):
        first, K, A = plex.first[b], plex.states[b], plex.actions[b]
        base, at, step = plex.base[b], plex.map_at[b], plex.stride[b]
        for k in range(K):
            w = weights[first + k]
            top = gradient[first + k]
            for a in range(1, A):
                top = max(top, gradient[first + a * step + k])
            total = 0.0
            for a in range(A):
                e = np.exp((gradient[first + a * step + k] - top) / w)
                behavior[first + a * step + k] = e
                total += e
            for a in range(A):
                behavior[first + a * step + k] /= total
            gradient[base + plex.maps[at + k]] += top + w * np.log(total)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def match_regrets(
    plex: PlexArrays, advantage: Floats, regret: Floats, behavior: Floats, discounts: Discounts
) -> None:
    total = np.empty(_largest(plex.states), regret.dtype)
    for b in range(len(plex.first)):
        _match(plex, b, advantage, regret, behavior, discounts, total)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _match(plex, b, advantage, regret, behavior, discounts, total):  # type: ignore[no-untyped-def]
    """One block's new regrets and behavior."""
    first, K, A, step = plex.first[b], plex.states[b], plex.actions[b], plex.stride[b]
    positive, negative = (
        regret.dtype.type(discounts.positive),
        regret.dtype.type(discounts.negative),
    )
    predict, zero = regret.dtype.type(discounts.predict), regret.dtype.type(0)
    total[:K] = 0
    for a in range(A):
        span = slice(first + a * step, first + a * step + K)
        stored, gain, share = regret[span], advantage[span], behavior[span]
        for k in range(K):
            old, new = stored[k], gain[k]
            old = max(old, zero) * positive + min(old, zero) * negative + new
            stored[k] = old
            share[k] = max(old + predict * new, zero)
            total[k] += share[k]
    _divide(behavior, total, first, K, A, step)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def learn(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    discounts: Discounts,
) -> None:
    keep = average.dtype.type(discounts.average)
    for s in range(len(average)):  # empty where the current strategy is the solution
        average[s] = average[s] * keep + plan[s]
    _relearn(plex, gradient, regret, behavior, plan, discounts)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def learn_blocks(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    discounts: Discounts,
) -> None:
    """The same for all but the roots: for some states of each block, too."""
    keep = average.dtype.type(discounts.average)
    for b in range(len(plex.first) if len(average) > 0 else 0):
        for a in range(plex.actions[b]):
            start = plex.first[b] + a * plex.stride[b]
            total, reach = (
                average[start : start + plex.states[b]],
                plan[start : start + plex.states[b]],
            )
            for k in range(plex.states[b]):
                total[k] = total[k] * keep + reach[k]
    _relearn(plex, gradient, regret, behavior, plan, discounts)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _relearn(plex, gradient, regret, behavior, plan, discounts):  # type: ignore[no-untyped-def]
    """New regrets, behavior and plan."""
    work = np.empty(_largest(plex.states), regret.dtype)
    for b in range(len(plex.first) - 1, -1, -1):  # once a block has passed up, it may change
        _pass_up(plex, b, behavior, gradient, work)
        _match(plex, b, gradient, regret, behavior, discounts, work)
    walk_down(plex, behavior, plan)


@njit(cache=True, error_model="numpy")
def iterate(one: Side, two: Side, schedule: Floats, alternating: bool) -> None:
    for t in range(len(schedule)):
        discounts = Discounts(schedule[t, 0], schedule[t, 1], schedule[t, 2], schedule[t, 3])
        _earn(one, two.plan)
        if not alternating:
            _earn(two, one.plan)
        learn(one.plex, one.gradient, one.regret, one.behavior, one.plan, one.average, discounts)
        if alternating:
            _earn(two, one.plan)
        learn(two.plex, two.gradient, two.regret, two.behavior, two.plan, two.average, discounts)


@njit(cache=True, error_model="numpy")
def _earn(side, plan):  # type: ignore[no-untyped-def]
    """A side's gradient against the other's plan."""
    side.gradient[:] = 0
    rows = side.payoffs
    multiply(rows.indptr, rows.indices, rows.data, plan, side.gradient)


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def normalize(plex: PlexArrays, weights: Floats, behavior: Floats) -> None:
    total = np.empty(_largest(plex.states), behavior.dtype)
    for b in range(len(plex.first)):
        first, K, A, step = plex.first[b], plex.states[b], plex.actions[b], plex.stride[b]
        total[:K] = 0
        for a in range(A):
            offset = first + a * step
            for k in range(K):
                behavior[offset + k] = weights[offset + k]
                total[k] += weights[offset + k]
        _divide(behavior, total, first, K, A, step)


@njit(cache=True, fastmath={"contract"}, error_model="numpy")  # rows are too short for vectors
def multiply(indptr: Ints, indices: Ints | Indices, data: Floats, x: Floats, out: Floats) -> None:
    for i in range(len(indptr) - 1):
        total = out[i]
        for j in range(indptr[i], indptr[i + 1]):
            total += data[j] * x[indices[j]]
        out[i] = total


@njit(cache=True, nogil=True)
def gather(plan: Floats, seqs: Ints, stakes: Floats, reach: Floats) -> None:
    for t in range(len(seqs)):
        source = plan[seqs[t] : seqs[t] + reach.shape[1]]
        for k in range(len(source)):
            reach[t, k] = stakes[t] * source[k]


@njit(cache=True, nogil=True)
def scatter(values: Floats, seqs: Ints, out: Floats) -> None:
    for t in range(len(seqs)):
        target = out[seqs[t] : seqs[t] + values.shape[1]]
        for k in range(len(target)):
            target[k] += values[t, k]


@njit(cache=True)
def _largest(counts: Ints) -> int:
    return counts.max() if len(counts) else 0


@njit(cache=True, fastmath=_FAST, error_model="numpy", inline="always")
def _divide(behavior, total, first, K, A, step):  # type: ignore[no-untyped-def]
    """Divide a block's shares by their totals [K]; uniform where they all but vanish."""
    zero, one = total.dtype.type(0), total.dtype.type(1)
    uniform = one / total.dtype.type(A)
    least = np.finfo(total.dtype).tiny  # the reciprocal of anything smaller overflows
    for k in range(K):
        total[k] = one / total[k] if total[k] >= least else zero
    for a in range(A):
        share = behavior[first + a * step : first + a * step + K]
        for k in range(K):
            share[k] = share[k] * total[k] if total[k] > zero else uniform
