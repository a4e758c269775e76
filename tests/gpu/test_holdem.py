"""Whole hold'em by op streams, on nine cards, against the board kernels."""

from collections.abc import Sequence

import numpy as np
import pytest

from endspiel.engine.limits import Limits
from endspiel.engine.schemes import CURRENT, Answer
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.holdem import limit_holdem
from endspiel.gpu.backend import StreamBackend, numpy_machine
from endspiel.gpu.holdem import run_holdem, stream_game
from endspiel.gpu.twin import Twin
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import SPOT_SCHEMES
from endspiel.solvers.boards.holdem import HoldemTask, prepare_holdem

SCHEME = SPOT_SCHEMES["cfr+"]


@pytest.fixture(scope="module")
def task() -> HoldemTask:
    return prepare_holdem(limit_holdem(3, 3, max_raises=1))


def twin(games: Sequence[CardGame], *, averages: bool) -> Twin:
    return numpy_machine(games)


def test_each_flop_has_as_many_images_as_it_stands_for(task: HoldemTask) -> None:
    flops = task.game.cards.tree.streets[1]
    told = stream_game(task).tree.streets[1]
    assert [len(flop.images) for flop in told] == [flop.weight for flop in flops]
    assert sum(len(flop.images) for flop in told) == 84  # three of nine cards
    assert all(flop.images[0] == 0 for flop in told)


def test_halves_are_those_of_the_board_kernels(task: HoldemTask) -> None:
    ours, boards = StreamBackend(stream_game(task)), BoardBackend(task.game.cards)
    for player in (0, 1):
        found, wanted = (one.learn(player, SCHEME.at(1)) for one in (ours, boards))
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)
    found, wanted = (one.learn(0, SCHEME.at(2)) for one in (ours, boards))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("solution", ["average", CURRENT])
def test_a_solution_is_measured_where_it_is_looked_up(task: HoldemTask, solution: str) -> None:
    """What comes back is the strategy whose exploitability was told."""
    asked = prepare_holdem(task.game, answer=Answer(solution))
    found = run_holdem(asked, Limits(iterations=1), twin, 10**9)
    boards = BoardBackend(task.game.cards)
    boards.store.average[:] = found.store.average
    gains = [boards.root(p) @ boards.best_values(p) for p in (0, 1)]
    assert found.exploitability == pytest.approx(sum(gains) / 2, abs=1e-5)
    assert found.iterations == 1
    assert found.store.is_current == (solution == CURRENT)
    assert sum(found.strategy("", "4c4d").values()) == pytest.approx(1, abs=1e-6)


def test_what_does_not_fit_is_refused(task: HoldemTask) -> None:
    with pytest.raises(EndspielError, match="on the GPU needs"):
        run_holdem(task, Limits(iterations=1), twin, 10**6)
