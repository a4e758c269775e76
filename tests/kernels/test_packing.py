"""Packed regrets: what comes back is what went in, rounded, whatever the boards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.errors import EndspielError
from endspiel.kernels.packing import PackedShape, pack, unpack
from endspiel.kernels.simd import LANES, padded


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
    rounded, back = values.copy(), np.full_like(values, np.nan)
    words = pack(rounded, PackedShape(starts, counts, rows), 1.0)
    unpack(words, PackedShape(starts, counts, rows), 1.0, back)
    assert np.array_equal(rounded, np.rint(values))
    assert np.array_equal(back, rounded)


def test_a_scale_is_the_size_of_a_step() -> None:
    shape = PackedShape(np.array([0, 1]), np.array([16]), 1)
    values = np.linspace(-1, 1, 16).astype(np.float32)
    rounded, back = values.copy(), np.empty(16, np.float32)
    words = pack(rounded, shape, 64.0)
    unpack(words, shape, 64.0, back)
    assert np.abs(rounded - values).max() <= 1 / 128
    assert np.array_equal(back, rounded)


@pytest.mark.parametrize(("kind", "bits"), [("zeros", 0.1), ("slope", 2.5), ("noise", 13.0)])
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
    words = pack(values.ravel(), PackedShape(starts, np.array([hands]), 1), 1.0)
    assert 32 * len(words) / hands <= bits


def test_regrets_that_do_not_fit_are_refused() -> None:
    with pytest.raises(EndspielError, match="too large for fixed point"):
        pack(np.full(16, 1e9, np.float32), PackedShape(np.array([0, 1]), np.array([16]), 1), 2.0)
