"""River buckets: intervals of equity under each bucket of the turn.

There are 2.4 billion river hands, and none is stored: a hand's bucket follows from its bucket on
the turn and its equity on the board.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.branching import allocate
from endspiel.abstraction.features import DEAD, MAX_HALVES, NUM_HALVES
from endspiel.abstraction.streets import most_children
from endspiel.abstraction.thresholds import divide
from endspiel.abstraction.work import Workers
from endspiel.jit import njit
from endspiel.kernels.arrays import Float64s, Ints, UInt16s


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


@njit(cache=True, nogil=True)
def fill_river_buckets(
    nodes: UInt16s,  # [1326] node of each hand, DEAD for none
    halves: UInt16s,  # [1326] DEAD for none
    first: Ints,  # [P + 1]
    limit: UInt16s,  # [K]
    out: UInt16s,  # [1326] filled
) -> None:
    """Bucket of every hand on a river board."""
    for hand in range(len(out)):
        if halves[hand] == DEAD or nodes[hand] == DEAD:
            out[hand] = DEAD
            continue
        low, high = first[nodes[hand]], first[nodes[hand] + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if halves[hand] <= limit[middle]:
                high = middle
            else:
                low = middle + 1
        out[hand] = low
