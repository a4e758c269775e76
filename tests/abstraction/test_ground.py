"""The earth mover's distance against SciPy's and against the transport problem itself."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from endspiel.abstraction.ground import fit, line, tree


def histograms(rng: np.random.Generator, count: int, buckets: int, total: int) -> np.ndarray:
    return rng.multinomial(total, rng.dirichlet(np.ones(buckets)), count).astype(np.uint8)


def transport(a: np.ndarray, b: np.ndarray, ground: np.ndarray) -> float:
    """Least work that turns one histogram into another."""
    n = len(a)
    rows = np.kron(np.eye(n), np.ones(n))
    columns = np.kron(np.ones(n), np.eye(n))
    solved = linprog(ground.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]))
    return float(solved.fun)


def test_on_a_line_it_is_scipys() -> None:
    rng = np.random.default_rng(0)
    ground = line(17, 46)
    for a, b in histograms(rng, 40, 17, 46).reshape(20, 2, 17):
        expected = wasserstein_distance(ground.value, ground.value, a, b)
        assert ground.distance(ground.embed(a), ground.embed(b)) == pytest.approx(expected)
        assert ground.means(ground.embed(a)) == pytest.approx(a @ ground.value / 46)


def test_on_a_tree_it_solves_the_transport_problem() -> None:
    rng = np.random.default_rng(1)
    below = line(9, 46)
    centers = below.embed(histograms(rng, 12, 9, 46))
    ground = tree(centers, below, below.means(centers), 47)
    apart = ground.distances()
    assert apart.shape == (12, 12)
    for a, b in histograms(rng, 20, 12, 47).reshape(10, 2, 12):
        expected = transport(a, b, apart) / 47
        found = ground.distance(ground.embed(a), ground.embed(b))
        assert found == pytest.approx(expected, rel=1e-5)
        assert ground.means(ground.embed(a)) == pytest.approx(a @ ground.value / 47)


def test_a_tree_keeps_groups_apart() -> None:
    below = line(9, 40)
    made = np.zeros((8, 9), np.uint8)
    made[:4, 4] = 40 - np.arange(4)  # sure of a middling equity
    made[:4, 5] = np.arange(4)
    made[4:, 0] = 20  # a draw of the same mean
    made[4:, 8] = 20 - np.arange(4)
    made[4:, 7] = np.arange(4)
    centers = below.embed(made)
    ground = tree(centers, below, below.means(centers), 47)
    apart = ground.distances()
    assert apart[:4, 4:].min() > 4 * max(apart[:4, :4].max(), apart[4:, 4:].max())
    assert fit(ground, centers, below) > 0.99


def test_a_single_bucket_is_a_tree_too() -> None:
    below = line(5, 10)
    centers = below.embed(np.array([[10, 0, 0, 0, 0]], np.uint8))
    ground = tree(centers, below, below.means(centers), 47)
    counts = np.array([[47]], np.uint8)
    assert ground.distance(ground.embed(counts), ground.embed(counts)) == 0.0
