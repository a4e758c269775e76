"""The last street alone, on a short deck: by the board kernels, by op streams, by CUDA's text."""

import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.techniques import Entries
from endspiel.engine.gadget import GadgetRoot, GadgetSolve, Terms
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.gpu.cuda.device import Device
from endspiel.kernels.board import BEST, EXPECTED
from endspiel.reproduce.last_street.boards import (
    AVERAGE,
    REGRET,
    LastStreet,
    board_behavior,
    street_game,
)
from endspiel.reproduce.last_street.cuda import CudaGadgets, CudaStreetMachine, solve_gadgets
from endspiel.reproduce.last_street.streams import StreamStreet
from endspiel.reproduce.nlfh_buckets import bucket_count, flop_buckets
from endspiel.reproduce.nlfh_game import UNIT, FlopGame
from endspiel.reproduce.nlfh_nested import TECHNIQUES, unblocked_on
from endspiel.reproduce.nlfh_solvers import (
    SCHEME,
    EveryBoard,
    Flops,
    LineSolver,
    StreamFlops,
    WholeSolver,
    discounts,
    flops_on,
)
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import BoardCFR
from tests.gpu.cpu_device import CpuDevice

RANKS = 4
GAME = FlopGame("small", RANKS)
SMALL = FlopGame("small", 2)
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
every_flops = pytest.mark.parametrize("flops", [Flops(), StreamFlops()], ids=["boards", "streams"])


def abstraction(kind: str | None) -> Any:
    return kind and flop_buckets(GAME.cards, bucket_count(GAME.cards), kind)


@pytest.mark.parametrize(
    ("flops", "kind"),
    [(flops, kind) for flops in (Flops(2), StreamFlops()) for kind in (None, "strength")],
    ids=["boards", "boards with buckets", "streams", "streams with buckets"],
)
def test_the_whole_game_learns_as_the_kernels_do(flops: Flops, kind: str | None) -> None:
    """Only for a while: where regrets are near zero, what they are rounded to decides later."""
    buckets = abstraction(kind)
    kernels = BoardCFR(CardGame(GAME.betting, GAME.cards, unit=UNIT, buckets=buckets), SCHEME)
    whole = WholeSolver(GAME, flops, buckets)
    for _ in range(2):
        kernels.step()
        whole.step()
        assert whole.exploitability() == pytest.approx(kernels.exploitability(), rel=1e-4)
        for player in (0, 1):
            theirs = kernels.store.behavior(0, 0, player)
            assert whole.average_behavior(player) == pytest.approx(theirs, abs=1e-4)
            best = kernels.backend.action_values(0, 0, player, BEST)
            assert whole.sequence_values(player) == pytest.approx(best, rel=1e-3, abs=1e-4)


def test_it_converges() -> None:
    whole = WholeSolver(GAME, Flops())
    whole.advance(30)
    early = whole.exploitability()
    whole.advance(70)
    assert 0 < whole.exploitability() < early / 2
    assert whole.best(0).sum() >= whole.value() - 1e-4


@every_flops
def test_lines_learn_as_the_kernels_do(flops: Flops) -> None:
    """Each endgame by itself, and some of them alone."""
    whole, lines = WholeSolver(GAME, flops), LineSolver(GAME, GAME.endgames, flops)
    whole.advance(2)
    parts = [
        BoardBackend(CardGame(GAME.betting, GAME.cards, node=e.node, unit=UNIT))
        for e in GAME.endgames
    ]
    for player in (0, 1):
        reach = whole.reaches(player)
        come = np.stack([reach[e.sequences[player]] for e in GAME.endgames])
        lines.set_root(player, come)
        for part, own in zip(parts, come, strict=True):
            part.set_root(player, own)
    for t in (1, 2):
        for player in (0, 1):
            theirs = np.stack([part.learn(player, discounts(t)) for part in parts])
            assert lines.learn(player, discounts(t)) == pytest.approx(theirs, rel=1e-3, abs=1e-4)
    again = LineSolver(GAME, GAME.endgames[1:3], flops)
    for player in (0, 1):
        again.take_out(whole, player)
        lines.take_out(whole, player)
        again.set_root(player, lines.root(player)[1:3])
    for player in (0, 1):
        both = lines.best_values(player)[1:3], again.best_values(player)
        assert both[0] == pytest.approx(both[1], rel=1e-5, abs=1e-7)


@every_flops
def test_lines_start_from_a_strategy(flops: Flops) -> None:
    """The first plans are those of the whole game, though no regret was learned here."""
    whole, lines = WholeSolver(GAME, flops), LineSolver(GAME, GAME.endgames, flops)
    whole.advance(3)
    for player in (0, 1):
        lines.set_root(player, np.ones((len(GAME.endgames), len(whole.hands))))
    lines.start_from(whole)
    for player in (0, 1):
        there, here = zip(*lines._rows(whole, player), strict=True)
        base = board_behavior(whole.flop.street, player, whole.flop.read(AVERAGE, player))
        ours = board_behavior(lines.street, player, lines.flop.read(REGRET, player))
        seen = whole.flop.hand >= 0
        for row, to in zip(there, here, strict=True):
            assert ours[:, to][seen] == pytest.approx(base[:, row][seen], abs=1e-5)
        assert not lines.flop.read(AVERAGE, player).any()


@every_flops
@pytest.mark.parametrize("kind", [None, "strength"])
def test_it_goes_on_from_its_state(flops: Flops, kind: str | None) -> None:
    whole, again = (WholeSolver(GAME, flops, abstraction(kind)) for _ in (0, 1))
    whole.advance(3)
    again.restore(whole.state())
    whole.advance(2)
    again.advance(2)
    assert again.exploitability() == pytest.approx(whole.exploitability(), rel=1e-5)


def test_a_gpu_has_all_endgames_together_and_processors_one_by_one() -> None:
    assert list(StreamFlops().groups(GAME.endgames)) == [GAME.endgames]
    assert list(Flops().groups(GAME.endgames)) == [(e,) for e in GAME.endgames]
    with pytest.raises(GameError, match="no device 'abacus': devices are cpu, cuda"):
        flops_on("abacus")


def cuda(game: FlopGame, device: Device) -> StreamStreet:
    """The street by the CUDA kernels."""
    street = street_game(game.betting, game.cards, game.whole.streets[1], UNIT)
    return StreamStreet(street, lambda game: CudaStreetMachine(game, device))


def by_hand(solver: LastStreet, values: np.ndarray) -> np.ndarray:
    """Values [B, n, P] by the numbers of hands [B, n, 1326]."""
    found = np.zeros((*values.shape[:2], 1326))
    for b, hand in enumerate(solver.hand):
        found[b][:, hand[hand >= 0]] = values[b][:, hand >= 0]
    return found


def some_numbers(solver: LastStreet, rows: int, seed: int) -> np.ndarray:
    """Numbers [B, n, P] from 0 to 1, the same of each hand whatever the places."""
    shape = len(solver.hand), rows, 1326
    drawn = np.random.default_rng(seed).random(shape).astype(np.float32)
    return np.stack([np.where(h >= 0, drawn[b][:, h], 0) for b, h in enumerate(solver.hand)])


def some_reaches(solver: LastStreet, seed: int) -> np.ndarray:
    return some_numbers(solver, len(solver.street.starts), seed)


def untie(solver: LastStreet) -> None:
    """Begin with regrets that rounding does not decide between."""
    for player in (0, 1):
        rows = solver.street.size[player] - len(solver.street.starts)
        regrets = some_numbers(solver, rows, 10 + player) - np.float32(0.4)
        solver.write(REGRET, player, 100 * regrets * (solver.hand >= 0)[:, None])


def assert_same_everywhere(device: Device) -> None:
    """Boards entered one by one: by the board kernels, by the streams' twin, and by CUDA's."""
    street = SMALL.whole.streets[1]
    solvers = [
        Flops().street(SMALL, street),
        StreamFlops().street(SMALL, street),
        cuda(SMALL, device),
    ]
    found: list[list[np.ndarray]] = []
    for solver in solvers:
        own = []
        untie(solver)
        for player in (0, 1):
            solver.set_board_range(player, some_reaches(solver, player))
        for t in (5, 6):  # the first forgets all regrets
            own += [by_hand(solver, solver.learn_boards(player, discounts(t))) for player in (0, 1)]
        hands = len(SMALL.cards.streets[0][0].hands[0])
        for player in (0, 1):
            rows = board_behavior(street, player, solver.read(AVERAGE, player))
            own.append(by_hand(solver, rows))
            reach = np.linspace(0.1, 1, hands) * np.ones((len(street.starts), 1))
            solver.set_range(player, reach)
        own += [solver.values(player, mode) for mode in (BEST, EXPECTED) for player in (0, 1)]
        for player in (0, 1):
            both = solver.trace(player)
            own += [by_hand(solver, np.concatenate(part, axis=1)) for part in both]
        found.append(own)
    for other in found[1:]:
        for ours, theirs in zip(other, found[0], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 * np.abs(theirs).max())


def assert_means_by_weight(device: Device) -> None:
    street, rng = SMALL.whole.streets[1], np.random.default_rng(1)
    makers: list[Callable[[], LastStreet]] = [
        lambda: Flops().street(SMALL, street),
        lambda: StreamFlops().street(SMALL, street),
        lambda: cuda(SMALL, device),
    ]
    for make in makers:
        solver = make()
        of = np.where(solver.hand >= 0, solver.hand % 5, -1)
        rows = rng.random(solver.read(REGRET, 1).shape) * (solver.hand >= 0)[:, None]
        solver.write(REGRET, 1, rows)
        solver.even_out(REGRET, 1, of)
        weight = np.array([board.weight for board in SMALL.cards.streets[1]])[:, None] * (of == 3)
        mean = (weight[:, None] * rows).sum(axis=(0, 2)) / weight.sum()
        after = solver.read(REGRET, 1)
        for row, expected in zip(after.swapaxes(0, 1), mean, strict=True):
            assert row[of == 3] == pytest.approx(expected, rel=1e-5)
        # Rows of one solver are another's, whatever their averages weigh.
        solver.write(AVERAGE, 1, rows)
        solver.set_board_range(1, some_reaches(solver, 1))
        solver.learn_boards(1, discounts(5))
        other = make()
        other.copy_averages(1, solver, [(0, 3), (4, 1)])
        source, copied = solver.read(AVERAGE, 1), other.read(AVERAGE, 1)
        np.testing.assert_allclose(copied[:, [3, 1]], source[:, [0, 4]], rtol=1e-5)
        assert not copied[:, [0, 2]].any()


def assert_gadgets_alike(device: Device, technique: str) -> None:
    """The kernel's choices against those of `GadgetRoot`, above every board and line."""
    player, twin, ours = 0, StreamFlops().street(SMALL, SMALL.whole.streets[1]), cuda(SMALL, device)
    come = some_reaches(twin, 5)
    for solver in (twin, ours):
        untie(solver)
        solver.set_board_range(player, come)
    base = some_reaches(twin, 6) - np.float32(0.5)
    target = base + np.where(some_reaches(twin, 7) > 0.6, some_reaches(twin, 8), np.float32(0))
    mass = unblocked_on(twin.hand, come)
    live = mass > 0
    entries = Entries(
        Alternatives(base, target, base),
        np.where(live, mass, np.float32(1)),
        live,
        np.float32(1),
        np.float32(0.3),
        np.float32(np.inf),
    )
    terms = TECHNIQUES[technique].terms(entries)
    gadget = GadgetSolve(EveryBoard(twin), SCHEME, player, terms)
    gadget.iteration = 4  # the first forgets all regrets; then what ties are rounded to decides
    gadget.advance(2)
    solve_gadgets(ours, player, terms, [discounts(5), discounts(6)])
    for each in (0, 1):
        for kind in (REGRET, AVERAGE):
            one, two = (by_hand(solver, solver.read(kind, each)) for solver in (ours, twin))
            np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-4 * np.abs(two).max())
    machine, root = ours.machine, GadgetRoot(terms)
    assert isinstance(machine, CudaStreetMachine)
    kernel, rng = CudaGadgets(machine, 1 - player, terms), np.random.default_rng(3)
    found = np.zeros(come.shape, np.float32)
    for t in range(1, 12):
        machine.device.download(found, machine.coming[1 - player])
        assert found == pytest.approx(root.reach(), rel=1e-3, abs=1e-5)
        values = rng.normal(size=come.shape).astype(np.float32)
        machine.device.upload(machine.streams.value, values)
        kernel.learn(discounts(t))
        root.learn(values, discounts(t))


@needs_compiler
def test_boards_entered_one_by_one_are_the_same_everywhere() -> None:
    assert_same_everywhere(CpuDevice())


@needs_compiler
def test_groups_take_their_means_by_weight() -> None:
    assert_means_by_weight(CpuDevice())


@needs_compiler
@pytest.mark.parametrize("technique", ["resolve", "reach-maxmargin-improved"])
def test_gadgets_are_entered_alike(technique: str) -> None:
    assert_gadgets_alike(CpuDevice(), technique)


@needs_compiler
def test_what_a_device_lends_is_given_back() -> None:
    device = CpuDevice()
    game = street_game(SMALL.betting, SMALL.cards, SMALL.whole.streets[1], UNIT)
    street = StreamStreet(game, lambda game: CudaStreetMachine(game, device))
    terms_shape = street.machine.values().shape
    assert isinstance(street.machine, CudaStreetMachine)
    held = len(device.held)
    none, each = np.zeros(terms_shape, dtype=bool), np.ones(terms_shape)
    gadgets = CudaGadgets(street.machine, 1, Terms(~none, each, each, none, each, each))
    assert len(device.held) > held
    gadgets.close()
    assert len(device.held) == held
    del street, gadgets
    assert not device.held
