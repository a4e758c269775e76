"""The twin of the board kernels, on a short deck: in NumPy, and in torch where that is there."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from endspiel.errors import GameError
from endspiel.reproduce.nlfh_batched import BatchedLines, BatchedWhole, discounts
from endspiel.reproduce.nlfh_buckets import bucket_count, flop_buckets
from endspiel.reproduce.nlfh_game import FlopGame
from endspiel.reproduce.nlfh_solvers import KernelBackend
from endspiel.reproduce.nlfh_torch import TorchBackend
from endspiel.solvers.boards.array_libraries import arrays_on, load_torch, named_device
from endspiel.solvers.boards.fused import Fused
from endspiel.solvers.boards.street import street_bytes
from endspiel.solvers.boards.tensors import BoardTensors

RANKS = 4
GAME = FlopGame("small", RANKS)


@pytest.fixture(scope="module", params=["cpu", "torch-cpu"])
def boards(request: pytest.FixtureRequest) -> Iterator[BoardTensors]:
    if request.param == "cpu":
        yield BoardTensors(GAME.cards, arrays_on(request.param))
        return
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # numbers near zero take a processor far longer than others
    yield BoardTensors(GAME.cards, arrays_on(request.param))
    torch.set_flush_denormal(False)
    torch.set_num_threads(before)


def abstraction(kind: str | None) -> Any:
    return kind and flop_buckets(GAME.cards, bucket_count(GAME.cards), kind)


@pytest.mark.parametrize("kind", [None, "strength"])
def test_twin_learns_as_the_kernels_do(boards: BoardTensors, kind: str | None) -> None:
    """Only for a while: where regrets are near zero, what they are rounded to decides later."""
    kernels = KernelBackend(1).whole(GAME, abstraction(kind))
    twin = BatchedWhole(GAME, boards, abstraction(kind))
    for _ in range(2):
        kernels.step()
        twin.step()
        assert twin.exploitability() == pytest.approx(kernels.exploitability(), rel=1e-4)
        for player in (0, 1):
            assert twin.reaches(player) == pytest.approx(kernels.reaches(player), abs=1e-4)
            ours, theirs = twin.sequence_values(player), kernels.sequence_values(player)
            assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-4)


def test_twin_converges(boards: BoardTensors) -> None:
    twin = BatchedWhole(GAME, boards)
    twin.advance(30)
    early = twin.exploitability()
    twin.advance(70)
    assert 0 < twin.exploitability() < early / 2
    assert twin.best(0).sum() >= twin.value() - 1e-4


def test_lines_learn_as_the_kernels_do(boards: BoardTensors) -> None:
    kernels, twin = KernelBackend(1), BatchedWhole(GAME, boards)
    solvers: list[tuple[Any, Any]] = [
        (kernels.whole(GAME), kernels.lines(GAME, GAME.endgames)),
        (twin, BatchedLines(GAME, boards)),
    ]
    lines = []
    for whole, part in solvers:
        whole.advance(2)
        for player in (0, 1):
            reach = whole.reaches(player)
            part.set_root(player, np.stack([reach[e.sequences[player]] for e in GAME.endgames]))
        part.start_from(whole)
        lines.append(part)
    for player in (0, 1):
        ours, theirs = (line.learn(player, discounts(1)) for line in reversed(lines))
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-4)


def test_twin_goes_on_from_its_state(boards: BoardTensors) -> None:
    twin, again = (BatchedWhole(GAME, boards, abstraction("strength")) for _ in (0, 1))
    twin.advance(5)
    again.restore(twin.state())
    twin.advance(5)
    again.advance(5)
    assert again.exploitability() == twin.exploitability()


def test_torch_backend_solves_all_endgames_together() -> None:
    pytest.importorskip("torch")
    backend = TorchBackend("cpu")
    assert list(backend.groups(GAME)) == [GAME.endgames]
    assert backend.whole(GAME).flop.boards is backend.lines(GAME, GAME.endgames).flop.boards
    with pytest.raises(GameError, match="all endgames are solved together"):
        backend.lines(GAME, GAME.endgames[:1])


@pytest.mark.parametrize("kind", [None, "strength"])
def test_fused_kernels_do_the_same(kind: str | None) -> None:
    if os.environ.get("TRITON_INTERPRET") != "1":
        pytest.skip("runs where triton interprets its kernels: TRITON_INTERPRET=1")
    pytest.importorskip("triton")
    torch = load_torch()
    plain, fused = (TorchBackend("cpu").whole(GAME, abstraction(kind)) for _ in (0, 1))
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
    pytest.importorskip("torch")
    with pytest.raises(GameError, match="no torch device 'abacus'"):
        named_device("abacus")


def test_what_does_not_fit_is_refused(
    boards: BoardTensors, monkeypatch: pytest.MonkeyPatch
) -> None:
    need = street_bytes(GAME.whole.streets[1], GAME.cards)
    kept = BatchedWhole(GAME, boards).flop
    assert need > sum(array.nbytes for array in (*kept.regret, *kept.average))
    monkeypatch.setattr(boards.on, "free_memory", lambda: need - 1)
    with pytest.raises(GameError, match=r"needs [\d.]+ MB on device cpu, which has [\d.]+ MB"):
        BatchedWhole(GAME, boards)
