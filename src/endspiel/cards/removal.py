"""Card removal: how much of a range each hand leaves to be held against it."""

from ctypes import c_int64
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards, hand_masks
from endspiel.native.boundary import pointer
from endspiel.native.library import board_function, chosen_build

Floats = NDArray[np.float64]
_KERNELS: Final = {  # of numbers of 32 and of 64 bits
    "f": (np.float32, "fill_unblocked_float"),
    "d": (np.float64, "fill_unblocked_double"),
}
# Of a hand that blocks all but this share of a range, the rest is added up hand by hand: a
# difference of sums over the whole range would leave it too few digits.
BLOCKED_SHARE = 1e-6


@cache
def conflicts() -> NDArray[np.bool_]:
    """Which hands share a card: [1326, 1326], read-only."""
    masks = hand_masks()
    shared: NDArray[np.bool_] = (masks[:, None] & masks[None, :]) != 0
    shared.flags.writeable = False
    return shared


def can_meet(one: NDArray[np.floating], two: NDArray[np.floating]) -> bool:
    """Whether some hand of a range [1326] shares no card with one of another."""
    left = unblocked_weight((two > 0).astype(np.float64))  # hands, in whole numbers
    return bool((left[one > 0] > 0).any())


def unblocked_weight(
    weights: NDArray[np.floating],  # [K]
    hands: NDArray[np.integer] | None = None,  # [K] hand numbers; all 1326 in order by default
) -> Floats:
    """The weight [K] of all hands that share no card with each hand, up to rounding."""
    cards = hand_cards() if hands is None else hand_cards()[hands]
    by_card = np.bincount(cards.ravel(), np.repeat(weights, 2), NUM_CARDS)
    found: Floats = weights.sum() - by_card[cards].sum(axis=1) + weights
    return np.maximum(found, 0.0)


def unblocked_weights(
    ranges: NDArray[np.floating],  # [..., K]
    hands: NDArray[np.integer] | None = None,  # [K]
) -> NDArray[np.floating]:
    """Unblocked weights of many ranges at once, in their own precision."""
    if hands is None:
        rows = np.ascontiguousarray(ranges)
        whole = np.empty_like(rows)
        if rows.dtype.char not in _KERNELS:
            raise TypeError(f"ranges have entries of {rows.dtype}, not of float32 or float64")
        kind, name = _KERNELS[rows.dtype.char]
        board_function(name, chosen_build())(
            pointer(rows, kind, name="ranges"),
            c_int64(rows.size // NUM_HANDS),
            pointer(whole, kind, written=True),
        )
        return whole
    holds, cards = _holds(ranges.dtype.char)[hands], hand_cards()[hands]
    by_card = ranges @ holds
    left = ranges + ranges.sum(axis=-1, keepdims=True)
    left -= by_card[..., cards[:, 0]] + by_card[..., cards[:, 1]]
    found: NDArray[np.floating] = np.maximum(left, 0)
    return found


@cache
def _holds(kind: str) -> NDArray[np.floating]:
    """1 where a hand has a card: [1326, 52], read-only."""
    found: NDArray[np.floating] = np.zeros((NUM_HANDS, NUM_CARDS), dtype=kind)
    np.put_along_axis(found, hand_cards().astype(np.int64), 1.0, axis=1)
    found.flags.writeable = False
    return found


def exact_unblocked_weight(weights: NDArray[np.floating]) -> Floats:
    """Unblocked weights of a whole range [1326], exactly 0 where all is blocked.

    The number of hands left, in whole numbers, says where that is.
    """
    found = unblocked_weight(weights)
    left = unblocked_weight((weights > 0).astype(np.float64))
    for hand in np.flatnonzero((left > 0) & (found < BLOCKED_SHARE * weights.sum())):
        found[hand] = weights[~conflicts()[hand]].sum()
    found[left == 0] = 0.0
    return found
