"""Clustering: the nearest center, medians, seeds and empties, against trying everything."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.abstraction.clustering import Points, ascending, assign, cluster, curve, medians
from endspiel.abstraction.clustering_kernels import (
    Family,
    assign_children,
    draw_seeds,
    sample_members,
)
from endspiel.abstraction.features import DEAD
from endspiel.abstraction.ground import line, lines
from tests.native.each_build import same_on_each_build


def points_of(counts: np.ndarray, weight: np.ndarray | None = None) -> Points:
    """Histograms [n, N] on a line."""
    ground = line(counts.shape[1], int(counts[0].sum()))
    weights = np.ones(len(counts), np.int64) if weight is None else weight
    return Points(ground.embed(counts.astype(np.uint8)), weights, ground)


def random_points(seed: int, count: int = 60, bins: int = 6, total: int = 12) -> Points:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(bins), count)
    counts = np.array([rng.multinomial(total, share) for share in shares])
    return points_of(counts, rng.integers(1, 5, count))


def least_error(points: Points, k: int) -> float:
    """The error of the best of all clusterings, for a handful of points."""
    best = np.inf
    for labels in product(range(k), repeat=len(points.weight)):
        chosen = np.array(labels, np.int32)
        centers = medians(points, chosen, k)
        far = points.ground.distance(points.coordinates, centers[chosen])
        best = min(best, float(points.weight @ far))
    return best


@given(st.integers(0, 10**6), st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_the_search_finds_a_nearest_center(seed: int, k: int) -> None:
    points = random_points(seed)
    centers = points.coordinates[:k]
    labels, far = assign(points, centers)
    every = points.ground.distance(points.coordinates[:, None], centers[None])
    assert far == pytest.approx(every.min(axis=1), abs=1e-6)
    assert every[np.arange(60), labels] == pytest.approx(far, abs=1e-6)


def test_the_search_finds_a_nearest_center_on_many_lines() -> None:
    below = random_points(5, 20)
    ground = lines(below.coordinates, below.weight, below.ground, 30)
    rng = np.random.default_rng(2)
    counts = np.array([rng.multinomial(30, rng.dirichlet(np.ones(20))) for _ in range(50)])
    points = Points(ground.embed(counts.astype(np.uint8)), np.ones(50, np.int64), ground)
    _, far = assign(points, points.coordinates[:9])
    every = ground.distance(points.coordinates[:, None], points.coordinates[None, :9])
    assert far == pytest.approx(every.min(axis=1), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_restarts_come_near_the_best_clustering_of_a_few_points(seed: int) -> None:
    points = random_points(seed, count=8, total=9)
    found = cluster(points, 3, np.random.default_rng(seed), restarts=30)
    best = least_error(points, 3)
    assert best * (1 - 1e-5) <= found.error <= 1.05 * best


def test_groups_that_are_apart_are_found() -> None:
    rng = np.random.default_rng(4)
    middles = np.array([0, 6, 12, 18])
    counts = np.zeros((200, 20), int)
    group = rng.integers(0, 4, 200)
    counts[np.arange(200), middles[group]] = 9
    counts[np.arange(200), middles[group] + rng.integers(0, 2, 200)] += 1
    found = cluster(points_of(counts), 4, rng, restarts=3)
    assert len({(g, label) for g, label in zip(group, found.labels, strict=True)}) == 4


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_more_clusters_are_never_worse_and_none_is_empty(seed: int) -> None:
    points = random_points(seed)
    found = curve(points, 12, np.random.default_rng(seed))
    for k, clusters in enumerate(found, start=1):
        assert clusters.size == k
        assert set(clusters.labels.tolist()) == set(range(k))
        far = points.ground.distance(points.coordinates, clusters.centers[clusters.labels])
        assert float(points.weight @ far) == pytest.approx(clusters.error, rel=1e-4, abs=1e-6)
    errors = [clusters.error for clusters in found]
    assert all(b <= a * (1 + 1e-6) for a, b in pairwise(errors))


def test_fewer_different_points_than_clusters() -> None:
    counts = np.zeros((30, 4), int)
    counts[np.arange(30), np.arange(30) % 3] = 5
    points = points_of(counts)
    rng = np.random.default_rng(0)
    assert cluster(points, 7, rng).size == 3
    assert [clusters.size for clusters in curve(points, 7, rng)] == [1, 2, 3]
    assert cluster(points, 3, rng, restarts=3).error == 0.0
    assert cluster(points, 30, rng).size == 3


def test_a_weight_is_as_good_as_so_many_copies() -> None:
    points = random_points(9)
    copies = np.repeat(points.coordinates, points.weight, axis=0)
    many = Points(copies, np.ones(len(copies), np.int64), points.ground)
    one, other = np.zeros(60, np.int32), np.zeros(len(copies), np.int32)
    assert (medians(points, one, 1) == medians(many, other, 1)).all()
    middle = np.sort(copies, axis=0)[(len(copies) - 1) // 2]
    assert (medians(points, one, 1)[0] == middle).all()


def test_samples_are_whole_where_members_are_few_and_uniform_elsewhere() -> None:
    labels = np.tile(np.array([0, 1, 1, 1, DEAD], np.uint16), 1000)
    labels[5000 - 5 :: 5] = 2
    hits = np.zeros(5000, int)
    for seed in range(200):
        members, found = np.empty((3, 100), np.int64), np.empty(3, np.int64)
        sample_members(labels, seed, members, found)
        assert found.tolist() == [999, 3000, 1]
        assert members[2, 0] == 4995
        assert len(set(members[1].tolist())) == 100
        assert (labels[members[1]] == 1).all()
        hits[members[1]] += 1
    early, late = hits[:2500].sum(), hits[2500:].sum()
    assert early == pytest.approx(late, rel=0.1)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("gaps", [1, 7, 16, 29, 64, 90, 137])
def test_distances_are_the_same_on_each_build(gaps: int, kind: type) -> None:
    rng = np.random.default_rng(gaps)
    points = rng.integers(0, 200, (50, gaps)).astype(kind)
    length = rng.random(gaps).astype(np.float32)
    parents = rng.integers(0, 2, 50).astype(np.uint16)
    parents[::9] = DEAD
    halves = [ascending(points[part], length) for part in (slice(0, 4), slice(4, 10))]
    centers, sums = (np.concatenate([half[i] for half in halves]) for i in (0, 1))
    number = np.concatenate([halves[0][2], 4 + halves[1][2]]).astype(np.uint16)
    family = Family(np.array([0, 4, 10]), centers, sums, number)

    draws = rng.random(5)

    def work() -> tuple[np.ndarray, ...]:
        labels, far = np.empty(50, np.uint16), np.empty(50, np.float32)
        assign_children(points, parents, length, family, labels, far)
        to_seeds = np.full(50, np.inf)
        seeds = draw_seeds(points, np.arange(1, 51), length, to_seeds, draws)
        return labels, far, seeds, to_seeds

    labels, far, seeds, to_seeds = same_on_each_build(work)
    apart = np.abs(points[:, None].astype(float) - points[None]) @ length.astype(float)
    assert to_seeds == pytest.approx(apart[:, seeds].min(axis=1), rel=1e-6)
    for i, parent in enumerate(parents):
        if parent == DEAD:
            assert (labels[i], far[i]) == (DEAD, 0)
        else:
            own = apart[i, (slice(0, 4), slice(4, 10))[parent]]
            assert far[i] == pytest.approx(own.min(), rel=1e-6)
            assert apart[i, labels[i]] == pytest.approx(own.min(), rel=1e-6)


def test_coordinates_take_one_byte_or_two() -> None:
    points = random_points(1)
    wide = Points(points.coordinates.astype(np.uint32), points.weight, points.ground)
    with pytest.raises(TypeError, match="points has entries of uint16, not uint32"):
        assign(wide, wide.coordinates[:3])
