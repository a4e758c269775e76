"""Situations: ranges are ranges, of live hands, as often of each kind as they should be."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cards.live import live_hands
from endspiel.values.situations import (
    DEPTHS,
    KINDS,
    SHARES,
    _split,
    draw_situation,
    drawn_ranges,
    nearest_depth,
)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(0, 2**32 - 1))
def test_shares_of_one_add_up_to_it(count: int, seed: int) -> None:
    found = _split(count, np.random.default_rng(seed))
    assert found.shape == (count,)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)


def test_the_weaker_half_of_a_drawn_range_weighs_anything() -> None:
    """Half on average, and any share alike: not as hands drawn one by one would."""
    rng = np.random.default_rng(4)
    halves = np.array([_split(64, rng)[:32].sum() for _ in range(2000)])
    assert np.histogram(halves, bins=4, range=(0, 1))[0] == pytest.approx([500] * 4, abs=80)


def test_drawn_ranges_hold_what_the_board_leaves() -> None:
    board = (0, 5, 22, 51)
    ranges = drawn_ranges(board, np.random.default_rng(1))
    assert ranges.sum(axis=1) == pytest.approx([1, 1])
    assert not ranges[:, live_hands(board) == 0].any()
    assert not np.array_equal(ranges[0], ranges[1])


def test_situations_are_of_all_kinds() -> None:
    blueprint, rng = load_blueprint(), np.random.default_rng(3)
    found = [draw_situation(blueprint, rng) for _ in range(24)]
    counts = Counter(one.kind for one in found)
    assert set(counts) == set(KINDS)
    assert counts["played"] > counts["drawn"] / 2  # twice as many are meant
    assert sum(SHARES) == 1
    for one in found:
        assert one.depth in DEPTHS
        assert len({*one.board}) == 4
        assert one.ranges.sum(axis=1) == pytest.approx([1, 1])
        assert not one.ranges[:, live_hands(one.board) == 0].any()
    played = [one for one in found if one.kind == "played"]
    assert min(one.depth for one in played) < 2, "few flops end so in a blueprint's hands"
    narrow = [np.count_nonzero(r > 1e-4) < 1000 for one in played for r in one.ranges]
    assert any(narrow), "a blueprint does not play every hand to the turn"


def test_depths_are_near_by_their_ratio() -> None:
    assert nearest_depth(2.4) == 2.0
    assert nearest_depth(2.5) == 3.0
    assert nearest_depth(0.0) == DEPTHS[0]
    assert nearest_depth(1e9) == DEPTHS[-1]
