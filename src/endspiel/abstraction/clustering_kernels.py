"""Loops of clustering: nearest centers, medians, seeds, samples.

Points are coordinates on a ground (``ground``): small whole numbers whose weighted L1 distance is
the earth mover's distance. `native/core/builds/clustering.cpp` and `native/core/clusters.cpp` do
the work, without Python's lock; labels are not checked.
"""

from ctypes import byref, c_int64
from typing import Any, NamedTuple

import numpy as np

from endspiel.arrays import Unsigneds
from endspiel.kernels.arrays import Float32s, Float64s, Int32s, Ints, UInt16s
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build, function


class Family(NamedTuple):
    """The children of P nodes, K in all, as the search for the nearest wants them."""

    first: Ints  # [P + 1] where each node's children begin
    centers: Float32s  # [K, E] of one node's children, ascending by their sums
    sums: Float32s  # [K]
    number: UInt16s  # [K] bucket of each; a node's buckets ascend by mean equity


def assign_points(
    points: Unsigneds,  # [n, E]
    length: Float32s,  # [E]
    centers: tuple[Float32s, Float32s],  # [k, E] ascending by their sums [k]
    labels: Int32s,  # [n] filled
    far: Float32s,  # [n] filled: distance to the nearest center
) -> None:
    """Give every point its nearest center."""
    num_points, gaps = points.shape
    coordinates, sums = centers
    board_function("assign_points", chosen_build())(
        *_counts(points),
        c_int64(num_points),
        *_lengths(length, gaps),
        pointer(coordinates, np.float32, shape=(len(sums), gaps), name="centers"),
        pointer(sums, np.float32, name="sums"),
        c_int64(len(sums)),
        pointer(np.empty(gaps, np.float32), np.float32, written=True),
        pointer(labels, np.int32, shape=(num_points,), written=True, name="labels"),
        pointer(far, np.float32, shape=(num_points,), written=True, name="distances"),
    )


def assign_children(
    points: Unsigneds,  # [n, E]
    parents: UInt16s,  # [n] DEAD for points that count nowhere
    length: Float32s,  # [E]
    family: Family,
    labels: UInt16s,  # [n] filled
    far: Float32s,  # [n] filled
) -> None:
    """Give every point the nearest among the children of its parent."""
    num_points, gaps = points.shape
    if family.centers.shape != (len(family.sums), gaps):
        raise TypeError(f"centers of {gaps} coordinates have shape {family.centers.shape}")
    board_function("assign_children", chosen_build())(
        *_counts(points),
        pointer(parents, np.uint16, shape=(num_points,), name="parents"),
        c_int64(num_points),
        *_lengths(length, gaps),
        byref(packed(family)),
        pointer(np.empty(gaps, np.float32), np.float32, written=True),
        pointer(labels, np.uint16, shape=(num_points,), written=True, name="labels"),
        pointer(far, np.float32, shape=(num_points,), written=True, name="distances"),
    )


def move_members(
    points: Unsigneds,  # [n, E]
    weight: Ints,  # [n]
    labels: Int32s,  # [n]
    before: Int32s,  # [n] labels that the counts know, -1 for none yet; made the same
    held: Int32s,  # [k, E, levels] weight of each cluster at each level of each coordinate
) -> None:
    """Bring the counts of clusters up to date: only points that have moved cost anything."""
    num_points, gaps = points.shape
    function("move_members")(
        *_counts(points),
        pointer(weight, np.int64, shape=(num_points,), name="weights"),
        pointer(labels, np.int32, shape=(num_points,), name="labels"),
        *map(c_int64, (num_points, gaps, held.shape[2])),
        pointer(before, np.int32, shape=(num_points,), written=True, name="labels before"),
        pointer(held, np.int32, shape=(-1, gaps, -1), written=True, name="weights by level"),
    )


def fill_medians(held: Int32s, centers: Unsigneds) -> None:
    """The median of each coordinate [k, E] of every cluster that is not empty."""
    function("fill_medians")(
        pointer(held, np.int32, shape=(*centers.shape, -1), name="weights by level"),
        *map(c_int64, held.shape),
        *_counts(centers, written=True),
    )


def draw_seeds(
    points: Unsigneds,  # [n, E]
    weight: Ints,  # [n]
    length: Float32s,  # [E]
    far: Float64s,  # [n] distance to the seeds so far, infinite where there are none; lowered
    draws: Float64s,  # [seeds] uniform in [0, 1)
) -> Ints:
    """More seeds: each a point drawn by weight times distance to the nearest seed before it.

    Fewer come back where every point already is a seed.
    """
    num_points, gaps = points.shape
    seeds = np.empty(len(draws) + 1, np.int64)
    board_function("draw_seeds", chosen_build())(
        *_counts(points),
        pointer(weight, np.int64, shape=(num_points,), name="weights"),
        c_int64(num_points),
        *_lengths(length, gaps),
        pointer(far, np.float64, shape=(num_points,), written=True, name="distances"),
        pointer(draws, np.float64, name="draws"),
        c_int64(len(draws)),
        pointer(np.empty(num_points), np.float64, written=True),
        pointer(seeds, np.int64, written=True),
    )
    return seeds[: seeds[-1]]


def sample_members(
    labels: UInt16s,  # [n] DEAD for none
    seed: int,
    members: Ints,  # [labels, m] filled as far as there are members
    found: Ints,  # [labels] filled: how many points have each label
) -> None:
    """A uniform sample of the points of each label, all of them where they are few (reservoirs)."""
    function("sample_members")(
        pointer(labels, np.uint16, shape=(-1,), name="labels"),
        *map(c_int64, (len(labels), seed, *members.shape)),
        pointer(members, np.int64, shape=(len(found), -1), written=True, name="members"),
        pointer(found, np.int64, written=True, name="numbers of members"),
    )


def sum_by_label(
    labels: UInt16s,  # [n] DEAD for none
    weight: Ints,  # [n // block] one weight for every block of points
    block: int,
    far: Float32s,  # [n]
    sums: tuple[Ints, Float64s],  # [labels] weight, [labels] weight times distance: added to
) -> None:
    """Mass and total distance of each cluster."""
    if block * len(weight) != len(labels):
        raise TypeError(f"{len(weight)} blocks of {block} are not {len(labels)} points")
    function("sum_by_label")(
        pointer(labels, np.uint16, shape=(-1,), name="labels"),
        c_int64(len(labels)),
        pointer(weight, np.int64, name="weights"),
        c_int64(block),
        pointer(far, np.float32, shape=labels.shape, name="distances"),
        pointer(sums[0], np.int64, written=True, name="masses"),
        pointer(sums[1], np.float64, shape=sums[0].shape, written=True, name="total distances"),
    )


def _counts(points: Unsigneds, *, written: bool = False) -> tuple[Any, Any]:
    """Coordinates, and the bytes that one of them takes."""
    kind: Any = np.uint8 if points.itemsize == 1 else np.uint16
    at = pointer(points, kind, shape=(-1, -1), written=written, name="points")
    return at, c_int64(points.itemsize)


def _lengths(length: Float32s, gaps: int) -> tuple[Any, Any]:
    return pointer(length, np.float32, shape=(gaps,), name="lengths"), c_int64(gaps)
