"""Strength of five, six and seven cards, singly, in batches, and for all hands on a board.

A strength is a number 1..7462, higher is better, and equal strengths tie; 0 marks a hand that
cannot be held.
"""

from collections.abc import Callable, Sequence
from ctypes import byref, c_int, c_int64
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from endspiel.arrays import UInt8s, UInt16s
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_tables import (
    NUM_STRENGTHS,
    StrengthTables,
    classes,
    strength_tables,
)
from endspiel.cards.text import format_card
from endspiel.errors import CardError
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import function

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)

_HAND_SIZES = (5, 6, 7)


class Evaluator(NamedTuple):
    """What evaluating hands one at a time needs."""

    tables: StrengthTables
    num_cards: int


def strength(cards: Sequence[int]) -> int:
    """Strength 1..7462 of the best five among 5, 6 or 7 cards."""
    try:
        count, hand = len(cards), bytes(cards)
        found = _evaluator(count)(hand) if len(hand) == count else 0
    except (TypeError, ValueError):
        found = 0
    return found or _strength_with_reasons(cards)


def _strength_with_reasons(cards: Sequence[int]) -> int:
    """Strength of a hand that is no list of small integers, or the reason why it has none."""
    hand = checked_cards(cards, "the hand")
    if len(hand) not in _HAND_SIZES:
        raise CardError(f"a hand with a strength has 5, 6 or 7 cards, this one has {len(hand)}")
    return int(strengths(hand[None])[0])


@cache
def _evaluator(num_cards: int) -> Callable[[bytes], int]:
    """The strength of cards that lie in bytes, 0 where they are no hand; 0.2 microseconds a call.

    Arrays would cost ten times as much, so bytes are passed as they are.
    """
    if num_cards not in _HAND_SIZES:
        raise ValueError
    held = packed(Evaluator(strength_tables(num_cards), num_cards))
    return partial(function("checked_strength", c_int), byref(held))


def strengths(cards: ArrayLike) -> UInt16s:
    """Strength of every row of a batch of hands [N, n], n = 5, 6 or 7: [N]."""
    batch = _checked_batch(cards)
    out = np.empty(len(batch), np.uint16)
    fill_strengths(strength_tables(batch.shape[1]), batch, out)
    return out


def board_strengths(board: Sequence[int]) -> UInt16s:
    """Strength of all hands on a board of 3, 4 or 5 cards: [1326], 0 where the board has a card."""
    cards = checked_board(board)
    if len(cards) < 3:
        raise CardError(f"a board with strengths has 3, 4 or 5 cards, this one has {len(cards)}")
    out = np.empty(NUM_HANDS, np.uint16)
    fill_board_strengths(strength_tables(len(cards) + 2), cards, out)
    return out


def category(hand_strength: int) -> str:
    """Name of the kind of hand, from ``high card`` to ``straight flush``."""
    if not 1 <= hand_strength <= NUM_STRENGTHS:
        raise CardError(f"a hand's strength lies in 1..{NUM_STRENGTHS}, not {hand_strength}")
    return CATEGORIES[classes().categories[hand_strength]]


def categories(hand_strengths: UInt16s) -> UInt8s:
    """Positions in ``CATEGORIES`` of many strengths 1..7462, same shape."""
    return classes().categories[hand_strengths]


def checked_board(board: Sequence[int]) -> UInt8s:
    """A board of 0, 3, 4 or 5 different cards as an array, or the reason why it is none."""
    if len(board) not in (0, 3, 4, 5):
        raise CardError(f"a board has 0, 3, 4 or 5 cards, this one has {len(board)}")
    return checked_cards(board, "the board")


def checked_cards(cards: Sequence[int], place: str) -> UInt8s:
    """Different cards as an array, or the reason why they are none, naming the place."""
    numbers: list[int] = []
    for at, card in enumerate(cards):
        if not isinstance(card, int | np.integer):
            raise CardError(f"card {card!r} at position {at + 1} of {place} is not a number 0..51")
        if not 0 <= card < NUM_CARDS:
            raise CardError(f"card {card} at position {at + 1} of {place} is not in 0..51")
        if card in numbers:
            raise CardError(f"card {format_card(card)} at position {at + 1} of {place} is repeated")
        numbers.append(int(card))
    return np.array(numbers, np.uint8)


def _checked_batch(cards: ArrayLike) -> UInt8s:
    """Hands as a contiguous uint8 array [N, n], or the reason why they are none."""
    try:
        batch = np.asarray(cards)
    except ValueError:
        raise CardError("hands of a batch must all have the same number of cards") from None
    if batch.ndim != 2 or batch.shape[1] not in _HAND_SIZES:
        raise CardError(f"hands must be an array [N, 5], [N, 6] or [N, 7], not {batch.shape}")
    if batch.size and batch.dtype.kind not in "iu":
        raise CardError(f"cards must be integers 0..51, not {batch.dtype}")
    if batch.size and not 0 <= int(batch.min()) <= int(batch.max()) < NUM_CARDS:
        row = int(np.flatnonzero(((batch < 0) | (batch >= NUM_CARDS)).any(axis=1))[0])
        checked_cards(batch[row].tolist(), f"hand {row + 1}")
    narrow = np.ascontiguousarray(batch, np.uint8)
    row = _first_repeat(narrow)
    if row >= 0:
        checked_cards(narrow[row].tolist(), f"hand {row + 1}")
    return narrow


def _first_repeat(batch: UInt8s) -> int:
    """First row that holds a card twice, -1 where none does."""
    first = function("first_repeat", c_int64)(
        pointer(batch, np.uint8), c_int64(len(batch)), c_int64(batch.shape[1])
    )
    return int(first)


def fill_strengths(tables: StrengthTables, cards: UInt8s, out: UInt16s) -> None:
    """Strength of every hand of a batch [N, n], into out [N]; the cards are not checked."""
    if out.shape != (len(cards),):
        raise TypeError(f"strengths of {len(cards)} hands do not fit into shape {out.shape}")
    function("hand_strengths")(
        byref(tables.packed),
        pointer(cards, np.uint8),
        c_int64(len(cards)),
        c_int64(cards.shape[1]),
        pointer(out, np.uint16, written=True),
    )


def fill_board_strengths(tables: StrengthTables, board: UInt8s, out: UInt16s) -> None:
    """Strength of all hands on a board, into out [1326], 0 where they hit it."""
    if out.shape != (NUM_HANDS,):
        raise TypeError(f"strengths of {NUM_HANDS} hands do not fit into shape {out.shape}")
    function("board_strengths")(
        byref(tables.packed),
        pointer(board, np.uint8),
        c_int64(len(board)),
        pointer(out, np.uint16, written=True),
    )
