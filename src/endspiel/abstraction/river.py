"""River buckets: intervals of equity under each bucket of the turn.

There are 2.4 billion river hands, and none is stored: a hand's bucket follows from its bucket on
the turn and its equity on the board.
"""

from ctypes import byref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.branching import allocate
from endspiel.abstraction.features import MAX_HALVES, NUM_HALVES
from endspiel.abstraction.streets import most_children
from endspiel.abstraction.thresholds import divide
from endspiel.abstraction.work import Workers
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.strength_tables import StrengthTables
from endspiel.kernels.arrays import Float64s, Ints, UInt8s, UInt16s
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import function


@dataclass(frozen=True, eq=False)
class RiverLevel:
    """K river buckets under P nodes: buckets of the turn; kinds of boards where they forget."""

    first: Ints  # [P + 1] where each node's buckets begin
    limit: UInt16s  # [K] most halves of each bucket; a node's buckets ascend
    value: Float64s  # [K] mean equity
    mass: Ints  # [K] deals in each bucket
    distance: Float64s  # [K] mean distance of a bucket's equities to their median
    program: Float64s  # [2] error: as chosen, all equal

    @property
    def size(self) -> int:
        """K."""
        return len(self.limit)

    def parents(self) -> Ints:
        """Node above each bucket: [K]."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, for a file."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def split_river(counts: Ints, branching: int, workers: Workers) -> RiverLevel:
    """Divide the equities of each node, by deals [P, 1981], into ``branching`` on the average."""
    num_nodes = len(counts)
    most = branching if num_nodes == 1 else most_children(branching)
    divisions = workers.each("river: dividing", lambda node: divide(counts[node], most), num_nodes)
    errors = [division.errors for division in divisions]
    if num_nodes == 1:
        children = np.array([len(errors[0])])
    else:
        children = allocate(errors, branching * num_nodes)
    limits = [d.limits[count - 1] for d, count in zip(divisions, children, strict=True)]
    best = sum(row[count - 1] for row, count in zip(errors, children, strict=True))
    equal = sum(row[min(branching, len(row)) - 1] for row in errors)
    value, mass, distance = np.concatenate(
        [_measure(counts[node], limits[node]) for node in range(num_nodes)], axis=1
    )
    return RiverLevel(
        first=np.cumsum([0, *children]),
        limit=np.concatenate(limits).astype(np.uint16),
        value=value,
        mass=mass.astype(np.int64),
        distance=distance,
        program=np.array([best, equal]) / (MAX_HALVES * max(1, counts.sum())),
    )


def _measure(counts: Ints, limits: Ints) -> Float64s:
    """Mean equity, mass and mean distance of each interval: [3, k]."""
    interval = np.searchsorted(limits, np.arange(NUM_HALVES))
    equity = np.arange(NUM_HALVES) / MAX_HALVES
    out = np.zeros((3, len(limits)))
    for at in range(len(limits)):
        inside = interval == at
        weight, own = counts[inside].astype(np.float64), equity[inside]
        mass = weight.sum()
        if mass == 0:
            out[0, at] = own.mean()
            continue
        median = own[np.searchsorted(np.cumsum(weight), mass / 2)]
        out[:, at] = weight @ own / mass, mass, weight @ np.abs(own - median) / mass
    return out


class RiverLimits(NamedTuple):
    """River buckets as kernels see them."""

    first: Ints  # [P + 1] where each node's buckets begin
    limit: UInt16s  # [K] most halves of each bucket


def fill_river_buckets(
    nodes: UInt16s,  # [1326] node of each hand, DEAD for none
    halves: UInt16s,  # [1326] DEAD for none
    first: Ints,  # [P + 1]
    limit: UInt16s,  # [K]
    out: UInt16s,  # [1326] filled
) -> None:
    """Bucket of every hand on a river board."""
    function("fill_river_buckets")(
        byref(packed(RiverLimits(first, limit))),
        pointer(nodes, np.uint16, shape=(NUM_HANDS,), name="nodes"),
        pointer(halves, np.uint16, shape=(NUM_HANDS,), name="halves"),
        pointer(out, np.uint16, shape=(NUM_HANDS,), written=True, name="buckets"),
    )


def fill_rivers(
    tables: StrengthTables,
    turn: UInt8s,  # [4]
    nodes: UInt16s,  # [1326] buckets of the turn
    levels: RiverLimits,
    out: UInt16s,  # [52, 1326] filled for the cards that may come
) -> None:
    """Buckets on all rivers of a turn board, in `native/core/features.cpp`."""
    function("fill_rivers")(
        byref(tables.packed),
        byref(packed(levels)),
        pointer(turn, np.uint8, shape=(4,), name="the board"),
        pointer(hand_cards(), np.uint8),
        pointer(nodes, np.uint16, shape=(NUM_HANDS,), name="nodes"),
        pointer(out, np.uint16, shape=(NUM_CARDS, NUM_HANDS), written=True, name="buckets"),
    )
