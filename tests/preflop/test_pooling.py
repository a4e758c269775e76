"""Corrections shared by lines that go the same way: the conditional normal law, and its ends."""

from math import log2

import numpy as np
import pytest

from endspiel.cards.classes import NUM_CLASSES
from endspiel.preflop.pooling import LIKE_ERROR, NET_ERROR, correction
from endspiel.preflop.shipped import MeasuredLine, shipped, way_of


def solved(depth: float, line: str, error: float, added: float) -> MeasuredLine:
    return MeasuredLine(depth, line, 12, added, error, np.full((2, NUM_CLASSES), added))


def test_two_measurements_of_one_line_are_their_mean_by_precision() -> None:
    both = [solved(50, "r300 c", 0.004, 0.02), solved(50, "r300 c", 0.002, 0.01)]
    found = correction(both, 50, "r300 c")
    assert found is not None
    precisions = np.array([NET_ERROR**-2, 0.004**-2, 0.002**-2])
    assert found.error == pytest.approx(precisions.sum() ** -0.5)
    means = precisions @ [0.0, 0.02, 0.01] / precisions.sum()
    np.testing.assert_allclose(found.added, means)


def test_a_line_twice_as_deep_differs_by_what_is_said() -> None:
    """Beside exact measurements the error is that of lines alike, and never over the net's."""
    exact = [solved(50, "r300 c", 0.0, 0.01)]
    errors = []
    for depth in (50, 100, 200, 400, 1e9):
        found = correction(exact, depth, "r300 c")
        assert found is not None
        errors.append(found.error)
    assert errors[0] == pytest.approx(0, abs=1e-9)
    assert errors[1] == pytest.approx(LIKE_ERROR, rel=0.02)
    assert errors[2] == pytest.approx(2**0.5 * LIKE_ERROR, rel=0.05)
    assert errors == sorted(errors)
    assert errors[-1] < NET_ERROR
    other = correction(exact, 50, "r200 c")  # the pot is smaller by log2(1.5)
    assert other is not None
    assert other.error == pytest.approx(LIKE_ERROR * log2(1.5) ** 0.5, rel=0.02)
    assert correction(exact, 50, "c r300 c") is None
    assert correction([], 50, "r300 c") is None


def test_solved_lines_of_the_file_are_as_alike_as_is_said() -> None:
    """Each left out and foretold by the others: off by no more than both errors, all together."""
    known, off = shipped().solved, list[float]()
    for at, one in enumerate(known):
        found = correction([*known[:at], *known[at + 1 :]], one.depth, one.line)
        if found is not None:
            off.append((found.mean - one.mean) ** 2 / (found.error**2 + one.error**2))
    assert len(off) >= 8
    assert np.mean(off) < 1.5
    assert way_of("r200 r600 c", 50).words == ("r", "r", "c")
