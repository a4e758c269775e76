"""Strategies on real cards are data: measured for themselves, whatever solved them."""

import numpy as np
import pytest

import endspiel as es
from endspiel.engine.limits import Limits
from endspiel.gpu.backend import numpy_machine
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.streams import run_alone
from endspiel.solving.task import prepare

RIVER = es.parse_spot(
    {
        "board": "Qs Jh 2h 4c 8d",
        "pot": 200,
        "stack": 300,
        "ranges": ["QQ,AJs,T9s:0.5", "JJ,KQo,A5s"],
        "river": {"bet": "50%, a", "raise": "a"},
    }
)
TURN = es.parse_spot(
    {
        "board": "Qs Jh 2h 4c",
        "pot": 200,
        "stack": 300,
        "ranges": ["QhQd,Td9d", "KhQh,AdKd"],
        "turn": {"bet": "a"},
        "river": {"bet": "a"},
    }
)


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("method", ["dcfr", "pcfr+", "egt", "lp"])
def test_what_is_looked_up_is_what_was_certified(spot: es.Spot, method: str) -> None:
    """The exploitability and value of a result are those of the strategies that it holds."""
    limits = {} if method == "lp" else {"iterations": 20}
    solution = es.solve(spot, method, **limits)
    assert solution.boards.exploitability() == pytest.approx(solution.exploitability, abs=1e-5)
    assert solution.boards.value() == pytest.approx(solution.value, abs=1e-5)


def test_a_result_of_a_stream_machine_is_one_too() -> None:
    found = run_alone(prepare(TURN, "dcfr"), Limits(iterations=20), numpy_machine)
    assert found.boards.exploitability() == pytest.approx(found.exploitability, abs=1e-5)


def test_a_solution_holds_no_regrets() -> None:
    """Its arrays are those of its file: averages, and a flag for each decision."""
    boards = es.solve(TURN, iterations=3).boards
    assert type(boards) is BoardStrategy
    arrays = [held for held in vars(boards).values() if isinstance(held, np.ndarray)]
    assert sum(held.nbytes for held in arrays) == 4 * boards.game.store_size + boards.game.num_nodes


def test_a_player_without_rows_plays_uniformly() -> None:
    solved = es.solve(RIVER, iterations=50).boards
    one = BoardStrategy.made(solved.game, solved.behavior, [0])
    assert np.allclose(one.behavior(0, 0, 0), solved.behavior(0, 0, 0), atol=1e-6)
    for own in solved.game.streets[0].own(1):
        assert np.allclose(one.behavior(0, 0, 1)[own.rows], 1 / own.actions)
    assert np.allclose(one.best(1), solved.best(1), atol=1e-6)


def test_locked_hands_that_never_come_show_their_lock() -> None:
    """A hand that never gets to its locked decision still has its probabilities there."""
    options = es.SpotOptions(locks=["b100: f 1", "b100 r300: f 0.25, c 0.75"])
    solution = es.solve(RIVER, options=options, iterations=5)
    view = solution.view("b100 r300")
    assert np.allclose(view.strategy, [[0.25] * len(view.hands), [0.75] * len(view.hands)])
    place = solution.node("b100")
    assert solution.boards.is_locked(place.street, place.board, place.player, place.decision)
    assert not solution.boards.is_locked(0, 0, 0, 0)
