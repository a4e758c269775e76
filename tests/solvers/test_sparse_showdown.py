"""The sparse program of whole hands has the dense one's payoffs, value and certificate."""

import numpy as np
import pytest

from endspiel.cards.text import parse_board
from endspiel.endgame.river.exact import RiverOptions, build_river, by_highs
from endspiel.endgame.river.game import RiverGame
from endspiel.endgame.river.river import River
from endspiel.solvers.lp import Options, SolverError, solve

# On the first all hands tie, on the last many do.
BOARDS = ("As Ks Qs Js Ts", "Jc 6s 2c Kd Qc", "7h 7d 2s 2c 9d")
PLAIN = Options(shortlist=False)


def few_hands(board: str, seed: int) -> RiverGame:
    rng = np.random.default_rng(seed)
    ranges = (rng.uniform(size=(2, 1326)) < 0.015) * rng.uniform(0.01, 1, size=(2, 1326))
    river = River.of(parse_board(board), 100, 150, ranges)
    return build_river(river, RiverOptions(budget=None))


@pytest.mark.parametrize("board", BOARDS)
def test_forms_are_those_of_the_game(board: str) -> None:
    game = few_hands(board, 3)
    assert game.showdown is not None
    fold, show = game.showdown.forms
    np.testing.assert_allclose(fold / fold.sum(), game.joint, atol=1e-15)
    np.testing.assert_allclose(show / fold.sum(), game.advantage, atol=1e-15)


@pytest.mark.parametrize("board", BOARDS)
def test_the_value_is_that_of_the_dense_program(board: str) -> None:
    game = few_hands(board, 4)
    sparse, dense = by_highs(game, PLAIN), solve(game.game, PLAIN)
    assert sparse.gap <= 1e-9
    assert sparse.value == pytest.approx(dense.value, abs=1e-9)


def test_buckets_of_several_hands_have_no_order() -> None:
    game = few_hands(BOARDS[1], 5)
    coarse = build_river(game.river, RiverOptions(budget=200))
    assert coarse.showdown is None
    dense = solve(coarse.game, PLAIN)
    assert by_highs(coarse, PLAIN).value == pytest.approx(dense.value, abs=1e-12)


def test_its_options_are_minded() -> None:
    with pytest.raises(SolverError, match="not 'barrier'"):
        by_highs(few_hands(BOARDS[0], 6), Options("barrier"))
