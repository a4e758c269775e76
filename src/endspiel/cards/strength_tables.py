"""Lookup tables behind hand strength: built once per hand size at first use, a few milliseconds.

Every card has a 64-bit key, and a hand's key is the sum of its cards' keys:

- bits 0..31 add up the ranks. Write the ranks of a hand as a number in base 5 whose digit ``r``
  counts the cards of rank ``r``: two hands share that number only if they share their ranks. The
  number (below 5**13 < 2**32) is multiplied by an odd constant modulo 2**32, which keeps it unique
  and stirs its bits, and since multiplication distributes over the sum, the keys come multiplied.
- bits 40..55 are four counters of 4 bits, one per suit, that start at 3: a counter's top bit is
  set exactly when five cards or more share its suit.

A flush is looked up by the 13-bit set of its ranks. (Among seven cards, five of one suit leave
room neither for a full house nor for four of a kind, so no other hand can beat it.) Every other
hand is looked up by the rank sum in a perfect hash: its top bits choose a row, its low bits plus
the row's offset choose the slot, and offsets are chosen so that no two hands meet.
"""

from ctypes import c_int, c_int64
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, rank_of, suit_of
from endspiel.native.boundary import PackedOnce, pointer
from endspiel.native.library import function

NUM_CLASSES = 7462  # different strengths of five cards
_SLOT_BITS = {5: 13, 6: 15, 7: 16}  # about three quarters full
_ROW_BITS = {5: 10, 6: 12, 7: 13}
_FACTORS = {5: 383483663, 6: 2735729615, 7: 2735729615}  # odd, drawn until all numbers are parted


class StrengthFields(NamedTuple):
    """The arrays and numbers of `StrengthTables`."""

    keys: NDArray[np.uint64]  # [52] what each card adds to a hand's key
    flush: NDArray[np.uint16]  # [8192] strength by set of ranks of one suit, 0 for fewer than five
    offsets: NDArray[np.uint16]  # [rows] displacement of each row of the hash
    slots: NDArray[np.uint16]  # [slots] strength of the hands without a flush
    row_shift: np.uint64  # rank sum >> row_shift is the row
    slot_mask: np.uint64  # (rank sum + offset) & slot_mask is the slot


class StrengthTables(StrengthFields, PackedOnce):
    """All that evaluating hands of one size needs."""


class Classes(NamedTuple):
    """The order of five-card hands: strength k is the k-th smallest value."""

    values: NDArray[np.int64]  # [7462] ascending
    categories: NDArray[np.uint8]  # [7463] category of each strength; entry 0 is unused


@cache
def strength_tables(num_cards: int) -> StrengthTables:
    """Tables for hands of 5, 6 or 7 cards."""
    row_bits, slot_bits = _ROW_BITS[num_cards], _SLOT_BITS[num_cards]
    offsets = np.zeros(1 << row_bits, np.uint16)
    slots = np.zeros(1 << slot_bits, np.uint16)
    placed = function("plain_strengths", c_int)(
        *map(c_int64, (num_cards, _FACTORS[num_cards], row_bits, slot_bits)),
        pointer(classes().values, np.int64),
        pointer(offsets, np.uint16, written=True),
        pointer(slots, np.uint16, written=True),
    )
    assert placed, "the factor parts all numbers"
    return StrengthTables(
        keys=_card_keys(_FACTORS[num_cards]),
        flush=_flush_strengths(),
        offsets=offsets,
        slots=slots,
        row_shift=np.uint64(32 - row_bits),
        slot_mask=np.uint64((1 << slot_bits) - 1),
    )


@cache
def classes() -> Classes:
    """Every five-card hand up to suits, in order of value."""
    values = np.empty(NUM_CLASSES, np.int64)
    function("class_values")(pointer(values, np.int64, written=True))
    categories = np.zeros(NUM_CLASSES + 1, np.uint8)
    categories[1:] = values >> 20
    return Classes(values, categories)


def _flush_strengths() -> NDArray[np.uint16]:
    """Strength of a flush by its set of ranks: [8192], 0 for fewer than five ranks."""
    table = np.empty(1 << NUM_RANKS, np.uint16)
    function("flush_strengths")(
        pointer(classes().values, np.int64), pointer(table, np.uint16, written=True)
    )
    return table


def _card_keys(factor: int) -> NDArray[np.uint64]:
    """Key of every card: stirred rank number, and one in the suit's counter: [52]."""
    ranks = [5**rank * factor % (1 << 32) for rank in range(NUM_RANKS)]
    cards = range(NUM_CARDS)
    keys = [ranks[rank_of(card)] + (1 << (40 + 4 * suit_of(card))) for card in cards]
    return np.array(keys, np.uint64)
