"""Gadgets above op streams: what the opponent gets is what the board kernels let it have."""

import numpy as np
import pytest

from endspiel.engine.gadget import GadgetSolve, Terms
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.gpu.backend import StreamBackend
from endspiel.solvers.boards.backend import BoardBackend
from tests.gpu.test_backend import mixed_rivers

STEPS = 300


def terms_of(backend: BoardBackend, opponent: int, free: bool) -> Terms:
    """What the opponent has elsewhere: what it gets here by a poor strategy, more or less."""
    for t in range(1, 4):
        for player in (0, 1):
            backend.learn(player, SPOT_SCHEMES["dcfr"].at(t))
    values, mass = backend.best_values(opponent), backend.root(opponent)
    values = values * np.random.default_rng(opponent).uniform(0.5, 1.5, len(values))
    taken, nothing = np.full(len(mass), free), np.zeros(len(mass))
    weight = np.full(len(mass), 0.5 / len(mass))
    return Terms(taken, values, weight, ~taken, values, nothing + (not free) * mass)


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("free", [True, False])
def test_a_gadget_is_solved_as_the_board_kernels_solve_it(opponent: int, free: bool) -> None:
    game = mixed_rivers()[0]
    terms = terms_of(BoardBackend(game), opponent, free)
    found = []
    for backend in (StreamBackend(game), BoardBackend(game)):
        solve = GadgetSolve(backend, SPOT_SCHEMES["dcfr"], 1 - opponent, terms)
        solve.advance(STEPS)
        found.append((float(solve.gap()), float(solve.margin())))
    (gap, margin), (right_gap, right_margin) = found
    assert -1e-5 < gap < 0.01
    assert -1e-5 < right_gap < 0.01
    assert margin == pytest.approx(right_margin, abs=1e-3)
