"""What hands may become: equities on the river, and counts of next-round buckets before it.

Equity on the river is against one hand drawn uniformly from the 990 that the board and one's own
cards leave. It is kept in halves, 2 for a win and 1 for a tie: a whole number 0..1980.
`native/core/features.cpp` does the work, without Python's lock. Cards and buckets are not checked;
boards come from ``boards``.
"""

from ctypes import byref, c_int64
from typing import Any

import numpy as np

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.strength_tables import StrengthTables
from endspiel.kernels.arrays import Int32s, Ints, UInt8s, UInt16s
from endspiel.native.boundary import pointer
from endspiel.native.library import function

MAX_HALVES = 1980  # two for each of C(45, 2) opposing hands
NUM_HALVES = MAX_HALVES + 1
DEAD = 0xFFFF  # in place of halves or a bucket, for a hand that the board blocks
NUM_RIVERS = 46  # river cards that a hand on a turn board may see
NUM_TURNS = 47


def equity_bins(num_bins: int) -> UInt8s:
    """Bin of each number of halves, bins of equal width: [1981].

    On a uniformly drawn deal the equity is nearly uniform, so the bins are about equally full too.
    """
    return (np.arange(NUM_HALVES) * num_bins // NUM_HALVES).astype(np.uint8)


def fill_halves(tables: StrengthTables, board: UInt8s, cards: UInt8s, out: UInt16s) -> None:
    """Halves of all hands on a river board [5], into out [1326]; DEAD where they hit it."""
    function("fill_halves")(
        byref(tables.packed),
        pointer(board, np.uint8, shape=(5,), name="the board"),
        _of_hands(cards),
        pointer(out, np.uint16, shape=(NUM_HANDS,), written=True, name="halves"),
    )


def count_rivers(
    tables: StrengthTables,
    turns: UInt8s,  # [B, 4]
    cards: UInt8s,  # [1326, 2]
    bins: UInt8s,  # [1981]
    out: UInt8s,  # [B, 1326, bins] filled
) -> None:
    """How many of its 46 river cards put each hand into each bin of equity."""
    function("count_rivers")(
        byref(tables.packed),
        pointer(turns, np.uint8, shape=(-1, 4), name="turn boards"),
        c_int64(len(turns)),
        _of_hands(cards),
        *_into_bins(bins, out, len(turns)),
    )


def count_flop_rivers(
    tables: StrengthTables,
    flop: UInt8s,  # [3]
    left: UInt8s,  # [49] cards that can come
    bins: UInt8s,  # [1981]
    out: UInt8s,  # [52, 1326, bins] added to
) -> None:
    """Features of a flop's turns, by the turn card: boards are valued once for two of them."""
    function("count_flop_rivers")(
        byref(tables.packed),
        pointer(flop, np.uint8, shape=(3,), name="the flop"),
        pointer(left, np.uint8, name="the cards left"),
        c_int64(len(left)),
        _of_hands(hand_cards()),
        *_into_bins(bins, out, NUM_CARDS),
    )


def count_turns(
    rows: tuple[Int32s, UInt8s],  # [F, 52] turn row and [F, 52] relabeling of each turn card
    hands: tuple[UInt8s, UInt16s],  # [1326, 2] cards, [24, 1326] relabeled hands
    buckets: UInt16s,  # [B, 1326] of the turn
    out: UInt8s,  # [F, 1326, buckets] filled
) -> None:
    """How many of its 47 turn cards put each hand into each bucket of the turn."""
    flops = len(out)
    function("count_turns")(
        pointer(rows[0], np.int32, shape=(flops, NUM_CARDS), name="rows"),
        pointer(rows[1], np.uint8, shape=(flops, NUM_CARDS), name="relabelings"),
        c_int64(flops),
        _of_hands(hands[0]),
        pointer(hands[1], np.uint16, shape=(-1, NUM_HANDS), name="relabeled hands"),
        pointer(buckets, np.uint16, shape=(-1, NUM_HANDS), name="buckets"),
        pointer(out, np.uint8, shape=(flops, NUM_HANDS, -1), written=True, name="counts"),
        c_int64(out.shape[2]),
    )


def count_flops(
    buckets: UInt16s,  # [F, 1326] of the flop
    weight: Ints,  # [F]
    classes: Ints,  # [1326] of starting hands
    out: Ints,  # [classes, buckets] added to
) -> None:
    """How often each class of starting hands falls into each bucket of the flop."""
    function("count_flops")(
        pointer(buckets, np.uint16, shape=(len(weight), NUM_HANDS), name="buckets"),
        pointer(weight, np.int64, name="weights"),
        c_int64(len(weight)),
        pointer(classes, np.int64, shape=(NUM_HANDS,), name="classes"),
        pointer(out, np.int64, shape=(-1, -1), written=True, name="counts"),
        c_int64(out.shape[1]),
    )


def count_halves(
    tables: StrengthTables,
    boards: tuple[UInt8s, Ints],  # [B, 4] turn boards, [B] weights
    cards: UInt8s,  # [1326, 2]
    buckets: UInt16s,  # [B, 1326] of the turn
    out: Ints,  # [buckets, 1981] added to
) -> None:
    """How often hands of each bucket of the turn end with each number of halves."""
    turns, weight = boards
    function("count_river_halves")(
        byref(tables.packed),
        pointer(turns, np.uint8, shape=(len(weight), 4), name="turn boards"),
        pointer(weight, np.int64, name="weights"),
        c_int64(len(weight)),
        _of_hands(cards),
        pointer(buckets, np.uint16, shape=(len(weight), NUM_HANDS), name="buckets"),
        pointer(out, np.int64, shape=(-1, NUM_HALVES), written=True, name="counts"),
        c_int64(NUM_HALVES),
    )


def _of_hands(cards: UInt8s) -> Any:
    return pointer(cards, np.uint8, shape=(NUM_HANDS, 2), name="the cards of hands")


def _into_bins(bins: UInt8s, out: UInt8s, boards: int) -> tuple[Any, ...]:
    """Bins of equity, and counts of boards by bin."""
    return (
        pointer(bins, np.uint8, shape=(NUM_HALVES,), name="bins"),
        pointer(out, np.uint8, shape=(boards, NUM_HANDS, -1), written=True, name="counts"),
        c_int64(out.shape[2]),
    )
