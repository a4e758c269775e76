"""Whole hold'em by op streams, on nine cards, against the board kernels."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from endspiel.betting.limit import limit_tree
from endspiel.engine.backend import exploitability
from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import CURRENT, SPOT_SCHEMES, Answer
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.holdem import Holdem, limit_holdem
from endspiel.gpu.backend import StreamBackend, numpy_machine
from endspiel.gpu.cuda.machine import CudaMachine
from endspiel.gpu.holdem import keep_fixed, run_holdem, stream_game
from endspiel.gpu.twin import Twin
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.holdem import HoldemTask, prepare_holdem
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR
from tests.gpu.cpu_device import CpuDevice
from tests.gpu.test_kernels import needs_compiler

SCHEME = SPOT_SCHEMES["cfr+"]


@pytest.fixture(scope="module")
def task() -> HoldemTask:
    return prepare_holdem(limit_holdem(3, 3, max_raises=1))


@pytest.fixture(scope="module")
def thin() -> Holdem:
    """Nine cards; one bet on the turn and on the river."""
    rules = replace(load_rules("limit-holdem"), max_raises=(0, 0, 1, 1))
    return Holdem("thin", limit_tree(rules), float(rules.big_blind), 3, 3)


def twin(games: Sequence[CardGame], *, averages: bool) -> Twin:
    return numpy_machine(games)


def test_each_flop_has_as_many_images_as_it_stands_for(task: HoldemTask) -> None:
    flops = task.game.cards.tree.streets[1]
    told = stream_game(task.game).tree.streets[1]
    assert [len(flop.images) for flop in told] == [flop.weight for flop in flops]
    assert sum(len(flop.images) for flop in told) == 84  # three of nine cards
    assert all(flop.images[0] == 0 for flop in told)


def test_halves_are_those_of_the_board_kernels(task: HoldemTask) -> None:
    ours, boards = StreamBackend(stream_game(task.game)), BoardBackend(task.game.cards)
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
    assert found.boards is not None
    assert found.exploitability == pytest.approx(found.boards.exploitability(), abs=1e-5)
    assert found.iterations == 1
    assert sum(found.strategy("", "4c4d").values()) == pytest.approx(1, abs=1e-6)


def test_current_strategies_are_measured_beside_averages(thin: Holdem) -> None:
    """As a solve that keeps no averages measures them; and averages are as they were."""
    both, alone = (StreamBackend(stream_game(thin)) for _ in range(2))
    alone.accept(SCHEME.answering(Answer(CURRENT)))
    for backend in (both, alone):
        backend.iterate([SCHEME.at(1), SCHEME.at(2)])
    average = exploitability(both)
    with both.by_current():
        assert exploitability(both) == exploitability(alone)
    assert exploitability(both) == average != exploitability(alone)


@pytest.mark.parametrize("solution", ["average", CURRENT])
def test_fixed_point_is_that_of_packed_subgames(thin: Holdem, solution: str) -> None:
    """Regrets rounded where they are, and packed ones, lead to the same strategies.

    Averages that are packed are those that are not, to their last bits.
    """
    scheme = SCHEME.answering(Answer(solution))
    packed = TrunkCFR(thin.cards, scheme, Decomposition(1, bits=2))
    rounded, floats = (Driver(StreamBackend(stream_game(thin)), scheme) for _ in range(2))
    keep_fixed(rounded.backend, 2)
    for solver in (packed, rounded, floats):
        solver.advance(5)
    wanted = packed.exploitability()
    packed.backend.close()
    error = 1e-4 if solution == CURRENT else 1e-2
    assert rounded.exploitability() == pytest.approx(wanted, abs=error)
    assert abs(floats.exploitability() - wanted) > 1e-2
    with pytest.raises(EndspielError, match="fixed point has"):
        keep_fixed(rounded.backend, 25)


@needs_compiler
def test_the_kernels_text_gives_the_twins_regrets(thin: Holdem) -> None:
    """On 16 cards by one line of betting, rounded: what a GPU does, thread by thread."""
    game, scheme = stream_game(thin), SCHEME.answering(Answer(CURRENT))
    device = CpuDevice()
    ours = StreamBackend(game, lambda games: CudaMachine(games, device, averages=False))
    twin = StreamBackend(game)
    for backend in (ours, twin):
        backend.accept(scheme)
        keep_fixed(backend, 4)
        backend.iterate([scheme.at(1), scheme.at(2)])
    assert exploitability(ours) == pytest.approx(exploitability(twin), abs=1e-4)
    for name, right in twin.state().items():
        scale = max(1.0, np.abs(right).max(initial=0.0))
        np.testing.assert_allclose(ours.state()[name], right, rtol=1e-4, atol=2e-5 * scale)


def test_strategies_that_are_not_kept_do_not_come_back(thin: Holdem) -> None:
    asked = prepare_holdem(thin, keep=False, gpu=10**9)
    assert asked.memory_bytes < prepare_holdem(thin).memory_bytes
    found = run_holdem(asked, Limits(iterations=1), twin, 10**9)
    assert found.boards is None
    with pytest.raises(EndspielError, match="keeps no strategies"):
        found.strategy("", "4c4d")


def test_what_does_not_fit_is_refused(task: HoldemTask) -> None:
    with pytest.raises(EndspielError, match="on the GPU needs"):
        run_holdem(task, Limits(iterations=1), twin, 10**6)
    with pytest.raises(EndspielError, match="on the GPU needs"):
        prepare_holdem(limit_holdem(), keep=False, gpu=10**11)  # before cards are dealt
