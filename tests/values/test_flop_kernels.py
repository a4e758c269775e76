"""Kernels of many flops equal their twins in NumPy, on every build."""

import numpy as np
import pytest

from endspiel.cards.deck import NUM_HANDS
from endspiel.values.flop_kernels import (
    FAINT,
    RUN_OUTS,
    NearBuckets,
    read_ranges,
    run_out,
    spread_values,
)
from tests.native.each_build import same_on_each_build

FLOPS, LINES, BUCKETS, NEAR = 3, 2, 11, 4


def some(rng: np.random.Generator, *shape: int) -> np.ndarray:
    found = rng.random(shape, dtype=np.float32)
    found[rng.random(shape) < 0.3] = 0
    return found


@pytest.fixture(name="where")
def near_buckets() -> NearBuckets:
    rng = np.random.default_rng(1)
    buckets = rng.integers(0, BUCKETS, (FLOPS, NUM_HANDS, NEAR)).astype(np.int16)
    return NearBuckets(buckets, some(rng, FLOPS, NUM_HANDS, NEAR), NEAR)


@pytest.mark.parametrize("ranges", [1, 4, 7])
def test_wins_of_players_all_in_are_a_product(ranges: int) -> None:
    rng = np.random.default_rng(2)
    theirs = some(rng, ranges, NUM_HANDS)
    faint = rng.random(theirs.shape) < 0.2
    theirs[faint] *= np.float32(FAINT / 2)
    wins = rng.integers(-RUN_OUTS, RUN_OUTS + 1, (NUM_HANDS, NUM_HANDS)).astype(np.int16)
    found = same_on_each_build(lambda: run_out(theirs, wins))
    left = np.where(theirs > FAINT * theirs.max(axis=1, keepdims=True), theirs, 0)
    np.testing.assert_allclose(found, left.astype(float) @ wins / RUN_OUTS, atol=1e-3)


def test_of_no_range_nothing_is_won() -> None:
    wins = np.ones((NUM_HANDS, NUM_HANDS), np.int16)
    assert not run_out(np.zeros((2, NUM_HANDS), np.float32), wins).any()


def test_ranges_are_read_into_the_columns_of_a_player(where: NearBuckets) -> None:
    rng = np.random.default_rng(3)
    coming, left = some(rng, FLOPS, LINES, NUM_HANDS), some(rng, FLOPS, LINES, NUM_HANDS)
    coming[1, 1] = 0  # a line that is not reached
    span = slice(3, 3 + BUCKETS)

    def read() -> tuple[np.ndarray, np.ndarray]:
        inputs = np.full((FLOPS, LINES, BUCKETS + 5), 9, np.float32)
        pairs = np.full((FLOPS, LINES, BUCKETS + 3), 8, np.float32)
        read_ranges(where, coming, left, span, inputs, pairs)
        return inputs, pairs

    inputs, pairs = same_on_each_build(read)
    hold = np.zeros((FLOPS, NUM_HANDS, BUCKETS))
    flop, hand, _ = np.indices(where.buckets.shape)
    np.add.at(hold, (flop, hand, where.buckets), where.shares)
    dealt, both = coming.astype(float), coming.astype(float) * left
    held, met = dealt @ hold, both @ hold
    held *= BUCKETS / np.maximum(dealt.sum(axis=2, keepdims=True), 1e-30)
    met /= np.maximum(both.sum(axis=2, keepdims=True), 1e-30)
    np.testing.assert_allclose(inputs[:, :, span], held, rtol=2e-5)
    np.testing.assert_allclose(pairs[:, :, span], met, rtol=2e-5)
    assert (np.delete(inputs, np.r_[span], axis=2) == 9).all()
    assert (np.delete(pairs, np.r_[span], axis=2) == 8).all()


def test_values_of_buckets_are_spread_over_hands(where: NearBuckets) -> None:
    rng = np.random.default_rng(4)
    worth = rng.normal(size=(FLOPS, LINES, BUCKETS)).astype(np.float32)
    left = some(rng, FLOPS, LINES, NUM_HANDS)

    def spread() -> np.ndarray:
        out = left.copy()
        spread_values(where, worth, out)
        return out

    for flop, (found, of_line) in enumerate(zip(same_on_each_build(spread), worth, strict=True)):
        value = (of_line[:, where.buckets[flop]] * where.shares[flop]).sum(axis=2)
        np.testing.assert_allclose(found, left[flop] * value, rtol=1e-5, atol=1e-6)


def test_arguments_that_do_not_fit_are_refused(where: NearBuckets) -> None:
    rows = np.zeros((FLOPS, LINES, NUM_HANDS), np.float32)
    table = np.zeros((FLOPS, LINES, BUCKETS), np.float32)
    with pytest.raises(IndexError, match="columns 1 to 12 are not in the tables"):
        read_ranges(where, rows, rows, slice(1, 1 + BUCKETS), table, table)
    with pytest.raises(TypeError, match="buckets have shape"):
        spread_values(where, table[:2], rows[:2])
    with pytest.raises(TypeError, match="wins does not lie in one piece"):
        run_out(rows[0], np.zeros((NUM_HANDS, NUM_HANDS), np.int16).T)
