"""The CUDA kernels' own text, run thread by thread on a processor, against the NumPy twin."""

import shutil
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from endspiel.cards.deck import NUM_HANDS
from endspiel.engine.schemes import CURRENT, SPOT_SCHEMES, Scheme
from endspiel.games.card_game import CardGame
from endspiel.gpu.backend import Maker, StreamBatch, numpy_machine
from endspiel.gpu.cuda.device import Device
from endspiel.gpu.cuda.machine import CudaMachine
from endspiel.solvers.boards.locks import parse_lock
from tests.games.spots import menu_sizing, small_game
from tests.gpu.cpu_device import CpuDevice
from tests.gpu.test_backend import RIVER, TURN, mixed_rivers

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
DCFR = SPOT_SCHEMES["dcfr"]


def assert_same_batches(
    games: Sequence[CardGame],
    device: Device,
    steps: int = 3,
    locks: Sequence[str] = (),
    scheme: Scheme = DCFR,
) -> None:
    """Halves from the same regrets; whole iterations; values."""
    ours = StreamBatch(games, lambda games: CudaMachine(games, device))
    twin = StreamBatch(games)
    for batch in (ours, twin):
        batch.apply_locks(0, [parse_lock(games[0], text) for text in locks])
    for t in range(1, steps + 1):
        for player in (0, 1):
            found = [batch.learn(player, scheme.at(t)) for batch in (ours, twin)]
            for one, two in zip(*found, strict=True):
                np.testing.assert_allclose(one, two, rtol=1e-5, atol=2e-6)
            states = [batch.state() for batch in (ours, twin)]
            for name, right in states[1].items():
                scale = max(1.0, np.abs(right).max(initial=0.0))
                np.testing.assert_allclose(states[0][name], right, rtol=1e-4, atol=2e-5 * scale)
            ours.restore(states[1])
    for batch in (ours, twin):
        batch.iterate([scheme.at(steps + 1)])
    np.testing.assert_allclose(ours.exploitability(), twin.exploitability(), atol=1e-5)
    np.testing.assert_allclose(ours.value(), twin.value(), atol=1e-5)
    assert_same_lines(games, ours, twin)


def assert_same_lines(games: Sequence[CardGame], ours: StreamBatch, twin: StreamBatch) -> None:
    """What lines into each street are worth on its boards, of the newest values asked for."""
    for player in (0, 1):
        roots = [batch.best_values(player) for batch in (ours, twin)][1]
        for number, game in enumerate(games):
            for s, street in enumerate(game.streets):
                found, wanted = (batch.line_values(number, s, player) for batch in (ours, twin))
                shape = (len(game.tree.streets[s]), len(street.starts), NUM_HANDS)
                assert found.shape == wanted.shape == shape
                assert wanted.any()
                scale = max(1.0, np.abs(wanted).max())
                np.testing.assert_allclose(found, wanted, atol=2e-5 * scale)
            hands = game.tree.streets[0][0].hands[player]
            first = twin.line_values(number, 0, player)[0, 0, hands] / game.pairs
            np.testing.assert_allclose(first, roots[number], atol=1e-6)


@needs_compiler
def test_rivers_of_several_shapes() -> None:
    assert_same_batches([*mixed_rivers()[:2], *mixed_rivers()[3:]], CpuDevice())


@needs_compiler
def test_a_wide_river() -> None:
    assert_same_batches(mixed_rivers()[2:3], CpuDevice(), steps=1)


@needs_compiler
def test_rows_beyond_shared_memory_and_many_actions() -> None:
    sizing = menu_sizing("10%, 20%, 30%, 40%, 70%, 100%, 200%, 300%, a", "50%, a")
    game = small_game(RIVER, ("AA,QJs,T9s", "KK,T9s:0.25,A5s"), sizing, stack=90)
    assert_same_batches([game], CpuDevice(slots_bytes=10_000), steps=2)


@needs_compiler
@pytest.mark.parametrize("slots_bytes", [10_000, 100_000])  # lines come four at once, or one
def test_turns_with_suits_folded(slots_bytes: int) -> None:
    sizing = menu_sizing("50%", "a")
    games = [
        small_game("2s 2h 9s Th", ("AKs,QQ:0.25", "KK,JTs"), sizing, stack=31, symmetry=True),
        small_game(TURN, ("AhKh,QQ:0.5", "JJ,AhTh:0.7"), sizing),
    ]
    assert_same_batches(games, CpuDevice(slots_bytes), steps=2)


@needs_compiler
def test_locks() -> None:
    locks = ["c b10: f 0.5, c 0.25, r34 0.25", "b10: random c 1, KK r34 1"]
    assert_same_batches(mixed_rivers()[:1], CpuDevice(), locks=locks)


@needs_compiler
def test_a_state_goes_on() -> None:
    games, device = mixed_rivers()[:1], CpuDevice()
    one, two = (StreamBatch(games, lambda games: CudaMachine(games, device)) for _ in range(2))
    one.iterate([DCFR.at(1), DCFR.at(2)])
    two.restore(one.state())
    for batch in (one, two):
        batch.set_root(0, 1, batch.root(0, 1) ** 2)
        batch.iterate([DCFR.at(3)])
    assert np.array_equal(one.best_values(0)[0], two.best_values(0)[0])
    kept = len(device.held)
    one.machines[0].close()
    assert len(device.held) < kept


def assert_measured_as_in_64_bits(games: Sequence[CardGame], device: Device, steps: int) -> None:
    """Exploitability to 1e-5 of the pot, against the twin in 64 bits with the same averages."""
    ours = StreamBatch(games, lambda games: CudaMachine(games, device))
    wide = StreamBatch(games, lambda games: numpy_machine(games, np.float64))
    ours.iterate([DCFR.at(t) for t in range(1, steps + 1)])
    wide.restore(ours.state())
    np.testing.assert_allclose(ours.exploitability(), wide.exploitability(), rtol=0, atol=1e-5)


@needs_compiler
def test_exploitability_is_that_of_64_bits() -> None:
    assert_measured_as_in_64_bits(mixed_rivers()[:2], CpuDevice(), steps=3)


def assert_current_strategies(games: Sequence[CardGame], device: Device) -> None:
    """No averages are kept and current strategies measured: as the twin's, not as averages."""
    ours = StreamBatch(games, lambda games: CudaMachine(games, device))
    twin, averaging = StreamBatch(games), StreamBatch(games)
    for batch in (ours, twin):
        batch.accept(replace(DCFR, solution=CURRENT))
    for batch in (ours, twin, averaging):
        batch.iterate([DCFR.at(t) for t in (1, 2)])
    for name, right in twin.state().items():
        scale = max(1.0, np.abs(right).max(initial=0.0))
        np.testing.assert_allclose(ours.state()[name], right, rtol=1e-4, atol=2e-5 * scale)
    np.testing.assert_allclose(ours.exploitability(), twin.exploitability(), atol=1e-5)
    np.testing.assert_allclose(ours.value(), twin.value(), atol=1e-5)
    assert np.abs(ours.exploitability() - averaging.exploitability()).max() > 1e-3


@needs_compiler
def test_current_strategies() -> None:
    assert_current_strategies([*mixed_rivers()[:1], *two_turns()], CpuDevice())


def assert_games_retire(games: Sequence[CardGame], maker: Maker) -> None:
    """A game that is left alone stays as it is, and the others do not notice."""
    one, two = StreamBatch(games, maker), StreamBatch(games, maker)
    for batch in (one, two):
        batch.iterate([DCFR.at(1), DCFR.at(2)])
    wanted = one.averages(0)
    one.retire(0)
    for batch in (one, two):
        batch.iterate([DCFR.at(3)])
    found = one.averages(0)
    for street, left in zip(found.streets, wanted.streets, strict=True):
        assert np.array_equal(street.kept, left.kept)
    for street, other in zip(one.averages(1).streets, two.averages(1).streets, strict=True):
        assert np.array_equal(street.kept, other.kept)
    assert not np.array_equal(two.averages(0).streets[0].kept, wanted.streets[0].kept)
    assert one.exploitability()[1] == two.exploitability()[1]


def two_turns() -> list[CardGame]:
    """Of one shape."""
    ranges, sizing = ("AhKh,QQ:0.5", "JJ,AhTh:0.7"), menu_sizing("50%")
    return [small_game(TURN, ranges, sizing, stack=stack) for stack in (31, 33)]


def test_games_of_the_twin_retire() -> None:
    assert_games_retire(two_turns(), numpy_machine)


@needs_compiler
def test_games_of_the_kernels_retire() -> None:
    device = CpuDevice()
    assert_games_retire(two_turns(), lambda games: CudaMachine(games, device))
