"""The tables of many boards, filled board by board: see `tables`.

`native/core/batch_tables.cpp` does the work, without Python's lock; here its arguments are checked.
"""

from ctypes import byref, c_double, c_int64
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import UInt32s
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength_tables import StrengthTables
from endspiel.kernels.arrays import Float32s, Int16s, Int32s, Ints, UInt8s, UInt16s
from endspiel.kernels.lanes import LANES
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import function

ABSENT = 0xFFFF  # a place that a hand does not have


class Slots(NamedTuple):
    """A geometry in numbers: see `tables.Geometry`."""

    cards: int
    spill: int
    main: Ints  # [W + 1] slot of each rank of the main list
    place: Ints  # [W] where the hand of each rank lies in a row


class Filled(NamedTuple):
    """What is filled in: the arrays of `tables.StreetTables`."""

    hand: Int16s  # [2, B, W]
    scatter: UInt16s  # [2, B, 3, W]
    gather: UInt16s  # [2, B, 8, W]
    same: UInt16s  # [2, B, W]
    end: UInt16s  # [2, B]
    lists: UInt32s  # [2, B, C]


class Dealt(NamedTuple):
    """The boards, and who can hold what on them."""

    cards: UInt8s  # [B, n]
    held: UInt8s  # [2, B, 1326] whether a player holds a hand
    last: bool  # whether strengths count


class BoardLinks(NamedTuple):
    """Boards and their images below other boards, all in order."""

    parent: Ints  # [B] board above
    child: Ints  # [I] board that each image is an image of
    relabeling: Ints  # [I] of suits, by number
    uppers: int  # boards above
    width: int  # W, of the boards' rows
    upper_width: int


def fill_tables(
    strengths: StrengthTables,
    dealt: Dealt,
    order: Ints,  # [1326] hands as they follow each other among equals
    shape: Slots,
    out: Filled,
    span: tuple[int, int],
) -> None:
    """Fill in the tables of boards from one to another."""
    boards, width = len(dealt.cards), len(shape.place)
    shapes = [(width,), (3, width), (8, width), (width,), (), (shape.cards,)]
    arrays: tuple[NDArray[Any], ...] = tuple(out)
    for name, array, own in zip(Filled._fields, arrays, shapes, strict=True):
        expected = (2, boards, *own)
        if array.shape != expected:
            raise TypeError(f"{name} has shape {array.shape}, where {expected} is expected")
    if dealt.held.shape != (2, boards, NUM_HANDS) or len(shape.main) != width + 1:
        raise TypeError(f"hands of shape {dealt.held.shape} are not those of {boards} boards")
    if not 0 <= span[0] <= span[1] <= boards:
        raise IndexError(f"there are no boards {span[0]} to {span[1]}, but {boards}")
    function("fill_tables")(
        byref(packed(strengths)),
        byref(packed(dealt)),
        pointer(order, np.int64, shape=(NUM_HANDS,)),
        pointer(hand_cards(), np.uint8),
        byref(packed(shape)),
        byref(packed(out, written=True)),
        *map(c_int64, span),
    )


def most_held(dealt: Dealt) -> tuple[int, int]:
    """The most hands that a player holds on a board, and slots that their card lists take."""
    most = np.zeros(2, np.int64)
    if dealt.held.shape != (2, len(dealt.cards), NUM_HANDS):
        raise TypeError(f"hands of shape {dealt.held.shape} are not those of the boards")
    function("most_held")(
        byref(packed(dealt)),
        pointer(most, np.int64, written=True),
    )
    return int(most[0]), int(most[1])


def fill_links(
    hands: tuple[Int16s, Int16s],  # [2, B, W], [2, boards above, W above]
    links: BoardLinks,
    permutations: UInt16s,  # [24, 1326]
    out: tuple[UInt16s, UInt16s],  # [2, B, W] places above, [2, I, W above] places on the images
) -> None:
    """Where the hands of boards lie on the boards above, and the other way round.

    Both are given full of ABSENT.
    """
    boards, images = len(links.parent), len(links.child)
    own, above = (2, boards, links.width), (2, links.uppers, links.upper_width)
    function("fill_links")(
        byref(packed(links)),
        pointer(hands[0], np.int16, shape=own),
        pointer(hands[1], np.int16, shape=above),
        pointer(permutations, np.uint16, shape=(-1, NUM_HANDS)),
        pointer(out[0], np.uint16, shape=own, written=True),
        pointer(out[1], np.uint16, shape=(2, images, links.upper_width), written=True),
    )


def pack_tables(
    tables: tuple[UInt16s, UInt16s, UInt16s],  # scatter, gather, same
    size: int,  # bytes of a slot
    out: UInt16s,  # [1 or 2 halves, B, 3, threads, 8]
    span: tuple[int, int],
) -> None:
    """Tables of some boards as kernels read them, two hands a thread; slots counted in bytes."""
    halves, boards, _, threads, _ = out.shape
    if not (halves in (1, 2) and 0 <= span[0] <= span[1] <= boards):
        raise IndexError(f"there are no boards {span[0]} to {span[1]}, but {boards}")
    scatter, gather, same = tables
    width = 2 * threads
    function("pack_tables")(
        pointer(scatter, np.uint16, shape=(2, boards, 3, width)),
        pointer(gather, np.uint16, shape=(2, boards, 8, width)),
        pointer(same, np.uint16, shape=(2, boards, width)),
        *map(c_int64, (boards, threads, size, halves)),
        pointer(out, np.uint16, shape=(halves, boards, 3, threads, 8), written=True),
        *map(c_int64, span),
    )


def fill_averages(
    kept: Float32s,  # [B, all rows, W]
    hands: Int16s,  # [B, W]
    side: tuple[Ints, Int32s],  # [B + 1] first tile, [tiles * 16] hand
    how: tuple[int, float],  # first row, factor
    out: Float32s,  # [tiles, rows, 16]
) -> None:
    """Averages of boards by place, as rows of sixteen hands, times a factor."""
    boards, all_rows, width = kept.shape
    start, lanes = side
    first, factor = how
    tiles, rows, _ = out.shape
    tiles_held = min(tiles, len(lanes) // LANES)
    if first < 0 or first + rows > all_rows or start[-1] > tiles_held:
        raise IndexError(f"{rows} rows from {first} on, or tiles to {start[-1]}, are not there")
    function("fill_averages")(
        pointer(kept, np.float32),
        c_int64(all_rows),
        pointer(hands, np.int16, shape=(boards, width)),
        c_int64(boards),
        c_int64(width),
        pointer(start, np.int64, shape=(boards + 1,)),
        pointer(lanes, np.int32, shape=(-1,)),
        c_int64(first),
        c_double(factor),
        pointer(out, np.float32, shape=(tiles, rows, LANES), written=True),
        c_int64(rows),
    )
