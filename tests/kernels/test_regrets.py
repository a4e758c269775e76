"""The plain regret matching, by hand and by its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from endspiel.engine.schemes import SCHEMES
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import add_advantages, add_plans, discount, share_of, shares

NUMBERS = st.floats(-1e6, 1e6, width=32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shares_are_of_what_is_positive_and_equal_where_nothing_is(dtype: type) -> None:
    weights = np.array([[1, -5, 0, 3], [3, 4, -1, 0]], dtype)
    with np.errstate(all="raise"):
        found = shares(weights)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.array([[0.25, 0, 0.5, 1], [0.75, 1, 0.5, 0]], dtype))
    np.testing.assert_array_equal(shares(weights.T.copy(), axis=1), found.T)


@pytest.mark.parametrize(("dtype", "least"), [(np.float32, 2.0**-126), (np.float64, 2.0**-1022)])
def test_totals_without_a_reciprocal_count_as_nothing(dtype: type, least: float) -> None:
    weights = np.array([[least, least / 2], [0, 0]], dtype)
    np.testing.assert_array_equal(shares(weights), [[1, 0.5], [0, 0.5]])


@settings(deadline=None, max_examples=50)
@given(arrays(np.float64, (3, 4), elements=NUMBERS))
def test_shares_are_probabilities(weights: np.ndarray) -> None:
    found = shares(weights)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=0), 1)


def test_a_share_may_be_anything_where_there_is_no_total() -> None:
    part, total = np.array([1.0, 1.0]), np.array([4.0, 0.0])
    np.testing.assert_array_equal(share_of(part, total, 7.0), [0.25, 7])
    np.testing.assert_array_equal(share_of(part, total, np.array([5.0, 6.0])), [0.25, 6])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_regrets_are_discounted_by_their_sign_and_advantages_are_not(dtype: type) -> None:
    regret = np.array([2, -2, 0], dtype)
    add_advantages(regret, np.array([1, 1, 1], dtype), Discounts(0.5, 0.25, 0.125, 0.0))
    assert regret.dtype == dtype
    np.testing.assert_array_equal(regret, [2, 0.5, 1])
    discount(regret, Discounts(0.5, 0.25, 0.125, 0.0))
    np.testing.assert_array_equal(regret, [1, 0.25, 0.5])


def test_an_average_is_discounted_before_the_newest_plan_counts() -> None:
    average = np.array([8.0, 0.0])
    add_plans(average, np.array([1.0, 3.0]), Discounts(0.5, 0.25, 0.125, 0.0))
    np.testing.assert_array_equal(average, [2, 3])


def test_regret_matching_plus_is_a_discount() -> None:
    """CFR+ keeps the larger of a regret and zero; the negative discount of zero does the same."""
    rng = np.random.default_rng(1)
    ours, plus = np.zeros(5), np.zeros(5)
    for t in range(1, 30):
        news = rng.normal(size=5)
        add_advantages(ours, news, SCHEMES["cfr+"].at(t))
        plus = np.maximum(plus, 0) + news
        np.testing.assert_allclose(np.maximum(ours, 0), np.maximum(plus, 0))
