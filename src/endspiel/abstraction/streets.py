"""The buckets of one street: hands clustered under each bucket of the street before.

With perfect recall every bucket of the street before is a node, whose number of children the
integer program gives. With imperfect recall there is one node above all hands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.branching import allocate
from endspiel.abstraction.clustering import Clusters, Points, ascending, cluster, curve
from endspiel.abstraction.clustering_kernels import (
    Family,
    assign_children,
    sample_members,
    sum_by_label,
)
from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.features import DEAD
from endspiel.abstraction.ground import Counts, Ground
from endspiel.abstraction.work import Workers
from endspiel.kernels.arrays import Float64s, Ints, UInt16s

BLOCKS_AT_ONCE = 64
POINTS_PER_CLUSTER = 40  # at least this many are sampled for each cluster


@dataclass(frozen=True)
class ClusteringEffort:
    """How carefully a street is clustered."""

    sample: int = 20_000  # hands of each node, at most
    restarts: int = 2
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Layer:
    """The hands of a street as histograms: n places, of which each block has one weight."""

    coordinates: Counts  # [n, E]
    weight: Ints  # [n // block]
    ground: Ground
    block: int = 1

    def points(self, places: Ints) -> Points:
        """Some of them, to cluster."""
        return Points(self.coordinates[places], self.weight[places // self.block], self.ground)


@dataclass(frozen=True, eq=False)
class Level:
    """The buckets of a street: K of them, children of P nodes."""

    buckets: UInt16s  # [n] of each place, DEAD where no hand is
    family: Family
    centers: Counts  # [K, E] by bucket
    value: Float64s  # [K] mean equity
    mass: Ints  # [K] deals in each bucket
    distance: Float64s  # [K] mean distance of a bucket's hands to its center
    program: Float64s = field(default_factory=lambda: np.zeros(2))  # error: as chosen, all equal

    @property
    def size(self) -> int:
        """K."""
        return len(self.mass)

    def parents(self) -> Ints:
        """Node above each bucket: [K]."""
        first = self.family.first
        return np.repeat(np.arange(len(first) - 1), np.diff(first))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, for a file."""
        own = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "family"}
        return own | {f"family_{name}": array for name, array in self.family._asdict().items()}

    @classmethod
    def of_arrays(cls, arrays: Any) -> "Level":
        """Read back what ``arrays`` gave."""
        family = Family(*(arrays[f"family_{name}"] for name in Family._fields))
        own = {n: arrays[n] for n in cls.__dataclass_fields__ if n != "family"}
        return cls(family=family, **own)


def one_node(live: NDArray[np.bool_]) -> UInt16s:
    """Parents [n] where a single node is above all places that hold a hand."""
    return np.where(live.reshape(-1), 0, DEAD).astype(np.uint16)


def most_children(branching: int) -> int:
    """The largest number of children that the integer program may give a node."""
    return 2 * branching + 4


def each_its_own(layer: Layer) -> Level:
    """A bucket for every place, ascending by mean equity: nothing is lost."""
    means = layer.ground.means(layer.coordinates)
    order = np.argsort(means, kind="stable")
    buckets = np.empty(len(order), np.uint16)
    buckets[order] = np.arange(len(order))
    floats, sums, search = ascending(layer.coordinates[order], layer.ground.length)
    family = Family(np.array([0, len(order)]), floats, sums, search.astype(np.uint16))
    mass = layer.weight[order]
    centers = layer.coordinates[order]
    return Level(buckets, family, centers, means[order], mass, np.zeros(len(order)))


def split(
    layer: Layer,
    parents: UInt16s,
    branching: int,
    effort: ClusteringEffort,
    workers: Workers,
    stage: str,
) -> Level:
    """Cluster the hands under each parent, ``branching`` clusters each on the average."""
    num_nodes = int(parents[parents != DEAD].max()) + 1
    sample = max(effort.sample, POINTS_PER_CLUSTER * branching)
    members = np.empty((num_nodes, min(sample, len(parents))), np.int64)
    found = np.empty(num_nodes, np.int64)
    sample_members(parents, effort.seed, members, found)
    if not found.all():
        raise AbstractionError(f"node {int(np.argmin(found))} above the {stage} has no hand")

    def work(node: int) -> tuple[Points, list[Clusters]]:
        points = layer.points(np.sort(members[node, : found[node]]))
        rng = np.random.default_rng([effort.seed, branching, node])
        if num_nodes == 1:
            return points, [cluster(points, branching, rng, effort.restarts)]
        return points, curve(points, most_children(branching), rng, effort.restarts)

    worked = workers.each(f"{stage}: clustering", work, num_nodes)
    chosen, program = _choose(worked, _masses(layer, parents, num_nodes), branching)
    family, centers, value = _family(worked, chosen, layer.ground)
    return _fill(layer, parents, (family, centers, value, program), workers, stage)


def _choose(
    worked: Sequence[tuple[Points, list[Clusters]]], mass: Ints, branching: int
) -> tuple[list[Clusters], Float64s]:
    """The clustering of each node, and the error in all: as chosen, and with equal branching."""
    errors = [
        np.array([c.error for c in found]) * (mass[node] / points.weight.sum())
        for node, (points, found) in enumerate(worked)
    ]
    if len(worked) == 1:
        return [worked[0][1][-1]], np.repeat(errors[0][-1:] / mass.sum(), 2)
    children = allocate(errors, branching * len(worked))
    best = sum(row[count - 1] for row, count in zip(errors, children, strict=True))
    equal = sum(row[min(branching, len(row)) - 1] for row in errors)
    found = [found[count - 1] for (_, found), count in zip(worked, children, strict=True)]
    return found, np.array([best, equal]) / mass.sum()


def _family(
    worked: Sequence[tuple[Points, list[Clusters]]], chosen: list[Clusters], ground: Ground
) -> tuple[Family, Counts, Float64s]:
    """Children of all nodes; centers and mean equities by bucket."""
    first = np.cumsum([0, *(clusters.size for clusters in chosen)])
    if first[-1] >= DEAD:
        raise AbstractionError(f"{first[-1]} buckets of one street; there can be {DEAD - 1}")
    searched, sums, numbers, centers, values = [], [], [], [], []
    for start, (points, _), clusters in zip(first[:-1], worked, chosen, strict=True):
        mass = np.bincount(clusters.labels, points.weight)
        means = ground.means(points.coordinates)
        value = np.bincount(clusters.labels, points.weight * means) / mass
        by_value = np.argsort(value, kind="stable")
        number = np.empty(clusters.size, np.int64)
        number[by_value] = np.arange(clusters.size)
        floats, own_sums, order = ascending(clusters.centers, ground.length)
        searched.append(floats)
        sums.append(own_sums)
        numbers.append(start + number[order])
        centers.append(clusters.centers[by_value])
        values.append(value[by_value])
    family = Family(
        first,
        np.concatenate(searched),
        np.concatenate(sums),
        np.concatenate(numbers).astype(np.uint16),
    )
    return family, np.concatenate(centers), np.concatenate(values)


def _masses(layer: Layer, parents: UInt16s, num_nodes: int) -> Ints:
    """Deals under each node: [nodes]."""
    mass, unused = np.zeros(num_nodes, np.int64), np.zeros(num_nodes)
    nothing = np.zeros(len(parents), np.float32)
    sum_by_label(parents, layer.weight, layer.block, nothing, (mass, unused))
    return mass


def _fill(
    layer: Layer,
    parents: UInt16s,
    children: tuple[Family, Counts, Float64s, Float64s],
    workers: Workers,
    stage: str,
) -> Level:
    """Give every hand its bucket, and measure the buckets."""
    family, centers, value, program = children
    ground, block = layer.ground, layer.block
    buckets = np.empty(len(parents), np.uint16)

    def work(blocks: slice) -> tuple[Ints, Float64s]:
        places = slice(blocks.start * block, blocks.stop * block)
        far = np.empty(places.stop - places.start, np.float32)
        assign_children(
            layer.coordinates[places], parents[places], ground.length, family, buckets[places], far
        )
        sums = np.zeros(len(centers), np.int64), np.zeros(len(centers))
        far /= np.float32(ground.total)
        sum_by_label(buckets[places], layer.weight[blocks], block, far, sums)
        return sums

    parts = workers.slices(f"{stage}: buckets", work, len(layer.weight), BLOCKS_AT_ONCE)
    mass = np.sum([part[0] for part in parts], axis=0)
    distance = np.sum([part[1] for part in parts], axis=0) / np.maximum(mass, 1)
    return Level(buckets, family, centers, value, mass, distance, program)
