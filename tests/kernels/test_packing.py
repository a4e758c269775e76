"""Packed regrets: what comes back is what went in, rounded, whatever the boards."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.errors import EndspielError
from endspiel.kernels.lanes import LANES, padded
from endspiel.kernels.packing import SPARE, PackedShape, pack, unpack
from tests.native.each_build import same_on_each_build


def boards(rng: np.random.Generator, hands: list[int]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.concatenate([[0], np.cumsum([padded(n) // LANES for n in hands])])
    return starts.astype(np.int64), np.array(hands, dtype=np.int64)


def held(starts: np.ndarray, hands: np.ndarray, rows: int) -> np.ndarray:
    """Which lanes [tiles, rows, 16] are hands."""
    mask = np.zeros((starts[-1], rows, LANES), dtype=bool)
    for b, count in enumerate(hands):
        for k in range(count):
            mask[starts[b] + k // LANES, :, k % LANES] = True
    return mask


@settings(deadline=None, max_examples=60)
@given(
    hands=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    rows=st.integers(1, 5),
    size=st.sampled_from([0.0, 0.4, 3.0, 200.0, 1e6, 1e8]),
    seed=st.integers(0, 10**6),
)
def test_what_is_packed_comes_back_to_the_bit(
    hands: list[int], rows: int, size: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    starts, counts = boards(rng, hands)
    live = held(starts, counts, rows)
    values = np.where(live, rng.normal(size=live.shape) * size * rng.integers(0, 2), 0)
    values = values.astype(np.float32).ravel()
    shape = PackedShape(starts, counts, rows)

    def there_and_back() -> tuple[np.ndarray, ...]:
        rounded, back = values.copy(), np.full_like(values, np.nan)
        packed = pack(rounded, shape, 1.0)
        unpack(packed, shape, 1.0, back)
        return packed, rounded, back, np.signbit(rounded)

    packed, rounded, back, negative = same_on_each_build(there_and_back)
    assert np.array_equal(rounded, np.rint(values))
    assert np.array_equal(negative, np.signbit(values))
    assert np.array_equal(back, rounded)
    assert np.array_equal(plain_unpack(packed, starts, counts, rows), rounded)


def plain_unpack(
    packed: np.ndarray, starts: np.ndarray, hands: np.ndarray, rows: int
) -> np.ndarray:
    """The kernel's twin, hand by hand as the module's docstring says."""
    bytes_left = iter(packed.tolist())
    found = np.zeros((starts[-1], rows, LANES), dtype=np.float32)
    still = 0
    for b, count in enumerate(hands):
        before = [0] * rows
        for t in range(starts[b], starts[b + 1]):
            lanes = min(count - LANES * (t - starts[b]), LANES)
            for row in range(rows):
                head = 0 if still else next(bytes_left)
                if head >= 128:
                    still = head - 127
                if still:
                    still -= 1
                    found[t, row, :lanes] = before[row]
                    continue
                heads = [head, next(bytes_left) if lanes > 8 else 0]
                numbers = plain_numbers(heads, bytes_left, before[row])
                found[t, row, :lanes] = numbers[:lanes]
                before[row] = numbers[-1]
    assert list(bytes_left) == [0] * SPARE
    return found.ravel()


def plain_numbers(heads: list[int], bytes_left: Iterator[int], before: int) -> list[int]:
    """A row of a tile: its bits, then the numbers that they say."""
    widths = [head % 64 for head in heads]
    coded = [0] * LANES
    for half, width in enumerate(widths):
        for bit in range(width):
            byte = next(bytes_left)
            for i in range(8):
                coded[8 * half + i] += (byte >> i & 1) << bit
    numbers = []
    for lane, code in enumerate(coded):
        if heads[lane // 8] < 64:
            before += -(code + 1) // 2 if code % 2 else code // 2
        else:
            before = code
        numbers.append(before)
    return numbers


def test_a_scale_is_the_size_of_a_step() -> None:
    shape = PackedShape(np.array([0, 1]), np.array([16]), 1)
    values = np.linspace(-1, 1, 16).astype(np.float32)
    rounded, back = values.copy(), np.empty(16, np.float32)
    words = pack(rounded, shape, 64.0)
    unpack(words, shape, 64.0, back)
    assert np.abs(rounded - values).max() <= 1 / 128
    assert np.array_equal(back, rounded)


@pytest.mark.parametrize(("kind", "bits"), [("zeros", 0.1), ("slope", 3.0), ("noise", 12.0)])
def test_neighbors_save_room(kind: str, bits: float) -> None:
    """Bits a value: next to none for zeros, few for a slope, as many as it takes for noise."""
    rng, hands = np.random.default_rng(1), 640
    starts = np.array([0, hands // LANES])
    ramp = np.repeat(np.arange(hands), 1).reshape(-1, LANES)
    values = {
        "zeros": np.zeros_like(ramp),
        "slope": ramp // 4,
        "noise": rng.integers(0, 2048, ramp.shape),
    }[kind].astype(np.float32)
    packed = pack(values.ravel(), PackedShape(starts, np.array([hands]), 1), 1.0)
    assert 8 * (len(packed) - SPARE) / hands <= bits


def test_what_is_less_than_the_least_is_forgotten() -> None:
    shape = PackedShape(np.array([0, 1]), np.array([16]), 1)
    values = np.arange(-8, 8).astype(np.float32)
    back, found = np.empty_like(values), values.copy()
    unpack(pack(found, shape, 1.0, least=0.0), shape, 1.0, back)
    assert np.array_equal(back, np.maximum(values, 0))
    assert np.array_equal(back, found)
    with pytest.raises(EndspielError, match="too large"):
        pack(np.full(16, np.nan, np.float32), shape, 1.0, least=0.0)


def test_what_lies_between_hands_is_left_out() -> None:
    """Padding, whatever it holds, is neither read nor brought back."""
    shape = PackedShape(np.array([0, 2]), np.array([21]), 1)
    values = np.full(32, np.nan, np.float32)
    values[:21], back = np.arange(21), np.full(32, np.nan, np.float32)
    unpack(pack(values, shape, 1.0), shape, 1.0, back)
    assert np.array_equal(back, [*range(21), *[0] * 11])


def test_arrays_are_as_large_as_the_boards() -> None:
    shape = PackedShape(np.array([0, 2]), np.array([21]), 3)
    packed, few = pack(np.zeros(96, np.float32), shape, 1.0), np.zeros(80, np.float32)
    with pytest.raises(TypeError, match="80 values are fewer than 2 tiles of 3 rows"):
        pack(few, shape, 1.0)
    with pytest.raises(TypeError, match="80 values are fewer"):
        unpack(packed, shape, 1.0, few)
    with pytest.raises(TypeError, match="1 boards have 3 starts"):
        pack(few, shape._replace(starts=np.array([0, 1, 2])), 1.0)


@pytest.mark.parametrize("ends", [(-(2.0**30), 2.0**30), (2.0**30, -(2.0**30))])
def test_the_longest_steps_come_back(ends: tuple[float, float]) -> None:
    shape = PackedShape(np.array([0, 1]), np.array([16]), 1)
    values = np.array([*ends, 0, ends[0]] * 4, dtype=np.float32)

    def there_and_back() -> np.ndarray:
        back = np.empty_like(values)
        unpack(pack(values.copy(), shape, 1.0), shape, 1.0, back)
        return back

    assert np.array_equal(same_on_each_build(there_and_back), values)


@pytest.mark.parametrize("value", [1e9, -1e9, np.inf, np.nan])
def test_regrets_that_do_not_fit_are_refused(value: float) -> None:
    with pytest.raises(EndspielError, match="too large for fixed point"):
        pack(np.full(16, value, np.float32), PackedShape(np.array([0, 1]), np.array([16]), 1), 2.0)
