"""Live hands: those that hold none of the cards seen."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Bools, Float64s
from endspiel.cards.deck import hand_masks

Cards = Sequence[int] | NDArray[np.integer]


def card_sets(cards: Cards | Sequence[Cards]) -> NDArray[np.uint64]:
    """Cards [..., n] as 52-bit sets: [...]."""
    bits = np.uint64(1) << np.asarray(cards, dtype=np.uint64)
    sets: NDArray[np.uint64] = np.bitwise_or.reduce(bits, axis=-1)
    return sets


def live_among(holes: Cards | Sequence[Cards], seen: Cards) -> Bools:
    """Which private hands [K, n] of any game hold none of the cards seen: [K]."""
    live: Bools = (card_sets(holes) & card_sets(seen)) == 0
    return live


def live_mask(seen: Cards) -> Bools:
    """Which hands hold none of the cards seen: [1326], or [..., 1326] for boards [..., n]."""
    live: Bools = (hand_masks() & card_sets(seen)[..., None]) == 0
    return live


def live_hands(seen: Cards) -> Float64s:
    """1 for every hand that holds none of the cards seen, 0 for the others: [1326]."""
    return live_mask(seen).astype(np.float64)


def live_numbers(seen: Cards) -> NDArray[np.int64]:
    """The numbers of the hands that hold none of the cards seen, in order: [1081 on a river]."""
    return np.flatnonzero(live_mask(seen))
