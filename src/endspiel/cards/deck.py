"""Cards and two-card hands as small integers, the numbering everything else is built on.

A card is ``4 * rank + suit`` with ranks 0..12 = 2..A and suits 0..3 = c, d, h, s; sorting cards
sorts them by rank. A hand {lo < hi} is ``hi * (hi - 1) / 2 + lo`` (colexicographic), so a deck
with fewer ranks uses a prefix of the same numbers.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import UInt8s

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NUM_RANKS = 13
NUM_SUITS = 4
NUM_CARDS = 52
NUM_HANDS = 1326


def make_card(rank: int, suit: int) -> int:
    """Card number of a rank 0..12 and a suit 0..3."""
    return 4 * rank + suit


def rank_of(card: int) -> int:
    """Rank 0..12 (2..A) of a card."""
    return card >> 2


def suit_of(card: int) -> int:
    """Suit 0..3 (c, d, h, s) of a card."""
    return card & 3


def hand_index(a: int, b: int) -> int:
    """Number 0..1325 of the hand with these two different cards, in either order."""
    lo, hi = (a, b) if a < b else (b, a)
    return hi * (hi - 1) // 2 + lo


@cache
def hand_cards() -> UInt8s:
    """The two cards of every hand, low card first: [1326, 2], read-only."""
    hi, lo = np.tril_indices(NUM_CARDS, -1)
    cards = np.stack([lo, hi], axis=1).astype(np.uint8)
    cards.flags.writeable = False
    return cards


@cache
def hand_masks() -> NDArray[np.uint64]:
    """The cards of every hand as a 52-bit set: [1326], read-only."""
    cards = hand_cards().astype(np.uint64)
    one = np.uint64(1)
    masks = (one << cards[:, 0]) | (one << cards[:, 1])
    masks.flags.writeable = False
    return masks
