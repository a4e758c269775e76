"""The earth mover's distance against SciPy's and against the transport problem itself."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from endspiel.abstraction.ground import Ground, fit, line, lines


def histograms(rng: np.random.Generator, count: int, buckets: int, total: int) -> np.ndarray:
    shares = rng.dirichlet(np.ones(buckets) / 2, count)
    return np.array([rng.multinomial(total, share) for share in shares], np.uint8)


def transport(a: np.ndarray, b: np.ndarray, ground: np.ndarray) -> float:
    """Least work that turns one histogram into another."""
    n = len(a)
    rows = np.kron(np.eye(n), np.ones(n))
    columns = np.kron(np.ones(n), np.eye(n))
    solved = linprog(ground.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]))
    return float(solved.fun)


def bucket_distances(ground: Ground, centers: np.ndarray) -> np.ndarray:
    return ground.distance(centers[:, None], centers[None])


def test_on_a_line_it_is_scipys() -> None:
    rng = np.random.default_rng(0)
    ground = line(17, 46)
    middles = (np.arange(17) + 0.5) / 17
    for a, b in histograms(rng, 40, 17, 46).reshape(20, 2, 17):
        expected = wasserstein_distance(middles, middles, a, b)
        assert ground.distance(ground.embed(a), ground.embed(b)) == pytest.approx(expected)
        assert ground.means(ground.embed(a)) == pytest.approx(a @ middles / 46)


def test_on_lines_it_bounds_the_transport_problem_closely() -> None:
    rng = np.random.default_rng(1)
    below = line(9, 46)
    centers = below.embed(histograms(rng, 12, 9, 46))
    apart = bucket_distances(below, centers)
    ground = lines(centers, np.ones(12, np.int64), below, 47, levels=50)
    exact, ours = [], []
    for a, b in histograms(rng, 60, 12, 47).reshape(30, 2, 12):
        exact.append(transport(a, b, apart) / 47)
        ours.append(float(ground.distance(ground.embed(a), ground.embed(b))))
        assert ground.means(ground.embed(a)) == pytest.approx(a @ below.means(centers) / 47)
    assert all(o <= e * (1 + 1e-5) for o, e in zip(ours, exact, strict=True))
    assert np.mean(ours) > 0.85 * np.mean(exact)
    assert np.corrcoef(ours, exact)[0, 1] > 0.97


def test_between_single_buckets_it_is_exact() -> None:
    rng = np.random.default_rng(2)
    below = line(9, 46)
    centers = below.embed(histograms(rng, 10, 9, 46))
    ground = lines(centers, rng.integers(1, 9, 10), below, 47, levels=50)
    single = ground.embed((47 * np.eye(10)).astype(np.uint8))
    found = ground.distance(single[:, None], single[None])
    assert found == pytest.approx(bucket_distances(below, centers), abs=1e-6)
    assert fit(ground, centers, below) == pytest.approx(1.0)
    coarse = lines(centers, rng.integers(1, 9, 10), below, 47, levels=3)
    assert len(coarse.length) <= 2 * 8
    assert fit(coarse, centers, below) > 0.8


def test_draws_stay_apart_from_made_hands_of_the_same_mean() -> None:
    below = line(9, 40)
    counts = np.zeros((8, 9), np.uint8)
    counts[:4, 4] = 40 - np.arange(4)  # sure of a middling equity
    counts[:4, 5] = np.arange(4)
    counts[4:, 0] = 20  # a draw of the same mean
    counts[4:, 8] = 20 - np.arange(4)
    counts[4:, 7] = np.arange(4)
    centers = below.embed(counts)
    ground = lines(centers, np.ones(8, np.int64), below, 47)
    single = ground.embed((47 * np.eye(8)).astype(np.uint8))
    apart = ground.distance(single[:, None], single[None])
    assert apart[:4, 4:].min() > 4 * max(apart[:4, :4].max(), apart[4:, 4:].max())


def test_a_single_bucket_has_a_coordinate_too() -> None:
    below = line(5, 10)
    centers = below.embed(np.array([[10, 0, 0, 0, 0]], np.uint8))
    ground = lines(centers, np.ones(1, np.int64), below, 47)
    counts = ground.embed(np.array([[47]], np.uint8))
    assert counts.shape == (1, 1)
    assert ground.distance(counts, counts) == 0.0
    assert ground.means(counts) == pytest.approx(0.1)
