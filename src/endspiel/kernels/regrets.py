"""Regret matching, its sums and the step up, as on a blackboard: the one plain version.

Over arrays, in place and in their own precision. The compiled kernels of each backend are held to
it; what is not worth a kernel uses it as it is. Supplement, equations 4, 8, 9 and 10.
"""

from typing import Any

import numpy as np

from endspiel.kernels.arrays import Discounts

Array = Any  # of NumPy, in 32 or 64 bits
TINY = {4: 2.0**-126, 8: 2.0**-1022}  # by bytes of a float: totals below have no reciprocal


def shares(weights: Array, axis: int = 0) -> Array:
    """Each action's share of the positive weights along an axis; equal where they all but vanish.

    Of regrets, the strategy that they match; of an average's sums, the average strategy.
    """
    positive = weights.clip(min=0)
    total = positive.sum(axis=axis, keepdims=True)
    return share_of(positive, total, 1 / weights.shape[axis])


def share_of(part: Array, total: Array, otherwise: Any) -> Array:
    """A part of a total, or something else where that all but vanishes."""
    some = total >= TINY[total.dtype.itemsize]
    return _where(some, part / _where(some, total, 1.0, total), otherwise, total)


def discount(regret: Array, discounts: Discounts) -> None:
    """Let stored regrets count less, each by its sign; 0 for the negative: regret matching plus."""
    regret *= _where(regret > 0, discounts.positive, discounts.negative, regret)


def add_advantages(regret: Array, advantage: Array, discounts: Discounts) -> None:
    """One iteration's advantages beside the discounted regrets of those before it."""
    discount(regret, discounts)
    regret += advantage


def add_plans(average: Array, plan: Array, discounts: Discounts) -> None:
    """One iteration's plans beside the discounted sum of those before it."""
    average *= discounts.average
    average += plan


def decision_values(values: Array, behavior: Array | None, axis: int = 0) -> Array:
    """What decisions are worth by a behavior, or by best play: from their actions', along an axis.

    Walked from the last decisions to the first, that is a best response.
    """
    if behavior is not None:
        return (values * behavior).sum(axis=axis)
    return values.max(axis=axis)


def _where(condition: Array, then: Any, otherwise: Any, like: Array) -> Array:
    """A choice between arrays or plain numbers, in the precision of an array."""
    kind = like.dtype.type
    return np.where(condition, *(kind(x) if isinstance(x, float) else x for x in (then, otherwise)))
