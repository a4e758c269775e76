"""The vector type: every operation equals NumPy's on the same sixteen floats."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit

from endspiel.kernels import simd
from endspiel.kernels.lanes import LANES, padded, zeros

Vector = np.ndarray
NUMBERS = arrays(np.float32, LANES, elements=st.floats(-(2.0**40), 2.0**40, width=32))


@njit
def add(a, b, out):
    simd.store(out, 0, simd.load(a, 0) + simd.load(b, 0))


@njit
def subtract(a, b, out):
    simd.store(out, 0, simd.load(a, 0) - simd.load(b, 0))


@njit
def multiply(a, b, out):
    simd.store(out, 0, simd.load(a, 0) * simd.load(b, 0))


@njit
def divide(a, b, out):
    simd.store(out, 0, simd.load(a, 0) / simd.load(b, 0))


@njit
def larger(a, b, out):
    simd.store(out, 0, simd.larger(simd.load(a, 0), simd.load(b, 0)))


@njit
def choose_positive(a, b, out):
    simd.store(out, 0, simd.choose_positive(simd.load(a, 0), simd.load(b, 0), simd.load(a, 0)))


@njit
def multiply_add(a, b, out):
    simd.store(out, 0, simd.multiply_add(simd.load(a, 0), simd.load(b, 0), simd.load(out, 0)))


@njit
def fill(a, b, out):
    simd.store(out, 0, simd.fill(a[3]))


@njit
def transpose_rows(source, at, rows, first, target, to):
    simd.transpose_rows(source, at, rows, first, target, to)


@njit
def copy(source, at, target, to):
    simd.store(target, to, simd.load(source, at))


TWINS: list[tuple[Callable[..., None], Callable[[Vector, Vector], Vector]]] = [
    (add, np.add),
    (subtract, np.subtract),
    (multiply, np.multiply),
    (divide, np.divide),
    (larger, np.maximum),
    (choose_positive, lambda a, b: np.where(a > 0, b, a)),
    (fill, lambda a, b: np.full(LANES, a[3], np.float32)),
]


@pytest.mark.parametrize(("fast", "slow"), TWINS, ids=[fast.__name__ for fast, _ in TWINS])
@settings(max_examples=50, deadline=None)
@given(NUMBERS, NUMBERS)
def test_operations_round_as_numpy_does(
    fast: Callable[..., None], slow: Callable[[Vector, Vector], Vector], a: Vector, b: Vector
) -> None:
    out = np.zeros(LANES, np.float32)
    fast(a, b, out)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, slow(a, b))


@settings(max_examples=50, deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_multiply_add_rounds_once(a: Vector, b: Vector, c: Vector) -> None:
    """The product is exact in 64 bits; in 80 the sum all but is, before the one rounding."""
    out = c.copy()
    multiply_add(a, b, out)
    wide = np.longdouble
    exact = a.astype(wide) * b.astype(wide) + c.astype(wide)
    np.testing.assert_allclose(out, exact.astype(np.float32), rtol=2.0**-23)
    error = np.abs(out.astype(wide) - exact)
    assert (error <= 0.501 * np.spacing(np.abs(out)).astype(wide)).all()


def test_one_rounding_differs_from_two() -> None:
    a = np.full(LANES, 1 + 2.0**-12, np.float32)
    out = np.full(LANES, -1, np.float32)
    multiply_add(a, a, out)
    np.testing.assert_array_equal(out, np.full(LANES, 2.0**-11 + 2.0**-24, np.float32))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_loads_and_stores_touch_sixteen_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target = rng.random(60, np.float32), rng.random(60, np.float32)
    at, to = (int(i) for i in rng.integers(0, 60 - LANES + 1, 2))
    expected = target.copy()
    expected[to : to + LANES] = source[at : at + LANES]
    copy(source, at, target, to)
    np.testing.assert_array_equal(target, expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_transposes_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, target = rng.random(40 * LANES, np.float32), rng.random(30 * LANES, np.float32)
    rows = rng.integers(0, 20, 40)
    at, first, to = 7, int(rng.integers(0, 40 - LANES + 1)), int(rng.integers(0, 200))
    picked = source[at : at + 20 * LANES].reshape(20, LANES)[rows[first : first + LANES]]
    expected = target.copy()
    expected[to : to + LANES * LANES] = picked.T.ravel()
    transpose_rows(source, at, rows, first, target, to)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize(("count", "whole"), [(0, 0), (1, 16), (16, 16), (17, 32), (1326, 1328)])
def test_padding_goes_to_the_next_multiple(count: int, whole: int) -> None:
    assert padded(count) == whole


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (1000,)])
def test_zeros_start_on_a_cache_line(shape: tuple[int, ...]) -> None:
    array = zeros(*shape)
    assert array.shape == shape
    assert array.dtype == np.float32
    assert not array.any()
    assert array.size == 0 or array.ctypes.data % 64 == 0
    array += 1
    assert (array == 1).all()


@njit
def largest_row(rows, count, out):
    best, chosen = simd.largest_row(rows, 0, LANES, count)
    simd.store(out, 0, best)
    simd.store(out, LANES, chosen)


@settings(max_examples=30, deadline=None)
@given(arrays(np.float32, (4, LANES), elements=st.sampled_from([-2.0, 0.0, 1.5])))
def test_the_largest_row_is_the_last_of_its_equals(rows: Vector) -> None:
    out = np.zeros((2, LANES), np.float32)
    for count in (1, 2, 4):
        largest_row(rows.ravel(), count, out.ravel())
        np.testing.assert_array_equal(out[0], rows[:count].max(axis=0))
        np.testing.assert_array_equal(out[1], count - 1 - rows[count - 1 :: -1].argmax(axis=0))
