"""Every kernel of one board by itself, as a build of the native library has it.

Names and arguments are those of `tests.kernels.board_reference`; but who faces whom is said by
tables and a board in place of the arrays taken from them.
"""

from ctypes import byref, c_double, c_int64
from typing import Any

import numpy as np

from endspiel.kernels.board_arrays import Coming, Facing, LanePair, Meta, Seated, Tables
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function

TYPES = (np.float32, np.float64, np.int64, np.uint8)


class NativeBoard:
    """The kernels of a build, for a board of some tables."""

    def __init__(self, build: str, tables: Tables, at: Seated) -> None:
        self.build, self.tables, self.at = build, tables, at

    def call(self, name: str, *args: Any) -> None:
        """Call a kernel; arrays are passed as pointers, numbers as integers or floats."""
        passed: list[Any] = []
        for arg in args:
            if isinstance(arg, Facing):
                passed += [byref(packed(self.tables)), *map(c_int64, self.at)]
            elif isinstance(arg, Coming):
                passed += [pointer(arg.regret[arg.at :], np.float32), c_int64(arg.lines)]
            elif isinstance(arg, LanePair):
                passed.append(pointer(np.array(arg, np.int64), np.int64))
            elif isinstance(arg, np.ndarray):
                passed.append(pointer(arg, arg.dtype))
            else:
                passed.append(c_double(arg) if isinstance(arg, float) else c_int64(int(arg)))
        board_function(name, self.build)(*passed)


def face(tables: Tables, at: Seated) -> Facing:
    """A player's hands on a board, and those that they meet."""
    (street, player, b), ints = at, tables.ints
    plan, theirs = tables.meta[street, player], tables.meta[street, 1 - player]
    start, others = ints[plan[Meta.START] + b], ints[theirs[Meta.START] + b]
    first, last = ints[plan[Meta.GROUP] + b], ints[plan[Meta.GROUP] + b + 1]
    return Facing(
        tables.low,
        tables.high,
        tables.same,
        int(plan[Meta.HANDS] + start * 16),
        int(theirs[Meta.HANDS] + others * 16),
        int(ints[plan[Meta.COUNT] + b]),
        int(ints[theirs[Meta.START] + b + 1] - others) * 16,
        tables.ends[plan[Meta.ENDS] + first : plan[Meta.ENDS] + last],
        tables.ends[theirs[Meta.ENDS] + first : theirs[Meta.ENDS] + last],
    )
