"""Kernels of many flops at once: ranges by bucket, values of buckets by hand, players all in.

`native/core/builds/flops.cpp` does the work, without Python's lock; here its arguments are checked.
"""

from ctypes import byref, c_double, c_int64
from typing import Any, NamedTuple

import numpy as np

from endspiel.cards.deck import NUM_HANDS
from endspiel.kernels.arrays import Float32s, Int16s
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build

RUN_OUTS = 990  # of a flop that two hands leave
FAINT = 1e-5  # reach beside the greatest that is left out where players are all in


class NearBuckets(NamedTuple):
    """The buckets that hands stand in, on some flops."""

    buckets: Int16s  # [F, 1326, near]
    shares: Float32s  # [F, 1326, near] of each hand in these buckets
    near: int  # how many they are


def run_out(theirs: Float32s, wins: Int16s) -> Float32s:
    """What hands [N, 1326] win of the other's, both all in."""
    found = np.empty_like(theirs)
    _kernel("run_out")(
        pointer(theirs, np.float32, shape=(-1, NUM_HANDS), name="ranges"),
        c_int64(len(theirs)),
        pointer(wins, np.int16, shape=(NUM_HANDS, NUM_HANDS), name="wins"),
        c_double(FAINT),
        c_int64(RUN_OUTS),
        pointer(found, np.float32, written=True),
    )
    return found


def read_ranges(
    where: NearBuckets,
    coming: Float32s,  # [F, L, 1326]
    left: Float32s,  # [F, L, 1326] weight of the other's hands that each leaves
    span: slice,  # the player's buckets among the columns
    inputs: Float32s,  # [F, L, columns] the range, scaled: written
    pairs: Float32s,  # [F, L, columns] written
) -> None:
    """Ranges by bucket, and how much of all pairs each bucket has."""
    flops, lines, _ = coming.shape
    if not 0 <= span.start < span.stop <= min(inputs.shape[2], pairs.shape[2]):
        raise IndexError(f"columns {span.start} to {span.stop} are not in the tables")
    _kernel("read_ranges")(
        _near(where, flops),
        pointer(coming, np.float32, shape=(flops, lines, NUM_HANDS), name="ranges"),
        pointer(left, np.float32, shape=(flops, lines, NUM_HANDS), name="what hands leave"),
        c_int64(lines),
        c_int64(span.stop - span.start),
        *_columns(inputs, (flops, lines, -1), span.start),
        *_columns(pairs, (flops, lines, -1), span.start),
    )


def spread_values(where: NearBuckets, worth: Float32s, left: Float32s) -> None:
    """Values of buckets [F, L, buckets] as those of hands: times what each leaves [F, L, 1326]."""
    flops, lines, buckets = worth.shape
    _kernel("spread_values")(
        _near(where, flops),
        pointer(worth, np.float32, name="values"),
        c_int64(lines),
        c_int64(buckets),
        pointer(left, np.float32, shape=(flops, lines, NUM_HANDS), written=True),
    )


def _near(where: NearBuckets, flops: int) -> Any:
    shape = (flops, NUM_HANDS, where.near)
    if where.buckets.shape != shape or where.shares.shape != shape:
        raise TypeError(f"buckets have shape {where.buckets.shape}, where {shape} is expected")
    return byref(packed(where))


def _columns(table: Float32s, shape: tuple[int, ...], first: int) -> tuple[Any, Any]:
    """A table from a column on, and its width."""
    at = pointer(table, np.float32, shape=shape, written=True, start=first)
    return at, c_int64(table.shape[-1])


def _kernel(name: str) -> Any:
    return board_function(name, chosen_build())
