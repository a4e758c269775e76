"""What solvers need of NumPy and torch, against the plainest way to write it."""

from typing import Any

import numpy as np
import pytest

from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import add_advantages, add_plans, shares
from endspiel.solvers.boards import array_libraries
from endspiel.solvers.boards.array_libraries import Arrays, NumpyArrays, arrays_on

RNG = np.random.default_rng(5)
VALUES = RNG.normal(size=(4, 3, 5)).astype(np.float32)


@pytest.fixture(params=["cpu", "torch-cpu"])
def on(request: pytest.FixtureRequest) -> Arrays:
    if request.param == "torch-cpu":
        pytest.importorskip("torch")
    return arrays_on(request.param)


def same(on: Arrays, found: Any, expected: Any) -> None:
    back = on.numpy(found)
    assert back.dtype == np.float32
    assert back == pytest.approx(np.array(expected), rel=1e-6)


def test_new_arrays_have_32_bits(on: Arrays) -> None:
    same(on, on.zeros((2, 3)), np.zeros((2, 3)))
    assert on.numpy(on.empty((2, 3))).dtype == np.float32
    assert on.empty((2, 3), on.narrow).dtype == on.narrow
    same(on, on.widen(on.put(np.array([0, 1], dtype=np.int8))), [0, 1])
    same(on, on.stack([on.put(VALUES[0]), on.put(VALUES[1])]), VALUES[:2])


def test_plain_numbers_widen_nothing(on: Arrays) -> None:
    values = on.put(VALUES)
    same(on, on.where(values > 0, 0.1, 0.7), np.where(VALUES > 0, 0.1, 0.7))
    same(on, on.where(values > 0, values, 0.7), np.where(VALUES > 0, VALUES, 0.7))


def test_largest_and_products(on: Arrays) -> None:
    values = on.put(VALUES)
    same(on, on.largest(values, 1), VALUES.max(axis=1))
    same(on, on.largest(values, 2, keepdims=True), VALUES.max(axis=2, keepdims=True))
    same(on, on.maximum(values[0], values[1]), np.maximum(VALUES[0], VALUES[1]))
    out = on.zeros(VALUES.shape)
    on.multiply(values, values[:1], out=out)
    same(on, out, VALUES * VALUES[:1])


def test_regrets_are_matched_and_discounted_alike(on: Arrays) -> None:
    """As `tests/kernels/test_regrets.py` has it of NumPy alone."""
    regret = on.put(np.array([[1, 2, -1], [0, 0, -3]], dtype=np.float32))
    with np.errstate(all="raise"):
        same(on, shares(regret, axis=1), [[1 / 3, 2 / 3, 0], [1 / 3] * 3])
    add_advantages(regret, on.put(np.ones((2, 3), dtype=np.float32)), Discounts(0.5, 0.25, 0.1, 0))
    same(on, regret, [[1.5, 2, 0.75], [1, 1, 0.25]])
    add_plans(regret, regret, Discounts(0.5, 0.25, 2.0, 0))
    same(on, regret, [[6, 8, 3], [4, 4, 1]])


def test_rows_are_added_as_often_as_they_are_named(on: Arrays) -> None:
    rows = np.array([1, 0, 1, 1])
    expected = np.ones((2, 3, 5), dtype=np.float32)
    np.add.at(expected, rows, VALUES)
    found = on.put(np.ones((2, 3, 5), dtype=np.float32))
    on.add_rows(found, on.put(rows), on.put(VALUES))
    same(on, found, expected)


def test_buckets_are_pooled(on: Arrays) -> None:
    flat, bucket = VALUES.reshape(4, 15), RNG.integers(6, size=15)
    expected = np.stack([flat[:, bucket == b].sum(axis=1) for b in range(7)], axis=1)
    same(on, on.pool(on.put(flat), on.put(bucket), 7), expected)


def test_places_are_looked_up_board_by_board(on: Arrays) -> None:
    place = RNG.integers(6, size=(3, 8))
    place[1, 2] = 5  # nowhere
    expected = np.zeros((4, 3, 8))
    for board, hand in np.argwhere(place < 5):
        expected[:, board, hand] = VALUES[:, board, place[board, hand]]
    found = on.look_up(on.put(VALUES), on.put(place))
    same(on, found, expected)
    weight = np.array([1, 2, 4], dtype=np.float32)
    total = on.weighed(found, on.put(weight))
    assert total.dtype == np.float64
    assert total == pytest.approx(expected[:, 0] + 2 * expected[:, 1] + 4 * expected[:, 2])


def test_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(array_libraries, "import_module", missing)
    assert isinstance(arrays_on("cpu"), NumpyArrays)
    for device in ("cuda", "torch-cpu"):
        with pytest.raises(GameError, match=r"needs torch: endspiel\[torch\]"):
            arrays_on(device)
