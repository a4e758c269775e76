"""Leduc hold'em is the game everybody else means by it."""

import numpy as np
import pytest

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.game import Profile, exploitability
from endspiel.games.leduc_holdem import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.solvers.firstorder.cfr import CFR

VALUE = -0.0856064240780005
VALUE_5_RANKS = -0.112768934481


def run(game, iterations):
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(iterations):
        solver.step()
    return exploitability(game, solver.average())


def test_sizes_and_uniform_play_are_openspiels():
    ours, theirs = leduc(), from_openspiel("leduc_poker")
    for game in (ours, theirs):
        assert game.num_infosets == 936
        assert game.matrix.nnz == 5520
        assert game.span == 26
    a, b = (exploitability(game, Profile.uniform(game)) for game in (ours, theirs))
    np.testing.assert_allclose((a.value, *a.best), (b.value, *b.best), rtol=1e-13)


@pytest.mark.parametrize(("ranks", "value"), [(3, VALUE), (5, VALUE_5_RANKS)])
def test_value(ranks, value):
    found = run(leduc(ranks), 1000)
    assert -found.best[1] - 1e-9 <= value <= found.best[0] + 1e-9
    assert found.mean < 1e-3
    assert found.value == pytest.approx(value, abs=1e-3)


def test_more_suits_make_more_infosets():
    assert leduc(2, 3).num_infosets > leduc(2, 2).num_infosets


@pytest.mark.parametrize("size", [(1, 2), (3, 1), (2, 27)])
def test_refusals(size):
    with pytest.raises(GameError, match="Leduc"):
        leduc(*size)
