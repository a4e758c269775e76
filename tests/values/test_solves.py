"""Turns solved: values add up to nothing, are equities where stacks are short; machines agree."""

import numpy as np
import pytest

from endspiel.cards.equity import equities
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.gpu.backend import numpy_machine
from endspiel.values.situations import Situation, drawn_ranges
from endspiel.values.solves import solve_turns


def situation(board: tuple[int, ...], depth: float, seed: int = 1) -> Situation:
    return Situation(board, depth, drawn_ranges(board, np.random.default_rng(seed)))


def test_almost_without_stacks_a_hand_is_worth_its_equity() -> None:
    one = situation((3, 17, 30, 44), 0.001)
    found = solve_turns([one], 20)
    live = live_hands(one.board) > 0
    for player in (0, 1):
        expected = equities(one.ranges[1 - player], one.board) - 0.5
        assert found.values[0, player, live] == pytest.approx(expected[live], abs=2e-3)
        assert not found.values[0, player, ~live].any()


def test_what_one_player_wins_the_other_loses() -> None:
    many = [situation((3, 17, 30, 44), 1.0), situation((8, 9, 10, 50), 1.0, seed=5)]
    found = solve_turns(many, 60)
    assert (found.exploitability < 0.02).all()
    ranges = np.stack([one.ranges for one in many])
    pairs = ranges * unblocked_weights(ranges)[:, ::-1]
    pairs /= pairs.sum(axis=2, keepdims=True)
    assert (found.values * pairs).sum(axis=(1, 2)) == pytest.approx([0, 0], abs=1e-4)
    assert np.abs(found.values).max() > 0.3


def test_machines_find_the_same() -> None:
    one = situation((3, 17, 30, 44), 0.1)
    boards, streams = solve_turns([one], 3), solve_turns([one], 3, numpy_machine)
    assert streams.values == pytest.approx(boards.values, abs=2e-3)
    assert streams.exploitability == pytest.approx(boards.exploitability, abs=1e-4)
