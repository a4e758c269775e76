"""A best response along one street and board, against plain matrices of who meets whom."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting.tree import CHANCE, DECISION, FOLD, SHOWDOWN
from endspiel.cards.deck import hand_cards
from endspiel.kernels.response import BoardHands, StreetLines, reach_down, values_up
from tests.native.each_build import same_on_each_build

BUCKETS = 5
ENTRIES, EXITS = 2, 3


def random_lines(rng: np.random.Generator) -> StreetLines:
    """A street of two lines; nodes that do not end in a fold or showdown go on, or leave it."""
    kinds, parents, entries, mine = [], [], [], []
    for entry in range(ENTRIES):
        kinds.append(DECISION)
        parents.append(-1)
        entries.append(entry)
    for parent in range(6):
        if parent < len(kinds) and kinds[parent] == DECISION:
            for _ in range(int(rng.integers(1, 4))):
                kinds.append(int(rng.integers(4)))
                parents.append(parent)
                entries.append(-1)
    kind, parent = np.array(kinds, np.int32), np.array(parents, np.int32)
    childless = ~np.isin(np.arange(len(kind)), parent) & (kind == DECISION)
    kind[childless] = CHANCE
    mine = ((kind == DECISION) & (rng.random(len(kind)) < 0.5)).astype(np.int32)
    taken = (parent >= 0) & (mine[parent] == 0) & (rng.random(len(kind)) < 0.8)
    row = np.where(taken, BUCKETS * rng.integers(0, 4, len(kind)), -1)
    leaving = np.where(kind == CHANCE, rng.integers(0, EXITS, len(kind)), -1).astype(np.int32)
    stake = rng.normal(size=len(kind)).astype(np.float32)
    return StreetLines(kind, parent, np.array(entries, np.int32), leaving, mine, row, stake)


def random_hands(rng: np.random.Generator) -> BoardHands:
    """Some hands in the order of strengths, several of which are equal."""
    count = int(rng.integers(1, 60))
    low, high = np.ascontiguousarray(hand_cards()[rng.permutation(200)[:count]].T)
    ends = np.unique(np.append(rng.integers(1, count + 1, 5), count)).astype(np.int32)
    return BoardHands(low, high, rng.integers(0, BUCKETS, count).astype(np.uint16), ends)


def meetings(hands: BoardHands) -> tuple[np.ndarray, np.ndarray]:
    """Which hands share no card [H, H], and what a showdown between them is worth."""
    cards = np.stack([hands.low, hands.high], axis=1)
    apart = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
    strength = np.searchsorted(hands.ends, np.arange(len(cards)), side="right")
    return apart, apart * np.sign(strength[:, None] - strength)


def plain_values(
    lines: StreetLines, hands: BoardHands, reach: np.ndarray, leaving: np.ndarray
) -> Iterator[np.ndarray]:
    """Values [H] of the lines' first nodes by recursion."""
    apart, shown = meetings(hands)

    def value(node: int) -> np.ndarray:
        if lines.kind[node] == FOLD:
            return lines.stake[node] * (apart @ reach[node])
        if lines.kind[node] == SHOWDOWN:
            return lines.stake[node] * (shown @ reach[node])
        if lines.kind[node] == CHANCE:
            return leaving[lines.leaving[node]].astype(np.float64)
        below = [value(child) for child in np.flatnonzero(lines.parent == node)]
        return np.max(below, axis=0) if lines.mine[node] else np.sum(below, axis=0)

    return (value(node) for node in range(ENTRIES))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_values_are_those_of_plain_code(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines, hands = random_lines(rng), random_hands(rng)
    nodes, count = len(lines.kind), len(hands.low)
    table = rng.random(4 * BUCKETS, np.float32)
    coming, leaving = (rng.random((n, count), np.float32) for n in (ENTRIES, EXITS))

    def work() -> tuple[np.ndarray, np.ndarray]:
        reach, value = np.empty((2, nodes, count), np.float32)
        entering = np.zeros((ENTRIES, count), np.float32)
        reach_down(lines, hands, table, coming, reach)
        values_up(lines, hands, reach, leaving, value, entering)
        return reach, entering

    reach, entering = same_on_each_build(work)
    for node in range(nodes):
        parent, row = lines.parent[node], lines.row[node]
        above = coming[lines.entry[node]] if parent < 0 else reach[parent]
        share = np.float32(1) if row < 0 else table[row + hands.bucket.astype(np.int64)]
        np.testing.assert_array_equal(reach[node], above * share)
    expected = list(plain_values(lines, hands, reach.astype(np.float64), leaving))
    np.testing.assert_allclose(entering, expected, rtol=1e-5, atol=1e-5)


def test_arrays_of_other_lengths_are_refused() -> None:
    rng = np.random.default_rng(1)
    lines, hands = random_lines(rng), random_hands(rng)
    reach = np.zeros((len(lines.kind), len(hands.low)), np.float32)
    table, coming = np.ones(20, np.float32), np.zeros((ENTRIES, len(hands.low)), np.float32)
    with pytest.raises(TypeError, match="lines of a street"):
        reach_down(lines._replace(row=lines.row[1:]), hands, table, coming, reach)
    with pytest.raises(TypeError, match="hands of a board"):
        reach_down(lines, hands._replace(bucket=hands.bucket[1:]), table, coming, reach)
    with pytest.raises(TypeError, match="reach has shape"):
        reach_down(lines, hands, table, coming, reach[1:])
