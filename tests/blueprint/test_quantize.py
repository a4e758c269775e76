"""Rounding to a grid: nearest by largest remainders, whole, and numbered without gaps."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.blueprint.quantize import PADDING, TABLE_BITS, grid, pack, unpack
from endspiel.errors import GameError


@pytest.mark.parametrize(
    ("actions", "steps"), [(1, 5), (2, 126), (3, 126), (4, 20), (5, 9), (9, 3)]
)
def test_points_are_numbered_in_order_without_gaps(actions: int, steps: int) -> None:
    found = grid(actions, steps)
    points = found.points
    assert len(points) == found.size == comb(found.steps + actions - 1, actions - 1)
    assert (found.encode(points) == np.arange(found.size)).all()
    assert points.sum(axis=1) == pytest.approx(1)
    assert sorted(map(tuple, points.tolist())) == list(map(tuple, points.tolist()))


@settings(max_examples=200, deadline=None)
@given(
    weights=st.lists(st.one_of(st.just(0.0), st.floats(0, 1)), min_size=2, max_size=7).filter(
        lambda w: sum(w) > 1e-6
    ),
    steps=st.integers(1, 65_535),
)
def test_rounding_is_by_largest_remainders(weights: list[float], steps: int) -> None:
    row = np.array(weights) / sum(weights)
    found = grid(len(row), steps)
    (code,) = found.encode(row[None])
    rounded = found.point(int(code))
    assert (found.decode(np.array([code], np.int64))[0] == rounded).all()
    if found.bits <= TABLE_BITS:
        assert (found.points[code] == rounded).all()
    assert rounded.sum() == pytest.approx(1, abs=1e-12)
    assert (rounded[row == 0] == 0).all()
    assert (np.abs(rounded - row) < 1 / found.steps + 1e-9).all()
    # No other point is nearer: moving a step from any action to any other does not help.
    parts = np.rint(rounded * found.steps)
    far = np.abs(parts / found.steps - row).sum()
    for a in np.flatnonzero(parts):
        for b in range(len(row)):
            moved = parts.copy()
            moved[a] -= 1
            moved[b] += 1
            assert np.abs(moved / found.steps - row).sum() >= far - 1e-9


def test_steps_are_as_fine_as_their_bits_allow() -> None:
    assert [grid(actions, 126).steps for actions in (2, 3, 4)] == [127, 126, 144]
    assert [grid(actions, 126).bits for actions in (2, 3, 4)] == [7, 13, 19]
    for actions in range(3, 12):
        found = grid(actions, 4095)
        assert found.bits <= 32
        assert comb(found.steps + actions, actions - 1) > 1 << found.bits


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1), st.integers(1, 32), st.integers(0, 40))
def test_codes_come_back_from_any_bit(codes: list[int], bits: int, begin: int) -> None:
    kept = np.array(codes, np.uint32) & np.uint32((1 << bits) - 1)
    stream = np.zeros((begin + bits * len(kept) + 7) // 8 + PADDING, np.uint8)
    pack(kept, bits, begin, stream)
    assert (unpack(stream, begin + bits * np.arange(len(kept)), bits) == kept).all()
    assert not stream[: begin // 8].any()
    assert not stream[-PADDING:].any()


@pytest.mark.parametrize("row", [[0.5, 0.4], [1.5, -0.5], [np.nan, 1.0], [np.inf, 0.0]])
def test_rows_that_are_no_probabilities_are_refused(row: list[float]) -> None:
    with pytest.raises(GameError, match="strategy row 1 is not a probability vector"):
        grid(2, 9).encode(np.array([[0.5, 0.5], row]))
    with pytest.raises(GameError, match="have not 3 actions"):
        grid(3, 9).encode(np.array([row]))


def test_a_stream_without_padding_is_refused() -> None:
    with pytest.raises(IndexError, match="2 codes of 9 bits do not fit behind bit 7"):
        pack(np.zeros(2, np.uint32), 9, 7, np.zeros(3 + PADDING, np.uint8))
    pack(np.ones(2, np.uint32), 9, 6, np.zeros(3 + PADDING, np.uint8))
