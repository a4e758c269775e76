"""What copies a batch's tables and averages equals its twin in NumPy."""

import numpy as np
import pytest

from endspiel.gpu.table_kernels import ABSENT, Dealt, fill_averages, most_held, pack_tables

BOARDS, WIDTH, SIZE = 3, 64, 4


def test_packed_tables_have_two_hands_a_thread() -> None:
    rng = np.random.default_rng(1)
    scatter = rng.integers(0, 1000, (2, BOARDS, 3, WIDTH)).astype(np.uint16)
    gather = rng.integers(0, 1000, (2, BOARDS, 8, WIDTH)).astype(np.uint16)
    same = rng.choice([3, 9, ABSENT], (2, BOARDS, WIDTH)).astype(np.uint16)
    for halves in (1, 2):
        out = np.zeros((halves, BOARDS, 3, WIDTH // 2, 8), np.uint16)
        pack_tables((scatter, gather, same), SIZE, out, (1, BOARDS))
        assert not out[:, 0].any()
        for p in range(halves):
            for two in (0, 1):
                own, other = slice(two, None, 2), 1 - p
                head = out[p, 1:, 0, :, 3 * two : 3 * two + 3].swapaxes(1, 2)
                assert np.array_equal(head, SIZE * scatter[other, 1:, :, own])
                assert np.array_equal(out[p, 1:, 0, :, 6 + two], same[p, 1:, own])
                tail = out[p, 1:, 1 + two].swapaxes(1, 2)
                assert np.array_equal(tail, SIZE * gather[p, 1:, :, own])


def test_averages_go_to_the_lanes_of_their_hands() -> None:
    rng = np.random.default_rng(2)
    kept = rng.random((BOARDS, 9, WIDTH), dtype=np.float32)
    hands = np.stack([rng.permutation(1326)[:WIDTH] for _ in range(BOARDS)]).astype(np.int16)
    hands[:, 40:] = -1
    start = np.array([0, 2, 3, 5])
    lanes = np.full((5, 16), -1, np.int32)
    for b in range(BOARDS):
        own = lanes[start[b] : start[b + 1]]
        own[:, :13] = rng.choice(hands[b, :40], (len(own), 13))
    out = np.ones((5, 4, 16), np.float32)
    fill_averages(kept, hands, (start, lanes.reshape(-1)), (3, 0.25), out)
    for b in range(BOARDS):
        for tile in range(start[b], start[b + 1]):
            for lane, hand in enumerate(lanes[tile]):
                place = np.flatnonzero(hands[b] == hand)[0] if hand >= 0 else None
                expected = 0 if place is None else kept[b, 3:7, place] / 4
                assert np.array_equal(out[tile, :, lane], np.broadcast_to(expected, 4))
    with pytest.raises(IndexError, match="4 rows from 6 on"):
        fill_averages(kept, hands, (start, lanes.reshape(-1)), (6, 0.25), out)


def test_boards_that_are_not_there_are_refused() -> None:
    tables = [np.zeros((2, BOARDS, *more, WIDTH), np.uint16) for more in ((3,), (8,), ())]
    out = np.zeros((2, BOARDS, 3, WIDTH // 2, 8), np.uint16)
    with pytest.raises(IndexError, match="there are no boards 2 to 4, but 3"):
        pack_tables((tables[0], tables[1], tables[2]), SIZE, out, (2, 4))
    with pytest.raises(TypeError, match="are not those of the boards"):
        most_held(Dealt(np.zeros((2, 5), np.uint8), np.zeros((2, 3, 1326), np.uint8), True))
