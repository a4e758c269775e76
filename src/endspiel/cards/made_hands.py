"""Kinds of hands on a board, in a player's words: what a hand has made, and what it draws to.

A hand counts for what its own two cards add: a pair on the board is no pair of the hand. From a
straight up the best five of all cards count, whether or not a card of the hand is among them.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS, NUM_RANKS, NUM_SUITS, hand_cards
from endspiel.cards.live import live_mask
from endspiel.cards.strength import CATEGORIES, board_strengths, categories, checked_board
from endspiel.errors import CardError

Bools = NDArray[np.bool_]
UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]

MADE: Final = (  # the strongest first
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "set",  # a pair in the hand, the third card on the board
    "trips",  # a card of the hand, its pair on the board
    "two pair",  # both cards of the hand pair the board
    "overpair",
    "top pair",
    "underpair",  # a pair in the hand, below the board's highest card
    "second pair",
    "low pair",
    "ace high",
    "no pair",
)
DRAWS: Final = (
    "flush draw",
    "open-ended",  # two ranks complete a straight, at its ends or within it
    "gutshot",  # one rank does
    "backdoor flush",
    "backdoor straight",
)
NO_DRAW: Final = "no draw"
_STRAIGHT: Final = CATEGORIES.index("straight")
_FLUSH: Final = CATEGORIES.index("flush")


def made_hands(board: Sequence[int]) -> UInt8s:
    """Position in `MADE` of every hand on a board of 3, 4 or 5 cards: [1326].

    Hands that the board makes impossible have the position ``len(MADE)``.
    """
    cards = _checked(board)
    made = _own_pairs(cards)
    kinds = _categories(cards)
    strong = kinds >= _STRAIGHT
    made[strong] = len(CATEGORIES) - 1 - kinds[strong]
    made[~live_mask(cards)] = len(MADE)
    return made


def draws(board: Sequence[int]) -> Bools:
    """Which hands have each draw of `DRAWS`, on a board of 3, 4 or 5 cards: [5, 1326].

    A draw needs a card of the hand. A river has none, and backdoor draws are of flops.
    """
    cards = _checked(board)
    found = np.zeros((len(DRAWS), NUM_HANDS), bool)
    if len(cards) == 5:
        return found
    kinds = _categories(cards)
    found[0] = _suited(cards, 4) & (kinds < _FLUSH)
    outs = _straight_cards(cards) * (kinds < _STRAIGHT)
    found[1], found[2] = outs >= 2, outs == 1
    if len(cards) == 3:
        found[3] = _suited(cards, 3)
        found[4] = _two_card_straights(cards) & (kinds < _STRAIGHT) & (outs == 0)
    found[:, ~live_mask(cards)] = False
    return found


def _checked(board: Sequence[int]) -> list[int]:
    cards: list[int] = checked_board(board).tolist()
    if not cards:
        raise CardError("hands have kinds on a board of 3, 4 or 5 cards, this one has none")
    return cards


def _categories(board: list[int]) -> UInt8s:
    """Category of the best five cards of every hand [1326]; 0 of hands that cannot be held."""
    strengths = board_strengths(board)
    return np.where(strengths > 0, categories(np.maximum(strengths, 1)), 0).astype(np.uint8)


def _own_pairs(board: list[int]) -> UInt8s:
    """The kind of every hand [1326] by its own pairs alone."""
    ranks = hand_cards() >> 2  # [1326, 2], the low one first
    on_board = np.bincount(np.array(board) >> 2, minlength=NUM_RANKS)
    places = np.full(NUM_RANKS, len(board))  # of a rank among the board's, the highest is 0
    found = np.flatnonzero(on_board)[::-1]
    places[found] = np.arange(len(found))
    met, place = on_board[ranks], places[ranks]
    pocket = ranks[:, 0] == ranks[:, 1]
    one_pair = np.array([MADE.index(name) for name in ("top pair", "second pair", "low pair")])
    made = np.full(NUM_HANDS, MADE.index("no pair"), np.uint8)
    made[(ranks == NUM_RANKS - 1).any(axis=1)] = MADE.index("ace high")
    paired = ~pocket & (met > 0).any(axis=1)
    made[paired] = one_pair[np.minimum(place[paired].min(axis=1), 2)]
    made[pocket] = MADE.index("underpair")
    made[pocket & (ranks[:, 0] > max(found))] = MADE.index("overpair")
    made[~pocket & (met > 0).all(axis=1)] = MADE.index("two pair")
    made[~pocket & (met > 1).any(axis=1)] = MADE.index("trips")
    made[pocket & (met[:, 0] > 0)] = MADE.index("set")
    return made


def _suited(board: list[int], wanted: int) -> Bools:
    """Hands that make as many cards of a suit as wanted with the board, one their own: [1326]."""
    suits = hand_cards() & 3
    on_board = np.bincount(np.array(board) & 3, minlength=NUM_SUITS)
    own = np.stack([(suits == suit).sum(axis=1) for suit in range(NUM_SUITS)])
    found: Bools = ((own > 0) & (own + on_board[:, None] == wanted)).any(axis=0)
    return found


def _rank_sets(cards: NDArray[np.integer]) -> UInt16s:
    """The ranks among cards [..., n] as sets of 13 bits: [...]."""
    bits = np.uint16(1) << (cards >> 2).astype(np.uint16)
    sets: UInt16s = np.bitwise_or.reduce(bits, axis=-1)
    return sets


@cache
def _best_straights() -> UInt8s:
    """The highest straight in each set of ranks [8192]: 1 to the five, 10 to the ace, 0 none."""
    sets = np.arange(1 << NUM_RANKS)
    wheel = sets << 1 | sets >> (NUM_RANKS - 1)  # the ace below the two as well
    best = np.zeros(len(sets), np.uint8)
    for low in range(10):
        best[wheel >> low & 31 == 31] = low + 1
    best.flags.writeable = False
    return best


def _improved(board: list[int], more: Sequence[int]) -> Bools:
    """Which sets of `_held` have a higher straight than the board once some ranks come: [91]."""
    table = np.uint16(_rank_sets(np.array(board)) | sum(1 << rank for rank in more))
    best: UInt8s = _best_straights()
    found: Bools = best[_held()[0] | table] > best[table]
    return found


@cache
def _held() -> tuple[UInt16s, NDArray[np.int64]]:
    """The 91 sets of ranks that hands have, and the place of each hand's own: [91], [1326]."""
    sets, places = np.unique(_rank_sets(hand_cards()), return_inverse=True)
    return sets, places.reshape(NUM_HANDS)


def _straight_cards(board: list[int]) -> NDArray[np.int64]:
    """How many ranks would give each hand a straight of its own: [1326]."""
    found = np.sum([_improved(board, [rank]) for rank in range(NUM_RANKS)], axis=0)
    cards: NDArray[np.int64] = found[_held()[1]]
    return cards


def _two_card_straights(board: list[int]) -> Bools:
    """Hands that two more cards could give a straight of their own: [1326]."""
    pairs = combinations(range(NUM_RANKS), 2)
    found: Bools = np.any([_improved(board, pair) for pair in pairs], axis=0)
    return found[_held()[1]]
