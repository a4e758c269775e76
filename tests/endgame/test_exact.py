"""River endgames by linear programming: against HiGHS, on random endgames, and on the clock."""

import time

import numpy as np
import pytest

from endspiel.cards.text import parse_board
from endspiel.endgame.exact import RiverOptions, build_river, solve_river
from endspiel.endgame.river import River
from endspiel.errors import BettingError, CardError, GameError
from endspiel.game import exploitability
from endspiel.solvers.lp import Options, solve
from tests.endgame.rivers import random_river

SMALL = RiverOptions(budget=500)


@pytest.mark.parametrize("seed", range(8))
def test_the_value_is_highs(seed: int) -> None:
    river = random_river(seed)
    found = solve_river(river, SMALL)
    plain = solve(build_river(river, SMALL).game, Options(shortlist=False))
    assert found.method == "lp"
    assert found.exploitability <= 1e-9
    assert found.value == pytest.approx(plain.value, abs=1e-9)


def test_random_endgames_are_solved_exactly() -> None:
    for seed in range(100, 120):
        found = solve_river(random_river(seed), SMALL)
        assert found.exploitability <= 1e-6, seed


@pytest.mark.slow
def test_a_thousand_endgames_are_solved_exactly() -> None:
    for seed in range(1000):
        found = solve_river(random_river(seed), RiverOptions(budget=2500))
        assert found.exploitability <= 1e-6, seed
        assert found.method == "lp", seed


def test_iterations_over_all_hands_know_their_gap() -> None:
    river = random_river(21)
    found = solve_river(river, RiverOptions("dcfr", budget=None, target=1e-3))
    assert found.exploitability <= 1e-3
    again = exploitability(found.game.game, found.profile)
    assert again.mean == pytest.approx(found.exploitability, abs=1e-5)
    assert again.value == pytest.approx(found.value, abs=1e-5)


def test_unabstracted_programs_are_exact() -> None:
    rng = np.random.default_rng(5)
    ranges = (rng.uniform(size=(2, 1326)) < 0.02) * rng.uniform(size=(2, 1326))
    river = River.of(parse_board("Jc 6s 2c Kd Qc"), 100, 150, ranges)
    found = solve_river(river, RiverOptions(budget=None))
    assert found.method == "lp"
    assert found.game.buckets[0].count == np.count_nonzero(river.ranges[0])


def test_probabilities_are_by_hand() -> None:
    river = random_river(2)
    found = solve_river(river, SMALL)
    rows = found.probabilities("")
    live = river.strengths > 0
    assert rows.shape == (len(found.actions("")), 1326)
    np.testing.assert_allclose(rows[:, live].sum(axis=0), 1, atol=1e-12)
    assert not rows[:, ~live].any()
    hand = [card for card in range(52) if card not in river.board][:2]
    assert found.probabilities("c", hand).sum() == pytest.approx(1)
    with pytest.raises(CardError, match="card of the board"):
        found.probabilities("", (river.board[0], hand[0]))
    with pytest.raises(BettingError, match="nobody decides"):
        found.probabilities("c c")


def test_without_chips_behind_there_is_only_a_showdown() -> None:
    river = random_river(2)
    bare = River.of(river.board, river.pot, 0, river.ranges)
    found = solve_river(bare)
    assert found.method == "lp"
    assert found.exploitability == 0
    game = build_river(bare, RiverOptions())
    assert found.value == pytest.approx(game.advantage.sum() / 2)


def test_the_deadline_is_kept_by_what_iterations_found() -> None:
    river = random_river(2)
    solve_river(river, SMALL)  # compile
    start = time.process_time()
    found = solve_river(river, RiverOptions(seconds=0.0))
    assert time.process_time() - start < 5  # one short batch, not a whole solve
    assert found.method == "dcfr"
    assert exploitability(found.game.game, found.profile).mean == found.exploitability
    assert found.iterations > 0


def test_unknown_methods_are_named() -> None:
    with pytest.raises(GameError, match="'simplex'"):
        RiverOptions("simplex")
