"""What hands leave of ranges and what they beat: equal to all pairs, on every build."""

import numpy as np
import pytest

from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import canonical_boards
from endspiel.cards.preflop import NUM_PAIR_CLASSES, pair_classes
from endspiel.cards.removal import conflicts, unblocked_weights
from endspiel.cards.run_outs import MOST_BOARDS, count_wins
from endspiel.cards.strength import board_strengths
from tests.native.each_build import same_on_each_build


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(NUM_HANDS,), (3, 2, NUM_HANDS), (0, NUM_HANDS)])
def test_unblocked_weights_equal_adding_up_all_hands_that_can_meet(kind, shape):
    rng = np.random.default_rng(3)
    ranges = rng.random(shape).astype(kind)
    ranges[rng.random(shape) < 0.5] = 0
    found = same_on_each_build(lambda: unblocked_weights(ranges))
    assert found.dtype == kind
    expected = ranges.astype(np.float64) @ ~conflicts()
    np.testing.assert_allclose(found, expected, rtol=1e-6 if kind == np.float32 else 1e-14)


def test_each_hand_counts_where_it_stands():
    every = np.eye(NUM_HANDS, dtype=np.float32)
    np.testing.assert_array_equal(unblocked_weights(every), ~conflicts())


def test_nothing_is_left_of_a_hand_that_is_held():
    one = np.zeros(NUM_HANDS)
    one[7] = 0.1
    assert (unblocked_weights(one)[conflicts()[7]] == 0).all()


def test_a_range_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="ranges have entries of int64, not of float32 or float64"):
        unblocked_weights(np.ones(NUM_HANDS, np.int64))


@pytest.mark.parametrize("count", [1, 63, 65])
def test_wins_equal_comparing_all_pairs(count):
    boards = canonical_boards(5)[0]
    boards = boards[np.random.default_rng(1).choice(len(boards), count)]
    wins = same_on_each_build(lambda: count_wins(boards))
    expected = np.zeros((NUM_HANDS, NUM_HANDS), np.int16)
    for board in boards:
        held = board_strengths(board.tolist())
        expected += (held[:, None] > held) & (held > 0)
    np.testing.assert_array_equal(wins, expected)


def test_more_wins_than_sixteen_bits_hold_are_refused():
    with pytest.raises(ValueError, match="32768 boards do not fit"):
        count_wins(np.zeros((MOST_BOARDS + 1, 5), np.uint8))


def test_pairs_fall_into_the_known_number_of_classes():
    number, forward, pairs = pair_classes()
    assert np.array_equal(number < 0, conflicts())
    assert np.array_equal(np.unique(number[number >= 0]), np.arange(NUM_PAIR_CLASSES))
    first = number[pairs[:, 0], pairs[:, 1]]
    assert np.array_equal(first, np.arange(NUM_PAIR_CLASSES))
    assert np.array_equal(number, number.T)
    assert forward[pairs[:, 0], pairs[:, 1]].all()
    assert np.array_equal(forward, ~(forward.T | conflicts()))
