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

import ctypes
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
_MULTISETS = {5: 6175, 6: 18395, 7: 49205}  # of ranks, at most four of each


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
    counts = _rank_counts(num_cards)
    values = _rank_values(counts)
    strengths = (np.searchsorted(classes().values, values) + 1).astype(np.uint16)
    numbers = counts.astype(np.uint64) @ _rank_numbers()

    row_bits, slot_bits = _ROW_BITS[num_cards], _SLOT_BITS[num_cards]
    offsets, taken = _displace(numbers, num_cards)
    slots = np.zeros(1 << slot_bits, np.uint16)
    slots[taken] = strengths
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
    plain = _rank_values(_rank_counts(5))
    flushes = _flush_values(np.flatnonzero(_set_sizes() == 5))
    values = np.sort(np.concatenate([plain, flushes]))
    categories = np.zeros(NUM_CLASSES + 1, np.uint8)
    categories[1:] = values >> 20
    return Classes(values, categories)


def _flush_strengths() -> NDArray[np.uint16]:
    """Strength of a flush by its set of ranks: [8192], 0 for fewer than five ranks."""
    table = np.zeros(1 << NUM_RANKS, np.uint16)
    sets = np.flatnonzero(_set_sizes() >= 5)
    table[sets] = np.searchsorted(classes().values, _flush_values(sets)) + 1
    return table


def _set_sizes() -> NDArray[np.uint8]:
    """How many ranks each set of ranks has: [8192]."""
    sizes: NDArray[np.uint8] = np.bitwise_count(np.arange(1 << NUM_RANKS))
    return sizes


def _rank_numbers() -> NDArray[np.uint64]:
    """Base-5 place value of every rank: [13]."""
    return np.uint64(5) ** np.arange(NUM_RANKS, dtype=np.uint64)


def _card_keys(factor: int) -> NDArray[np.uint64]:
    """Key of every card: stirred rank number, and one in the suit's counter: [52]."""
    ranks = [int(number) * factor % (1 << 32) for number in _rank_numbers()]
    cards = range(NUM_CARDS)
    keys = [ranks[rank_of(card)] + (1 << (40 + 4 * suit_of(card))) for card in cards]
    return np.array(keys, np.uint64)


def _rank_counts(num_cards: int) -> NDArray[np.uint8]:
    """How often each rank occurs, for every multiset of ranks a hand can have: [M, 13]."""
    counts = np.empty((_MULTISETS[num_cards], NUM_RANKS), np.uint8)
    found = function("rank_counts", ctypes.c_int64)(
        ctypes.c_int64(num_cards),
        pointer(counts, np.uint8, written=True),
        ctypes.c_int64(len(counts)),
    )
    assert found == len(counts)
    return counts


def _displace(
    numbers: NDArray[np.uint64], num_cards: int
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Perfect hash of these numbers: offset of each row, slot of each number."""
    row_bits, slot_bits = _ROW_BITS[num_cards], _SLOT_BITS[num_cards]
    hashes = (numbers * np.uint64(_FACTORS[num_cards])) & np.uint64(0xFFFFFFFF)
    rows = (hashes >> np.uint64(32 - row_bits)).astype(np.int64)
    columns = (hashes & np.uint64((1 << slot_bits) - 1)).astype(np.int64)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange((1 << row_bits) + 1))
    largest_first = np.argsort(-np.diff(starts), kind="stable")
    offsets = np.zeros(1 << row_bits, np.uint16)
    placed = _place(starts, columns[order], largest_first, offsets, 1 << slot_bits)
    assert placed, "the factor parts all numbers"
    return offsets, (columns + offsets[rows]) & ((1 << slot_bits) - 1)


def _place(
    starts: NDArray[np.int64],  # [rows + 1] where each row's columns begin
    columns: NDArray[np.int64],  # [M] grouped by row
    row_order: NDArray[np.int64],  # [rows] the order of placing
    offsets: NDArray[np.uint16],  # [rows] filled
    num_slots: int,
) -> bool:
    """Give each row the first offset at which all its columns fall on free slots."""
    placed = function("place_rows", ctypes.c_int)(
        pointer(starts, np.int64),
        pointer(columns, np.int64),
        pointer(row_order, np.int64),
        ctypes.c_int64(len(row_order)),
        pointer(offsets, np.uint16, written=True),
        ctypes.c_int64(num_slots),
    )
    return bool(placed)


def _rank_values(counts: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Value of the best five cards of each multiset of ranks [M, 13], flushes aside: [M]."""
    values = np.empty(len(counts), np.int64)
    function("rank_values")(
        pointer(counts, np.uint8), ctypes.c_int64(len(counts)), pointer(values, np.int64)
    )
    return values


def _flush_values(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Value of each set of five or more ranks of one suit: [M]."""
    values = np.empty(len(sets), np.int64)
    function("flush_values")(
        pointer(sets, np.int64), ctypes.c_int64(len(sets)), pointer(values, np.int64)
    )
    return values
