"""The kernels of `reference` in C++: same names, same arguments, same results.

`native/core/builds/treeplex.cpp` does the work, without Python's lock; here arguments are checked.
Vectors are all of 32 or all of 64 bits.
"""

from ctypes import byref, c_int64
from functools import cache
from typing import Any, Final

import numpy as np

from endspiel.kernels.arrays import CompressedRows, Discounts, Floats, Ints, PlexArrays, Side
from endspiel.native.boundary import packed, pointer, structure
from endspiel.native.library import board_function, chosen_build

_KINDS: Final = {"f": "float", "d": "double"}  # of numbers of 32 and of 64 bits
_DISCOUNTS: Final = structure(Discounts)


def walk_down(plex: PlexArrays, behavior: Floats, plan: Floats) -> None:
    kind, shape = behavior.dtype, behavior.shape
    _kernel("walk_down", kind)(
        byref(plex.packed),
        pointer(behavior, kind),
        pointer(plan, kind, shape=shape, written=True, name="plan"),
    )


def advantages(plex: PlexArrays, behavior: Floats, gradient: Floats) -> None:
    kind, shape = behavior.dtype, behavior.shape
    _kernel("advantages", kind)(
        byref(plex.packed),
        pointer(behavior, kind),
        pointer(gradient, kind, shape=shape, written=True, name="gradient"),
    )


def best_up(plex: PlexArrays, gradient: Floats, behavior: Floats) -> None:
    kind, shape = gradient.dtype, gradient.shape
    _kernel("best_up", kind)(
        byref(plex.packed),
        pointer(gradient, kind, written=True, name="gradient"),
        pointer(behavior, kind, shape=shape, written=True, name="behavior"),
    )


def smooth_up(plex: PlexArrays, gradient: Floats, weights: Floats, behavior: Floats) -> None:
    shape = gradient.shape
    board_function("smooth_up", chosen_build())(
        byref(plex.packed),
        pointer(gradient, np.float64, written=True, name="gradient"),
        pointer(weights, np.float64, shape=shape, name="weights"),
        pointer(behavior, np.float64, shape=shape, written=True, name="behavior"),
    )


def match_regrets(
    plex: PlexArrays, advantage: Floats, regret: Floats, behavior: Floats, discounts: Discounts
) -> None:
    kind, shape = regret.dtype, regret.shape
    _kernel("match_regrets", kind)(
        byref(plex.packed),
        pointer(advantage, kind, shape=shape, name="advantage"),
        pointer(regret, kind, written=True, name="regret"),
        pointer(behavior, kind, shape=shape, written=True, name="behavior"),
        byref(_DISCOUNTS(*discounts)),
    )


def learn(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    discounts: Discounts,
) -> None:
    _learn("learn", plex, (gradient, regret, behavior, plan), average, discounts)


def learn_blocks(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    discounts: Discounts,
) -> None:
    """Handle all but the roots: for some states of each block, too."""
    _learn("learn_blocks", plex, (gradient, regret, behavior, plan), average, discounts)


def _learn(
    name: str,
    plex: PlexArrays,
    vectors: tuple[Floats, ...],
    average: Floats,  # empty where the current strategy is the solution
    discounts: Discounts,
) -> None:
    kind, shape = average.dtype, vectors[0].shape
    _kernel(name, kind)(
        byref(plex.packed),
        *(pointer(vector, kind, shape=shape, written=True) for vector in vectors),
        pointer(average, kind, shape=shape if len(average) else (0,), written=True, name="average"),
        c_int64(len(average)),
        byref(_DISCOUNTS(*discounts)),
    )


def _check_side(side: Side) -> None:
    sizes = {len(array) for array in side[3:7]} | {len(side.payoffs.indptr) - 1}
    if len(sizes) > 1 or len(side.average) not in (0, *sizes):
        raise TypeError(f"a side's arrays have different lengths: {sorted(sizes)}")


def earn(side: Side, plan: Floats) -> None:
    _check_side(side)
    board_function("earn", chosen_build())(
        byref(packed(side, written=True)), pointer(plan, np.float64, name="plan")
    )


def iterate(one: Side, two: Side, schedule: Floats, alternating: bool) -> None:
    for side in (one, two):
        _check_side(side)
    board_function("iterate", chosen_build())(
        byref(packed(one, written=True)),
        byref(packed(two, written=True)),
        pointer(schedule, np.float64, shape=(-1, len(Discounts._fields)), name="schedule"),
        c_int64(len(schedule)),
        c_int64(alternating),
    )


def normalize(plex: PlexArrays, weights: Floats, behavior: Floats) -> None:
    kind, shape = weights.dtype, weights.shape
    _kernel("normalize", kind)(
        byref(plex.packed),
        pointer(weights, kind),
        pointer(behavior, kind, shape=shape, written=True, name="behavior"),
    )


def multiply(rows: CompressedRows, x: Floats, out: Floats) -> None:
    board_function("multiply", chosen_build())(
        byref(rows.packed),
        pointer(x, np.float64, name="x"),
        pointer(out, np.float64, shape=(len(rows.indptr) - 1,), written=True, name="out"),
    )


def gather(plan: Floats, seqs: Ints, stakes: Floats, reach: Floats) -> None:
    kind, (count, width) = plan.dtype, reach.shape
    _kernel("gather", kind)(
        pointer(plan, kind, shape=(-1,), name="plan"),
        pointer(seqs, np.int64, shape=(count,), name="seqs"),
        pointer(stakes, kind, shape=(count,), name="stakes"),
        c_int64(count),
        c_int64(width),
        pointer(reach, kind, written=True, name="reach"),
    )


def scatter(values: Floats, seqs: Ints, out: Floats) -> None:
    kind, (count, width) = out.dtype, values.shape
    _kernel("scatter", kind)(
        pointer(values, kind, name="values"),
        pointer(seqs, np.int64, shape=(count,), name="seqs"),
        c_int64(count),
        c_int64(width),
        pointer(out, kind, shape=(-1,), written=True, name="out"),
    )


def _kernel(name: str, kind: np.dtype[Any]) -> Any:
    """The kernel for vectors of a type."""
    return _found(name, kind.char, chosen_build())


@cache
def _found(name: str, kind: str, build: str) -> Any:
    if kind not in _KINDS:
        raise TypeError(f"vectors have entries of {np.dtype(kind)}, not of float32 or float64")
    return board_function(f"{name}_{_KINDS[kind]}", build)
