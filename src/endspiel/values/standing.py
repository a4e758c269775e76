"""Where hands stand on a board, in buckets that a net can read: the same on every board.

A hand's rank among all hands by equity, from 0 to 1, lies between two knots, and how much further
up or down it is by its cards now (a draw is below, a hand that others may yet beat above) between
two of a second kind. It belongs to the four buckets around it, to the nearer ones more: what is
read and written by bucket changes with neither jumps nor suits' names.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS, NUM_RANKS, NUM_SUITS
from endspiel.cards.equity import equities
from endspiel.cards.live import live_hands, live_mask
from endspiel.cards.strength import board_strengths

Float32s = NDArray[np.float32]
Floats = NDArray[np.float64]
RANK_KNOTS: Final[Floats] = 1 - (1 - np.linspace(0, 1, 56)) ** 1.5  # closer among the best hands
NOW_KNOTS: Final[Floats] = np.array([-0.3, -0.12, 0.0, 0.1])
BUCKETS: Final = len(RANK_KNOTS) * len(NOW_KNOTS)
_DIGITS: Final = 9  # of equities: the rest is rounding, and would order hands that are alike
_QUANTILES: Final = np.linspace(0, 1, 9)
FACTS: Final = NUM_RANKS + 2 * NUM_SUITS + len(_QUANTILES)


class Standing(NamedTuple):
    """The hands of a board."""

    shares: Float32s  # [1326, BUCKETS] of each hand in each bucket: 1 in all, 0 for dead hands
    facts: Float32s  # [FACTS] the board: its ranks, its suits, how far apart equities lie
    equity: Float32s  # [1326] against a random hand; 0 for dead hands


@lru_cache(maxsize=64)
def stand(board: tuple[int, ...]) -> Standing:
    """Where all hands stand on a flop or a turn; read-only."""
    live = live_mask(board)
    equity = np.round(equities(live_hands(board), board)[live], _DIGITS)
    rank = _ranks(equity)
    ahead = _ranks(board_strengths(board)[live].astype(np.float64)) - rank
    near = [_between(RANK_KNOTS, rank), _between(NOW_KNOTS, ahead)]
    shares = np.zeros((NUM_HANDS, BUCKETS), dtype=np.float32)
    hands = np.flatnonzero(live)
    for one in (0, 1):
        for two in (0, 1):
            place = (near[0].below + one) * len(NOW_KNOTS) + near[1].below + two
            shares[hands, place] = near[0].weights[one] * near[1].weights[two]
    facts = np.concatenate([_cards(board), np.quantile(equity, _QUANTILES)]).astype(np.float32)
    against = np.zeros(NUM_HANDS, dtype=np.float32)
    against[hands] = equity
    for array in (shares, facts, against):
        array.flags.writeable = False
    return Standing(shares, facts, against)


class _Between(NamedTuple):
    """Two knots for every number."""

    below: NDArray[np.int64]  # [K]
    weights: tuple[Floats, Floats]  # [K] of the lower and of the upper


def _between(knots: Floats, numbers: Floats) -> _Between:
    inside = np.clip(numbers, knots[0], knots[-1])
    below = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    upper = (inside - knots[below]) / (knots[below + 1] - knots[below])
    return _Between(below, (1 - upper, upper))


def _ranks(numbers: Floats) -> Floats:
    """The share of numbers below each, ties counted by half: [K]."""
    ordered = np.sort(numbers)
    ends = (np.searchsorted(ordered, numbers, side=side) for side in ("left", "right"))
    found: Floats = sum(ends, np.zeros(len(numbers))) / (2 * len(numbers))
    return found


def _cards(board: tuple[int, ...]) -> Floats:
    """Cards of each rank, how many suits there are, and cards of the most frequent one."""
    cards = np.array(board)
    suits = np.bincount(cards % NUM_SUITS, minlength=NUM_SUITS)
    found = np.zeros(NUM_RANKS + 2 * NUM_SUITS)
    found[:NUM_RANKS] = np.bincount(cards // NUM_SUITS, minlength=NUM_RANKS)
    found[NUM_RANKS + np.count_nonzero(suits) - 1] = 1
    found[NUM_RANKS + NUM_SUITS + suits.max() - 1] = 1
    return found
