"""One board's walk of a betting tree in groups of sixteen branches, one a lane.

Within a street a hand's bucket does not change, so that probabilities, their products and what is
learned are found by bucket. Hands matter where they meet: at terminals, in one walk over the
strengths for sixteen branches at a time, and on the lines between streets.

`native/core/lane_groups.h` and `builds/sampled.cpp` do the work, without Python's lock.
"""

from ctypes import byref, c_int64
from typing import Any

import numpy as np

from endspiel.kernels.arrays import Float32s, Float64s, Ints
from endspiel.kernels.sampled_arrays import BoardDeal, LaneTables, Lines
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build

LEARN, SUM, EXPECT = 0, 1, 2  # what the way up does: learn; sum up what sequences earn; only values
Rows = tuple[Float32s, Float32s]


def go_down(
    tables: LaneTables, groups: Ints, deal: BoardDeal, sources: Rows, lines: Lines, work: Float32s
) -> None:
    """Send both players' reaches through groups, parents before children, to the next streets."""
    kernel("go_down")(
        byref(packed(tables)),
        *numbered(groups),
        byref(packed(deal)),
        *map(stored, sources),
        byref(packed(lines, written=True)),
        stored(work, written=True),
    )


def go_up(
    tables: LaneTables,
    groups: Ints,
    player: int,
    mode: int,
    deal: BoardDeal,
    sources: Rows,
    targets: Rows,
    lines: Lines,
    work: Float32s,
) -> None:
    """Values of groups to one player, children before parents; what it learns goes to targets.

    `targets` are regrets (or sums) and averages; the other player's regrets and averages stay.
    """
    kernel("go_up")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        c_int64(mode),
        byref(packed(deal)),
        *map(stored, sources),
        *(stored(rows, written=mode != EXPECT) for rows in targets),
        byref(packed(lines, written=True)),
        stored(work, written=True),
    )


def discount(regret: Float32s, average: Float32s, discounts: Float64s) -> None:
    """Discount regrets by their sign, and averages."""
    kernel("discount")(
        pointer(regret, np.float32, shape=average.shape, written=True, name="regret"),
        pointer(average, np.float32, written=True, name="average"),
        c_int64(len(regret)),
        pointer(discounts, np.float64, shape=(4,), name="discounts"),
    )


def choose_best(
    tables: LaneTables, groups: Ints, player: int, buckets: int, sums: Float32s, rows: Float32s
) -> None:
    """Turn what sequences earn into the best actions of every bucket, last decisions first.

    `sums` are used up. Rows of decisions that earned nothing at all, never met, stay as they are.
    """
    kernel("choose_best")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        c_int64(buckets),
        stored(sums, written=True),
        stored(rows, written=True),
    )


def kernel(name: str) -> Any:
    """A kernel of the build in use."""
    return board_function(name, chosen_build())


def numbered(numbers: Ints) -> tuple[Any, Any]:
    """A list of groups (or buckets) and its length."""
    listed = np.ascontiguousarray(numbers)
    return pointer(listed, np.int64, name="groups"), c_int64(len(listed))


def stored(rows: Float32s, *, written: bool = False) -> Any:
    """Rows of sixteen floats."""
    return pointer(rows, np.float32, written=written, name="rows")
