"""The integer program against trying every choice, and the division of a line likewise."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.abstraction.branching import allocate
from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.thresholds import divide

curves = st.lists(
    st.lists(st.integers(0, 100), min_size=1, max_size=4), min_size=1, max_size=4
).map(lambda rows: [np.sort(np.array(row, float))[::-1] for row in rows])


@given(curves, st.integers(0, 8))
@settings(max_examples=60, deadline=None)
def test_no_choice_within_the_budget_is_better(errors: list[np.ndarray], spare: int) -> None:
    budget = len(errors) + spare
    chosen = allocate(errors, budget)
    assert chosen.sum() <= budget
    assert chosen.min() >= 1
    best = min(
        sum(row[k - 1] for row, k in zip(errors, choice, strict=True))
        for choice in product(*(range(1, len(row) + 1) for row in errors))
        if sum(choice) <= budget
    )
    total = sum(row[k - 1] for row, k in zip(errors, chosen, strict=True))
    assert total == pytest.approx(best, abs=1e-6 * 100)


def test_children_go_where_they_save_most() -> None:
    flat, steep = np.array([10.0, 9.9, 9.8, 9.7]), np.array([10.0, 6.0, 3.0, 1.0])
    assert allocate([flat, steep], 5).tolist() == [1, 4]


def test_a_budget_below_the_nodes_is_refused() -> None:
    with pytest.raises(AbstractionError, match="2 buckets for 3 nodes"):
        allocate([np.ones(2)] * 3, 2)


def spread(weight: np.ndarray, levels: np.ndarray) -> int:
    return min((int(weight[levels] @ np.abs(levels - m)) for m in levels), default=0)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=9).filter(any),
    st.integers(1, 5),
)
@settings(max_examples=150, deadline=None)
def test_a_line_is_divided_best(weights: list[int], most: int) -> None:
    weight = np.array(weights, np.int64)
    levels = np.flatnonzero(weight)
    division = divide(weight, most)
    assert len(division.errors) == min(most, len(levels))
    for k, limits in enumerate(division.limits, start=1):
        best = min(
            sum(spread(weight, part) for part in np.split(levels, list(cuts)))
            for cuts in combinations(range(1, len(levels)), k - 1)
        )
        assert division.errors[k - 1] == best
        interval = np.searchsorted(limits, levels)
        assert limits[-1] == len(weight) - 1
        parts = [levels[interval == at] for at in range(k)]
        assert sum(spread(weight, part) for part in parts) == best


def test_an_empty_line_is_one_interval() -> None:
    division = divide(np.zeros(7, np.int64), 3)
    assert division.errors.tolist() == [0.0]
    assert division.limits[0].tolist() == [6]
