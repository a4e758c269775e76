"""Every solver on every game whose value is known."""

from functools import cache

import pytest

from endspiel.engine.schemes import SCHEMES
from endspiel.game import Game, exploitability
from endspiel.solvers.methods import METHODS
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve
from tests.oracles import LARGE_ORACLES, ORACLES, Oracle, each

ITERATIONS = 1000
# Exploitability allowed after the iterations above, as a share of the game's payoff range.
ALLOWED = {
    "cfr": 2e-3,
    "linear": 1e-3,
    "cfr+": 7e-4,
    "dcfr": 7e-4,
    "dcfr+": 7e-4,
    "pcfr+": 1e-4,
    "sapcfr+": 1e-4,
    "egt": 1e-4,
    "lp": 1e-9,
    "undominated": 1e-9,
    "quasi-perfect": 3e-3,  # its trembles cost about their size, 1e-3, for each move
}
LARGE_ALLOWED = {"cfr+": 3e-4, "dcfr": 3e-4, "pcfr+": 2e-3, "egt": 2e-3, "lp": 1e-9}
ROUNDING = 1e-12


@cache
def built(name: str) -> Game:
    return next(oracle for oracle in ORACLES if oracle.name == name).build()


def check(game: Game, oracle: Oracle, solution: Solution, allowed: float) -> None:
    """The certificate of any solution: the value lies between what both players can secure."""
    measured = exploitability(game, solution.profile)
    slack = ROUNDING * max(1.0, game.payoff_range) + oracle.digits
    assert -measured.best[1] - slack <= oracle.value <= measured.best[0] + slack
    assert solution.exploitability == measured.mean
    assert solution.value == measured.value
    assert solution.exploitability <= allowed * game.payoff_range


def test_every_method_has_its_tolerance() -> None:
    assert set(ALLOWED) == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
@each()
def test_value(oracle: Oracle, method: str) -> None:
    game = built(oracle.name)
    assert game.num_infosets == oracle.infosets
    solution = solve(game, method, iterations=ITERATIONS)
    check(game, oracle, solution, ALLOWED[method])
    # Between two best-response values of this distance lies the true one, so this follows.
    gap = 2 * ALLOWED[method] * game.payoff_range
    assert solution.value == pytest.approx(oracle.value, abs=max(gap, 1e-12))


@pytest.mark.parametrize("method", SCHEMES)
def test_simultaneous_updates(method: str) -> None:
    game = built("kuhn")
    solution = solve(game, method, iterations=4 * ITERATIONS, alternating=False)
    assert solution.exploitability <= 2e-3 * game.payoff_range
    assert solution.parameters["alternating"] is False


@pytest.mark.slow
@pytest.mark.parametrize("method", LARGE_ALLOWED)
@each(LARGE_ORACLES)
def test_large_value(oracle: Oracle, method: str) -> None:
    game = oracle.build()
    assert game.num_infosets == oracle.infosets
    check(game, oracle, solve(game, method, iterations=ITERATIONS), LARGE_ALLOWED[method])
