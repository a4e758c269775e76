"""The torch twin of the board kernels, on a short deck and without a graphics processor."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from endspiel.errors import GameError
from endspiel.reproduce.nlfh_buckets import bucket_count, flop_buckets
from endspiel.reproduce.nlfh_game import FlopGame
from endspiel.reproduce.nlfh_solvers import KernelBackend
from endspiel.reproduce.nlfh_torch import TorchBackend, TorchWhole
from endspiel.solvers import board_tensors
from endspiel.solvers.board_fused import Fused

RANKS = 4
GAME = FlopGame("small", RANKS)


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Numbers near zero would take a processor far longer than others."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    yield
    torch.set_flush_denormal(False)
    torch.set_num_threads(before)


def solvers(kind: str | None) -> tuple[Any, Any]:
    buckets = None
    if kind is not None:
        buckets = flop_buckets(GAME.cards, bucket_count(GAME.cards), kind)
    return KernelBackend(1).whole(GAME, buckets), TorchBackend("cpu").whole(GAME, buckets)


@pytest.mark.parametrize("kind", [None, "strength"])
def test_twin_learns_as_the_kernels_do(kind: str | None) -> None:
    """Only for a while: where regrets are near zero, what they are rounded to decides later."""
    kernels, twin = solvers(kind)
    for _ in range(2):
        kernels.step()
        twin.step()
        assert twin.exploitability() == pytest.approx(kernels.exploitability(), rel=1e-4)
        for player in (0, 1):
            assert twin.reaches(player) == pytest.approx(kernels.reaches(player), abs=1e-4)
            ours, theirs = twin.sequence_values(player), kernels.sequence_values(player)
            assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-4)


def test_twin_converges() -> None:
    _, twin = solvers(None)
    twin.step(30)
    early = twin.exploitability()
    twin.step(70)
    assert 0 < twin.exploitability() < early / 2
    assert twin.best(0).sum() >= twin.value() - 1e-4


def test_lines_learn_as_the_kernels_do() -> None:
    kernels, twin = solvers(None)
    lines = []
    for backend, whole in ((KernelBackend(1), kernels), (TorchBackend("cpu"), twin)):
        whole.step(2)
        part = backend.lines(GAME, GAME.endgames)
        for player in (0, 1):
            reach = whole.reaches(player)
            part.set_range(player, np.stack([reach[e.sequences[player]] for e in GAME.endgames]))
        part.start_from(whole)
        lines.append(part)
    for player in (0, 1):
        ours, theirs = lines[1].learn(player), lines[0].learn(player)
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-4)


def test_twin_goes_on_from_its_state() -> None:
    _, twin = solvers("strength")
    twin.step(5)
    again: TorchWhole = solvers("strength")[1]
    again.restore(twin.state())
    twin.step(5)
    again.step(5)
    assert again.exploitability() == twin.exploitability()


@pytest.mark.parametrize("kind", [None, "strength"])
def test_fused_kernels_do_the_same(kind: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.environ.get("TRITON_INTERPRET") != "1":
        pytest.skip("runs where triton interprets its kernels: TRITON_INTERPRET=1")
    pytest.importorskip("triton")
    torch = board_tensors.load_torch()
    plain, fused = solvers(kind)[1], solvers(kind)[1]
    fused.flop.boards.dtype = torch.bfloat16
    fused.flop.boards.beats = fused.flop.boards.beats.bfloat16()
    fused.flop.fused = Fused(fused.flop)
    for _ in range(2):
        plain.step()
        fused.step()
    for player in (0, 1):
        ours, theirs = fused.flop.regret[player], plain.flop.regret[player]
        assert (ours - theirs).abs().max() < 1e-4 * theirs.abs().max()
        assert torch.allclose(fused.flop.average[player], plain.flop.average[player], atol=0.1)


def test_devices_that_are_not_there_are_named() -> None:
    with pytest.raises(GameError, match="no torch device 'abacus'"):
        board_tensors.named_device("abacus")


def test_what_does_not_fit_is_refused() -> None:
    boards = board_tensors.BoardTensors(GAME.cards, "cpu")
    with pytest.raises(GameError, match=r"needs 1e\+06 TB on device cpu, which has"):
        boards.require(10**18)
