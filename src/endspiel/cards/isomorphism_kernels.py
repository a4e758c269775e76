"""Kernels of the suit-isomorphic index; ``isomorphism`` explains the numbering and its tables.

`native/core/builds/isomorphism.cpp` does the work; here its arguments are checked.
"""

from ctypes import byref, c_int64
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Ints, UInt8s, UInt64s
from endspiel.cards.deck import NUM_RANKS
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build


class RankSets(NamedTuple):
    """The sets of ranks that one suit may hold, by size and number."""

    binomial: Ints  # [14, 14] C(n, k), zero above the diagonal
    number: NDArray[np.int16]  # [8192] of each set among its size, colexicographic
    first: Ints  # [14] where the sets of each size begin, ...
    ranks: Ints  # [8192] ... by size and number: members, low rank in the low nibble


class RoundTables(NamedTuple):
    """What the kernels need to number the deals of G groups, which fall into F families."""

    groups: Ints  # [G, 2] cards in the group; what one such card adds to a shape's code
    slots: Ints  # [H, 6] hash from codes to a family: key (-1 if empty), offset, strides
    offset: Ints  # [F + 1] first index of each family
    coarse: Ints  # [B + 1] family that holds index b << coarse_shift
    coarse_shift: int
    runs: Ints  # [F, 4, 3] of each sorted suit: code; length and size of the run it begins
    shapes: Ints  # [codes, 2] cards in a suit of the shape; where its arrangements start
    arrangements: Ints  # [A] group of each card of the suit, lowest rank in the low nibble


@cache
def rank_sets() -> RankSets:
    """The tables of all sets of ranks."""
    binomial = np.zeros((NUM_RANKS + 1, NUM_RANKS + 1), dtype=np.int64)
    binomial[:, 0] = 1
    for n in range(1, NUM_RANKS + 1):
        binomial[n, 1:] = binomial[n - 1, 1:] + binomial[n - 1, :-1]
    sets = np.arange(1 << NUM_RANKS)
    sizes = np.bitwise_count(sets)
    order = np.lexsort((sets, sizes))  # by size, then colexicographic
    first = np.searchsorted(sizes[order], np.arange(NUM_RANKS + 1))
    number = np.empty(len(sets), dtype=np.int16)  # small, to stay in the first-level cache
    number[order] = np.arange(len(sets)) - first[sizes[order]]
    ranks = np.zeros(len(sets), dtype=np.int64)
    filled = np.zeros(len(sets), dtype=np.int64)
    for rank in range(NUM_RANKS):
        held = (order >> rank) & 1
        ranks |= held * (rank << (4 * filled))
        filled += held
    return RankSets(binomial, number, first, ranks)


def fill_slots(codes: Ints, entries: Ints, slots: Ints) -> None:
    """Enter each family's codes [F, 4] and entry [F, 5] into the hash [H, 6], all -1 so far."""
    _kernel("fill_slots")(
        pointer(np.ascontiguousarray(codes), np.int64, shape=(-1, 4)),
        pointer(entries, np.int64, shape=(len(codes), 5)),
        c_int64(len(codes)),
        pointer(slots, np.int64, shape=(-1, 6), written=True),
        c_int64(len(slots)),
    )


def index_deals(cards: UInt8s, tables: RoundTables, out: UInt64s) -> int:
    """Index [N] of the first cards of rows [N, n]; returns the first row that is no deal, or -1."""
    found = _kernel("index_deals", c_int64)(
        byref(packed(rank_sets())),
        byref(packed(tables)),
        pointer(cards, np.uint8, shape=(-1, -1)),
        c_int64(len(cards)),
        c_int64(cards.shape[1]),
        pointer(out, np.uint64, shape=(len(cards),), written=True),
    )
    return int(found)


def unindex_deals(indices: UInt64s, tables: RoundTables, out: UInt8s) -> None:
    """Canonical deals [N, n] of indices [N] within range; every group ascending.

    The last of the four sorted suits becomes clubs, then diamonds, hearts, spades.
    """
    num_cards = int(tables.groups[:, 0].sum())
    _kernel("unindex_deals")(
        byref(packed(rank_sets())),
        byref(packed(tables)),
        pointer(indices, np.uint64, shape=(-1,)),
        c_int64(len(indices)),
        pointer(out, np.uint8, shape=(len(indices), num_cards), written=True),
    )


def _kernel(name: str, result: Any = None) -> Any:
    return board_function(name, chosen_build(), result)
