"""Strength of five, six and seven cards, singly, in batches, and for all hands on a board.

A strength is a number 1..7462, higher is better, and equal strengths tie; 0 marks a hand that
cannot be held. The front functions check what they are given, the jitted ones do not.

From a kernel of `endspiel.jit`, pass the tables as an argument and call the jitted
functions below:

    tables = strength_tables(7)                 # outside: board cards + 2 is the hand size
    fill_board_strengths(tables, board, out)    # inside: board uint8 [3..5], out uint16 [1326]
    cards_strength(tables, cards)               # inside: cards uint8 [5..7], as many as the tables'
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_tables import (
    FLUSH_BITS,
    KEY_START,
    NUM_CLASSES,
    StrengthTables,
    classes,
    strength_tables,
)
from endspiel.cards.text import format_card
from endspiel.errors import CardError
from endspiel.jit import njit

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

_LOW_32 = np.uint64(0xFFFFFFFF)
_SUIT_COUNTERS = np.uint64(40)  # first bit of the suit counters in a key

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]


def strength(cards: Sequence[int]) -> int:
    """Strength 1..7462 of the best five among 5, 6 or 7 cards."""
    hand = checked_cards(cards, "the hand")
    if len(hand) not in (5, 6, 7):
        raise CardError(f"a hand with a strength has 5, 6 or 7 cards, this one has {len(hand)}")
    return int(cards_strength(strength_tables(len(hand)), hand))


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
    if not 1 <= hand_strength <= NUM_CLASSES:
        raise CardError(f"a hand's strength lies in 1..{NUM_CLASSES}, not {hand_strength}")
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
    if batch.ndim != 2 or batch.shape[1] not in (5, 6, 7):
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


@njit(cache=True)
def _first_repeat(batch: UInt8s) -> int:
    """First row that holds a card twice, -1 where none does."""
    num_cards = batch.shape[1]
    for row in range(len(batch)):
        seen = np.uint64(0)
        for at in range(num_cards):
            seen |= np.uint64(1) << np.uint64(batch[row, at])
        count = 0
        while seen:
            seen &= seen - np.uint64(1)
            count += 1
        if count < num_cards:
            return row
    return -1


@njit(cache=True)
def fill_strengths(tables: StrengthTables, cards: UInt8s, out: UInt16s) -> None:
    """Strength of every hand of a batch [N, n], into out [N]; nothing is checked."""
    if cards.shape[1] == 7:  # written out: the loop over cards costs more than the lookups
        keys = tables.keys
        for i in range(len(cards)):
            key = (
                (keys[cards[i, 0]] + keys[cards[i, 1]])
                + (keys[cards[i, 2]] + keys[cards[i, 3]])
                + (keys[cards[i, 4]] + keys[cards[i, 5]])
                + (keys[cards[i, 6]] + KEY_START)
            )
            if key & FLUSH_BITS:
                out[i] = _flush_strength(tables, key, cards[i])
            else:
                out[i] = _plain_strength(tables, key)
    else:
        for i in range(len(cards)):
            out[i] = cards_strength(tables, cards[i])


@njit(cache=True)
def cards_strength(tables: StrengthTables, cards: UInt8s) -> int:
    """Strength of one hand, as many cards as the tables are for; nothing is checked."""
    key = KEY_START
    for card in cards:
        key += tables.keys[card]
    if key & FLUSH_BITS:
        return _flush_strength(tables, key, cards)
    return _plain_strength(tables, key)


@njit(cache=True)
def _plain_strength(tables: StrengthTables, key: np.uint64) -> int:
    """Strength of a hand without a flush, by its ranks alone."""
    ranks = key & _LOW_32
    offset = np.uint64(tables.offsets[ranks >> tables.row_shift])
    return int(tables.slots[(ranks + offset) & tables.slot_mask])


@njit(cache=True)
def _flush_strength(tables: StrengthTables, key: np.uint64, cards: UInt8s) -> int:
    """Strength of a hand whose key shows a flush."""
    counters = (key & FLUSH_BITS) >> _SUIT_COUNTERS
    suit = 0
    while counters > np.uint64(8):
        counters >>= np.uint64(4)
        suit += 1
    ranks = 0
    for card in cards:
        if card & 3 == suit:
            ranks |= 1 << (card >> 2)
    return int(tables.flush[ranks])


@njit(cache=True)
def fill_board_strengths(tables: StrengthTables, board: UInt8s, out: UInt16s) -> None:
    """Strength of all hands on a board, into out [1326], 0 where they hit it; nothing is checked.

    Flushes aside, a hand's strength depends on its two ranks only: 91 lookups serve all hands.
    """
    key = np.uint64(0)
    suit_counts = np.zeros(4, np.int64)
    for card in board:
        key += tables.keys[card]
        suit_counts[card & 3] += 1
    by_ranks = np.empty((13, 52), np.uint16)  # [rank of high card, low card]
    for high in range(13):
        high_key = key + tables.keys[4 * high]
        for low in range(high + 1):
            strength = _plain_strength(tables, high_key + tables.keys[4 * low])
            for card in range(4 * low, 4 * low + 4):
                by_ranks[high, card] = strength
    first = 0
    for high in range(52):
        for low in range(high):  # slices would take seconds to compile
            out[first + low] = by_ranks[high >> 2, low]
        first += high
    for suit in range(4):
        if suit_counts[suit] >= 3:
            _raise_flushes(tables, board, suit, out)
    for card in board:
        _drop_card(int(card), out)


@njit(cache=True)
def _raise_flushes(tables: StrengthTables, board: UInt8s, suit: int, out: UInt16s) -> None:
    """Replace the strength of every hand that makes a flush with this board in this suit."""
    of_board = 0
    for card in board:
        if card & 3 == suit:
            of_board |= 1 << (card >> 2)
    ranks = np.zeros(52, np.uint16)  # the rank a card adds to the suit, as a set
    for rank in range(13):
        ranks[4 * rank + suit] = 1 << rank
    first = 0
    for high in range(52):
        held = of_board | ranks[high]
        for low in range(high):
            # the flush table has 0 for fewer than five ranks, and a flush beats whatever else
            # the same cards make
            out[first + low] = max(out[first + low], tables.flush[held | ranks[low]])
        first += high


@njit(cache=True)
def _drop_card(card: int, out: UInt16s) -> None:
    """Set the strength of the 51 hands with this card to 0."""
    first = card * (card - 1) // 2
    for low in range(card):
        out[first + low] = 0
    for high in range(card + 1, 52):
        out[high * (high - 1) // 2 + card] = 0
