"""Fixed-point regrets packed without loss: neighbors predict each other, bit planes hold the rest.

Values are integers [tiles, rows, 16] of one board after another, as the board kernels lay them out.
Along a row, hands are neighbors (on the river by strength), so what each adds to the one before it
is small; it is folded to 0, 1, 2, ... (0, -1, 1, -2, ...). Eight hands of a row have as many bits
each as their longest such step, or as their longest number where that is shorter. A row of a tile
is a byte for its lower and one for its upper eight hands that tell how many bits, of what; then the
lower hands' bits, the lowest first, a byte for those of eight hands, and the upper ones'. Rows one
after another in which nothing changes are a byte together. Padding is not stored and comes back as
zeros; a tile of eight hands or fewer has no upper half. Eight zeros stand at the end, so that whole
words can be read anywhere.

`native/core/builds/packing.cpp` does the work, without Python's lock.
"""

from ctypes import byref, c_double, c_int64
from typing import NamedTuple

import numpy as np

from endspiel.arrays import UInt8s
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Float32s, Ints
from endspiel.kernels.lanes import LANES
from endspiel.native.boundary import packed as structure
from endspiel.native.boundary import pointer
from endspiel.native.library import board_function, chosen_build

LARGEST = 2**30  # numbers whose differences fit into 32 bits once folded
WIDEST = 32  # bits of a step or number
SPARE = 8  # bytes at the end


class PackedShape(NamedTuple):
    """How a street's regrets lie: [tiles, rows, 16], tiles board by board."""

    starts: Ints  # [N + 1] first tile of each board
    hands: Ints  # [N]
    rows: int


def pack(
    values: Float32s,
    shape: PackedShape,
    scale: float,
    *,
    what: str = "regret",
    least: float = -np.inf,
) -> UInt8s:
    """Regrets of a street's boards as bytes; each is rounded to a whole number of 1 / scale.

    The regrets become what the bytes say. The scale is a power of two. `what` is packed, if no
    regrets are; whatever is less than `least` becomes that.
    """
    _check(shape, values)
    most = 2 * (1 + WIDEST) * (len(values) // LANES) + 2 * SPARE
    out = np.empty(most, dtype=np.uint8)  # what is not used is not touched
    used = board_function("pack", chosen_build(), c_int64)(
        pointer(values, np.float32, written=True, name="values"),
        byref(structure(shape)),
        c_double(scale),
        c_double(least),
        pointer(np.empty(shape.rows, np.int32), np.int32),
        pointer(out, np.uint8),
    )
    if used < 0:
        raise EndspielError(f"{what}s are too large for fixed point: take fewer bits")
    out[used : used + SPARE] = 0
    return out[: used + SPARE].copy()


def unpack(packed: UInt8s, shape: PackedShape, scale: float, to: Float32s) -> None:
    """Fill in the regrets [tiles * rows * 16] that bytes say."""
    _check(shape, to)
    board_function("unpack", chosen_build())(
        pointer(packed, np.uint8, name="packed"),
        byref(structure(shape)),
        c_double(scale),
        pointer(np.empty(shape.rows, np.int32), np.int32),
        pointer(to, np.float32, written=True, name="values"),
    )


def _check(shape: PackedShape, values: Float32s) -> None:
    """Refuse values that are fewer than a shape has."""
    if len(shape.starts) != len(shape.hands) + 1:
        raise TypeError(f"{len(shape.hands)} boards have {len(shape.starts)} starts of tiles")
    tiles = int(shape.starts[-1])
    if tiles * shape.rows * LANES > len(values):
        raise TypeError(f"{len(values)} values are fewer than {tiles} tiles of {shape.rows} rows")
