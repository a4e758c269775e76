"""One suite over every backend: the same endgames, laid out differently, are the same games."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog

from endspiel.cards.deck import NUM_HANDS
from endspiel.engine.backend import Backend, average_value, best_value, exploitability
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.game import Game
from endspiel.games.card_game import Buckets, CardGame
from endspiel.games.dense import dense_game
from endspiel.gpu.backend import StreamBackend
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.firstorder.cfr import PlexBackend
from tests.games.spots import menu_sizing, small_game

GAMES = {
    "river": ("Qs Jh 2h 4c 9d", ("AKs,QQ:0.5,T8s,55", "JJ,KTs:0.25,A9o"), ("50%, a", "a")),
    "turn": ("Qs Jh 2h 4c", ("AKs:0.9,QQ:0.5,T8s:0.7,55", "JJ,KTs:0.25,A9o:0.3"), ("50%", "")),
}
DCFR = SCHEMES["dcfr"]
CLOSE = 2e-6  # of the pot: what 32-bit floats may differ by
FEW = 5  # iterations: in the end rounding decides between actions that are worth the same


def buckets_apart(game: CardGame) -> CardGame:
    """The same game through a card abstraction in which no two hands share a bucket."""
    boards, count = game.tree.streets[-1], 0
    of = np.zeros((len(boards), NUM_HANDS), dtype=np.int32)
    for row, board in zip(of, boards, strict=True):
        held = np.union1d(*board.hands)
        row[held] = count + np.arange(len(held))
        count += len(held)
    return CardGame(game.betting, game.tree, buckets=Buckets(count, of))


BACKENDS: dict[str, Callable[[CardGame], Backend]] = {
    "treeplex": lambda game: PlexBackend(dense_game(game)),
    "boards": BoardBackend,
    "boards on threads": lambda game: BoardBackend(game, threads=2),
    "streams": StreamBackend,
    "buckets": lambda game: BoardBackend(buckets_apart(game)),
}
CASES = [(backend, game) for backend in BACKENDS for game in ("river", "turn")]
every_case = pytest.mark.parametrize(("backend", "game"), CASES)
every_river = pytest.mark.parametrize(("backend", "game"), [c for c in CASES if c[1] != "turn"])


def build(name: str) -> CardGame:
    board, ranges, menus = GAMES[name]
    return small_game(board, ranges, menu_sizing(*menus))


def both(backend: str, game: str) -> tuple[Backend, Backend, CardGame]:
    """A backend, the treeplex that it must agree with, and the game of both."""
    made = build(game)
    return BACKENDS[backend](made), PlexBackend(dense_game(made)), made


def assert_close(one: np.ndarray, two: np.ndarray) -> None:
    np.testing.assert_allclose(one, two, rtol=0, atol=CLOSE)


@every_case
def test_every_half_iteration_finds_the_same_values(backend: str, game: str) -> None:
    one, two, _ = both(backend, game)
    for t in range(1, FEW):
        for player in (0, 1):
            values = [each.learn(player, DCFR.at(t)) for each in (one, two)]
            assert values[0].shape == one.root(player).shape
            assert_close(*values)


@every_case
def test_averages_and_best_responses_agree(backend: str, game: str) -> None:
    one, two, _ = both(backend, game)
    for each in (one, two):
        Driver(each, DCFR).advance(FEW)
    for player in (0, 1):
        assert_close(one.root(player), two.root(player))
        assert_close(one.best_values(player), two.best_values(player))
        assert_close(one.average_values(player), two.average_values(player))
    assert average_value(one, 0) == pytest.approx(-average_value(one, 1), abs=CLOSE)


CURRENT = SCHEMES["cfr+"].answering(Answer("current"))
DELAYED = SCHEMES["cfr+"].answering(Answer(delay=1))


@pytest.mark.parametrize(("backend", "game"), [c for c in CASES if "batched" not in c[0]])
def test_the_current_strategy_may_be_the_solution(backend: str, game: str) -> None:
    """No average is stored, and best responses are to the strategy that the next iteration plays.

    What the next half iteration of player 0 earns is what both players' current strategies are
    worth. Iterations are few, and none are compared on the turn: regrets that are zero but for
    rounding decide a current strategy.
    """
    one, two, _ = both(backend, game)
    for each in (one, two):
        Driver(each, CURRENT).advance(2)
    for player in (0, 1) if game != "turn" else ():
        assert_close(one.best_values(player), two.best_values(player))
        assert_close(one.average_values(player), two.average_values(player))
    expected = one.average_values(0)
    assert_close(one.learn(0, CURRENT.at(3)), expected)
    stored, with_average = (
        sum(array.nbytes for array in each.state().values())
        for each in (one, BACKENDS[backend](build(game)))
    )
    assert stored < with_average or backend == "streams"  # whose state names it twice


@every_river
def test_the_average_is_of_the_iterations_that_the_equation_names(backend: str, game: str) -> None:
    """Weights max(t - 1, 0) on what iterations 1 to T played, the first of them uniform."""
    one, _, made = both(backend, game)
    Driver(one, DELAYED).advance(3)
    dense = dense_game(made)
    two = Driver(PlexBackend(dense), CURRENT)
    totals = [np.zeros(plex.num_sequences) for plex in dense.plexes]
    for t in range(1, 4):
        for player, learner in enumerate(two.backend.learners):
            totals[player] += max(t - 1, 0) * learner.plan
        two.step()
    for player in (0, 1):
        other = dense.plexes[1 - player]
        plan = other.walk_down(other.behavior(totals[1 - player]))
        values, _ = dense.plexes[player].best_response(dense.gradient(player, plan))
        assert_close(one.best_values(player), values[: len(one.root(player))])


@every_river
def test_a_player_may_begin_with_another_range(backend: str, game: str) -> None:
    one, two, _ = both(backend, game)
    for t in range(1, 5):
        for player in (0, 1):
            reach = np.linspace(0, 1, len(one.root(player))) ** t
            values = []
            for each in (one, two):
                each.set_root(player, reach)
                assert_close(each.root(player), reach)
                values.append(each.learn(player, DCFR.at(t)))
            assert_close(*values)
    for player in (0, 1):
        assert_close(one.best_values(player), two.best_values(player))


@every_river
def test_a_game_keeps_its_ranges(backend: str, game: str) -> None:
    """A solve that begins with other masses leaves the game, and other solves of it, alone."""
    made = build(game)
    one = BACKENDS[backend](made)
    one.set_root(0, np.zeros_like(one.root(0)))
    two = BACKENDS[backend](made)
    assert two.root(0).any()
    assert one.best_values(1) == pytest.approx(0)
    assert two.best_values(1).any()


@every_river
def test_iterations_are_halves_in_turn(backend: str, game: str) -> None:
    made = build(game)
    one, two = BACKENDS[backend](made), BACKENDS[backend](made)
    Driver(one, DCFR).advance(6)
    for t in range(1, 7):
        for player in (0, 1):
            two.learn(player, DCFR.at(t))
    for player in (0, 1):
        assert np.array_equal(one.average_values(player), two.average_values(player))


@every_case
def test_a_state_goes_on_to_the_bit(backend: str, game: str) -> None:
    made = build(game)
    whole, first, second = (Driver(BACKENDS[backend](made), DCFR) for _ in range(3))
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
        Driver(each, DCFR).advance(FEW)
    dense = dense_game(made)
    assert isinstance(two, PlexBackend)
    best = []
    for player in (0, 1):
        other = two.learners[1 - player]
        best.append(best_by_program(dense, player, other.plan_of(other.average_behavior())))
        assert best_value(one, player) == pytest.approx(best[player], abs=CLOSE)
    assert exploitability(one) == pytest.approx(sum(best) / 2, abs=CLOSE)
    Driver(one, DCFR).advance(250)
    assert 0 <= exploitability(one) < 2e-3
