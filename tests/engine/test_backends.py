"""One suite over every backend: the same games, laid out differently, are the same games."""

import ast
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from endspiel.engine.backend import Backend, average_value, best_value, exploitability
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.solvers.firstorder.cfr import PlexBackend
from tests.engine.layouts import AVERAGING, BACKENDS, CASES, GAMES, NEEDS_COMPILER, Made

DCFR = SCHEMES["dcfr"]
every_case = pytest.mark.parametrize(("backend", "game"), CASES)
every_river = pytest.mark.parametrize(
    ("backend", "game"),
    [case for case in CASES if case.values[1] != "turn"],  # as of many boards says no more
)
averaging, others = (
    pytest.mark.parametrize(
        ("backend", "game"), [case for case in CASES if (case.values[0] in AVERAGING) == which]
    )
    for which in (True, False)
)


def build(backend: str, made: Made) -> Backend:
    """A backend that is ready to learn."""
    found = BACKENDS[backend][0](made.own)
    found.accept(DCFR)
    return found


def both(backend: str, game: str) -> tuple[Backend, PlexBackend, Made]:
    """A backend, the treeplex that it must agree with, and the game of both."""
    made = GAMES[game]()
    return build(backend, made), PlexBackend(made.dense()), made


def assert_close(one: np.ndarray, two: np.ndarray, made: Made) -> None:
    np.testing.assert_allclose(one, two, rtol=0, atol=made.close)


@NEEDS_COMPILER
def test_every_backend_of_the_package_is_tried() -> None:
    """Classes that have the protocol's last verb, but for protocols and batches of many games."""
    verb, found = "def average_values(", set()
    for path in Path(str(files("endspiel"))).rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if verb in text else ():
            if isinstance(node, ast.ClassDef) and verb in (
                ast.get_source_segment(text, node) or ""
            ):
                found.add(node.name)
    tried = {
        kind.__name__
        for make, games in BACKENDS.values()
        for kind in type(make(GAMES[games[0]]().own)).__mro__
    }
    found -= {"Backend", "Measured", "StreamBatch"}
    assert len(found) == 7
    assert found <= tried


@every_case
def test_every_half_iteration_finds_the_same_values(backend: str, game: str) -> None:
    one, two, made = both(backend, game)
    for t in range(1, made.few):
        for player in (0, 1):
            values = [each.learn(player, DCFR.at(t)) for each in (one, two)]
            assert values[0].shape == one.root(player).shape
            assert_close(*values, made)


@every_case
def test_averages_and_best_responses_agree(backend: str, game: str) -> None:
    one, two, made = both(backend, game)
    for each in (one, two):
        Driver(each, DCFR).advance(made.few)
    for player in (0, 1):
        assert_close(one.root(player), two.root(player), made)
        assert_close(one.best_values(player), two.best_values(player), made)
        assert_close(one.average_values(player), two.average_values(player), made)
    assert average_value(one, 0) == pytest.approx(-average_value(one, 1), abs=made.close)


CURRENT = SCHEMES["cfr+"].answering(Answer("current"))
DELAYED = SCHEMES["cfr+"].answering(Answer(delay=1))


@others
def test_the_current_strategy_may_be_the_solution(backend: str, game: str) -> None:
    """No average is stored, and best responses are to the strategy that the next iteration plays.

    What the next half iteration of player 0 earns is what both players' current strategies are
    worth. Iterations are few, and none are compared on the turn: regrets that are zero but for
    rounding decide a current strategy.
    """
    one, two, made = both(backend, game)
    for each in (one, two):
        Driver(each, CURRENT).advance(2)
    for player in (0, 1) if game != "turn" else ():
        assert_close(one.best_values(player), two.best_values(player), made)
        assert_close(one.average_values(player), two.average_values(player), made)
    expected = one.average_values(0)
    assert_close(one.learn(0, CURRENT.at(3)), expected, made)
    stored, with_average = (
        sum(array.nbytes for array in each.state().values()) for each in (one, build(backend, made))
    )
    assert stored < with_average or backend == "streams"  # whose state names it twice


@averaging
def test_a_backend_that_always_averages_refuses_another_solution(backend: str, game: str) -> None:
    with pytest.raises(GameError, match="average"):
        build(backend, GAMES[game]()).accept(CURRENT)


@every_river
def test_the_average_is_of_the_iterations_that_the_equation_names(backend: str, game: str) -> None:
    """Weights max(t - 1, 0) on what iterations 1 to T played, the first of them uniform."""
    one, _, made = both(backend, game)
    iterations = min(made.few - 1, 3)
    Driver(one, DELAYED).advance(iterations)
    dense = made.dense()
    two = Driver(PlexBackend(dense), CURRENT)
    totals = [np.zeros(plex.num_sequences) for plex in dense.plexes]
    for t in range(1, iterations + 1):
        for player, learner in enumerate(two.backend.learners):
            totals[player] += max(t - 1, 0) * learner.plan
        two.step()
    for player in (0, 1):
        other = dense.plexes[1 - player]
        plan = other.walk_down(other.behavior(totals[1 - player]))
        values, _ = dense.plexes[player].best_response(dense.gradient(player, plan))
        assert_close(one.best_values(player), values[: len(one.root(player))], made)


@every_river
def test_a_player_may_begin_with_another_range(backend: str, game: str) -> None:
    one, two, made = both(backend, game)
    for t in range(1, made.few):
        for player in (0, 1):
            reach = np.linspace(0, 1, len(one.root(player))) ** t
            values = []
            for each in (one, two):
                each.set_root(player, reach)
                assert_close(each.root(player), reach, made)
                values.append(each.learn(player, DCFR.at(t)))
            assert_close(*values, made)
    for player in (0, 1):
        assert_close(one.best_values(player), two.best_values(player), made)


@every_river
def test_a_game_keeps_its_ranges(backend: str, game: str) -> None:
    """A solve that begins with other masses leaves the game, and other solves of it, alone."""
    made = GAMES[game]()
    one = build(backend, made)
    one.set_root(0, np.zeros_like(one.root(0)))
    two = build(backend, made)
    assert two.root(0).any()
    assert one.best_values(1) == pytest.approx(0)
    assert two.best_values(1).any()


@every_river
def test_iterations_are_halves_in_turn(backend: str, game: str) -> None:
    made = GAMES[game]()
    one, two = build(backend, made), build(backend, made)
    Driver(one, DCFR).advance(6)
    for t in range(1, 7):
        for player in (0, 1):
            two.learn(player, DCFR.at(t))
    for player in (0, 1):
        assert np.array_equal(one.average_values(player), two.average_values(player))


@every_case
def test_a_state_goes_on_to_the_bit(backend: str, game: str) -> None:
    made = GAMES[game]()
    whole, first, second = (Driver(build(backend, made), DCFR) for _ in range(3))
    whole.advance(9)
    first.advance(4)
    state = {name: np.array(array) for name, array in first.state().items()}
    first.advance(2)  # goes its own way
    second.restore(state)
    assert second.iteration == 4
    second.advance(5)
    for player in (0, 1):
        ends = (each.backend.best_values(player) for each in (whole, second))
        assert np.array_equal(*ends)


def best_by_program(game: Game, player: int, theirs: np.ndarray) -> float:
    """A best response's payoff against a plan [S'], by a linear program over plans."""
    constraints, right = game.plexes[player].constraints()
    matrix = game.matrix if player == 0 else -game.matrix.T
    found = linprog(-(matrix @ theirs), A_eq=constraints, b_eq=right, bounds=(0, None))
    assert found.status == 0
    return float(-found.fun)


@every_case
def test_exploitability_is_what_linear_programs_find(backend: str, game: str) -> None:
    one, two, made = both(backend, game)
    for each in (one, two):
        Driver(each, DCFR).advance(made.few)
    dense, best = made.dense(), []
    for player in (0, 1):
        other = two.learners[1 - player]
        best.append(best_by_program(dense, player, other.plan_of(other.average_behavior())))
        assert best_value(one, player) == pytest.approx(best[player], abs=made.close)
    assert exploitability(one) == pytest.approx(sum(best) / 2, abs=made.close)
    Driver(one, DCFR).advance(made.more)
    assert 0 <= exploitability(one) < 2e-3 * made.unit
