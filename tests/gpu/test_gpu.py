"""The kernels on a GPU against the NumPy twin: `make test-gpu`, on a machine that has one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endspiel.arena.estimators.book_solves import BatchedBookSolver, BookSolver
from endspiel.arena.estimators.real_given import GivenBlueprint, respond_to_flops
from endspiel.arena.estimators.real_response import RealResponse
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import CURRENT, SPOT_SCHEMES
from endspiel.errors import EndspielError
from endspiel.games.holdem import limit_holdem
from endspiel.gpu.backend import StreamBackend, StreamBatch
from endspiel.gpu.cuda.device import Device, cuda_device
from endspiel.gpu.cuda.given import CudaResponder, rooms
from endspiel.gpu.cuda.machine import CudaMachine
from endspiel.gpu.holdem import keep_fixed, stream_game
from endspiel.reproduce.nlfh_nested import TECHNIQUES
from endspiel.rules.builtin import load_rules
from tests.blueprint.test_train import (
    assert_learns_the_same,
    assert_same_steps,
    assert_wide_products,
)
from tests.blueprint_fixture import save_small, small_blueprint
from tests.games.spots import menu_sizing, small_game
from tests.gpu.test_backend import FLOP, RIVER, TURN, mixed_rivers
from tests.gpu.test_kernels import (
    DCFR,
    assert_current_strategies,
    assert_games_retire,
    assert_measured_as_in_64_bits,
    assert_same_batches,
    two_turns,
)
from tests.reproduce.test_last_street import (
    assert_gadgets_alike,
    assert_means_by_weight,
    assert_same_everywhere,
)

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def device() -> Device:
    try:
        return cuda_device()
    except EndspielError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("scheme", SPOT_SCHEMES)
def test_rivers_of_several_shapes(device: Device, scheme: str) -> None:
    assert_same_batches(mixed_rivers(), device, scheme=SPOT_SCHEMES[scheme])


def test_many_actions_and_few_rows_in_shared_memory(device: Device) -> None:
    sizing = menu_sizing("10%, 20%, 30%, 40%, 70%, 100%, 200%, 300%, a", "50%, a")
    game = small_game(RIVER, ("22+,A2s+", "random"), sizing, stack=900)
    assert_same_batches([game, game], device)


@pytest.mark.parametrize("symmetry", [False, True])
def test_turns(device: Device, symmetry: bool) -> None:
    sizing = menu_sizing("50%", "a")
    games = [
        small_game("2s 2h 9s Th", ("random", "KK,JTs"), sizing, stack=31, symmetry=symmetry),
        small_game(TURN, ("AhKh,QQ:0.5", "JJ,AhTh:0.7"), sizing, symmetry=symmetry),
        small_game(TURN, ("AKs,QQ", "JJ,KTs:0.2,AhTh"), menu_sizing("a"), stack=15),
    ]
    assert_same_batches(games, device, steps=2)


def test_a_flop(device: Device) -> None:
    game = small_game(FLOP, ("AKs,QcQd:0.5", "JJ,AhTh:0.7"), menu_sizing("50%"), symmetry=True)
    assert_same_batches([game], device, steps=2)


def test_locks(device: Device) -> None:
    locks = ["c b10: f 0.5, c 0.25, r34 0.25", "b10: random c 1, KK r34 1"]
    assert_same_batches(mixed_rivers()[:1], device, locks=locks)


def test_exploitability_is_that_of_64_bits(device: Device) -> None:
    assert_measured_as_in_64_bits(mixed_rivers(), device, steps=50)


def test_games_retire(device: Device) -> None:
    assert_games_retire(two_turns(), lambda games: CudaMachine(games, device))


def test_current_strategies(device: Device) -> None:
    assert_current_strategies([*mixed_rivers(), *two_turns()], device)


@pytest.mark.parametrize("averages", [True, False])
def test_whole_holdem(device: Device, averages: bool) -> None:
    game = stream_game(limit_holdem(3, 3, max_raises=1))
    ours = StreamBackend(game, lambda games: CudaMachine(games, device, averages=averages))
    twin, scheme = StreamBackend(game), SPOT_SCHEMES["cfr+"]
    for backend in (ours, twin):
        backend.accept(scheme if averages else replace(scheme, solution=CURRENT))
    for player in (0, 1):
        found, wanted = (one.learn(player, scheme.at(1)) for one in (ours, twin))
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5)
    np.testing.assert_allclose(ours.best_values(0), twin.best_values(0), rtol=1e-4, atol=1e-4)
    with ours.by_current(), twin.by_current():
        np.testing.assert_allclose(ours.best_values(1), twin.best_values(1), rtol=1e-4, atol=1e-4)


def test_whole_holdem_in_fixed_point(device: Device) -> None:
    game, scheme = stream_game(limit_holdem(3, 3, max_raises=1)), SPOT_SCHEMES["cfr+"]
    ours = StreamBackend(game, lambda games: CudaMachine(games, device))
    twin = StreamBackend(game)
    for backend in (ours, twin):
        keep_fixed(backend, 2)
        backend.iterate([scheme.at(1)])
    for name, right in twin.state().items():
        scale = max(1.0, np.abs(right).max(initial=0.0))
        np.testing.assert_allclose(ours.state()[name], right, rtol=1e-4, atol=2e-5 * scale)


def test_runs_repeat_to_the_bit(device: Device) -> None:
    found = []
    for _ in range(2):
        batch = StreamBatch(mixed_rivers(), lambda games: CudaMachine(games, device))
        batch.iterate([DCFR.at(t) for t in range(1, 101)])
        found.append(batch.exploitability())
    assert np.array_equal(*found)
    assert (found[0] < 5e-3).all()


def test_responses_to_a_blueprint(device: Device, tmp_path: Path) -> None:
    """A flop with all its turns and rivers, against the walk of processors; two at once."""
    blueprint = small_blueprint(tmp_path)
    responses = [RealResponse(blueprint, player) for player in (0, 1)]
    given = GivenBlueprint(blueprint, responses)
    responder = CudaResponder(given.streets, device, rooms(2))
    flops = [(0, 4, 8), (0, 18, 37), (4, 5, 6)]
    for flop, values in respond_to_flops(given, responder, flops, workers=4):
        for player in (0, 1) if flop != flops[1] else ():
            wanted = responses[player].flop_values(flop)
            scale = float(np.abs(wanted).max())
            np.testing.assert_allclose(values[player], wanted, rtol=1e-4, atol=1e-5 * scale)
    responder.close()


def test_flops_of_a_book(device: Device, tmp_path: Path) -> None:
    """A flop with all its turns and rivers, against the board kernels."""
    rules = replace(load_rules("limit-holdem"), max_raises=(0, 1, 0, 1))
    blueprint = load_blueprint(save_small(tmp_path / "book.blueprint", limit=rules))
    few, flop = Limits(iterations=2), (0, 4, 8)
    wanted = BookSolver(blueprint, few, turns=True, threads=8).solve(flop)
    made = BatchedBookSolver(
        blueprint, few, turns=True, maker=lambda games: CudaMachine(games, device)
    ).solve(flop)
    assert wanted.turns is not None
    assert made.turns is not None
    for one, two in ((made.values, wanted.values), (made.turns, wanted.turns)):
        np.testing.assert_allclose(one, two, atol=1e-3 * float(np.abs(two).max()))


def test_a_street_alone(device: Device) -> None:
    assert_same_everywhere(device)
    assert_means_by_weight(device)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_gadgets_above_every_board(device: Device, technique: str) -> None:
    assert_gadgets_alike(device, technique)


@pytest.mark.parametrize("scheme", ["dcfr", "pcfr+"])
def test_training_over_buckets(device: Device, scheme: str) -> None:
    assert_learns_the_same(device, scheme)


def test_products_of_training_and_of_egt(device: Device) -> None:
    assert_wide_products(device)
    assert_same_steps(device)
