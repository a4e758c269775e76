"""Responses by op streams: the twin against processors, the CUDA text against the twin."""

import shutil
from collections.abc import Callable

import numpy as np
import pytest

from endspiel.arena.estimators import real_given, real_response
from endspiel.arena.estimators.real_given import GivenBlueprint, respond_to_flops
from endspiel.arena.estimators.real_response import RealResponse
from endspiel.blueprint.blueprint import Blueprint
from endspiel.errors import EndspielError
from endspiel.gpu.cuda.given import BoardRoom, CudaResponder
from endspiel.gpu.given import GivenTwin
from tests.blueprint_fixture import small_blueprint
from tests.gpu.cpu_device import CpuDevice

FLOP, OTHER = (0, 18, 37), (4, 5, 6)
NextCards = Callable[[tuple[int, ...]], list[tuple[int, list[int]]]]
ALL_CARDS = real_response.next_cards


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.mktemp("blueprint"))


@pytest.fixture(scope="module")
def responses(blueprint: Blueprint) -> list[RealResponse]:
    return [RealResponse(blueprint, player) for player in (0, 1)]


@pytest.fixture(scope="module")
def given(blueprint: Blueprint, responses: list[RealResponse]) -> GivenBlueprint:
    return GivenBlueprint(blueprint, responses)


def deal_few(monkeypatch: pytest.MonkeyPatch, choose: NextCards) -> None:
    """Let few cards come, which is as good as all and much sooner done."""
    for module in (real_response, real_given):
        monkeypatch.setattr(module, "next_cards", choose)


def some_cards(board: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """Two turns, and on each two rivers; alike cards with their images."""
    return ALL_CARDS(board)[3::8][:2]


def assert_close(found: np.ndarray, wanted: np.ndarray) -> None:
    assert found == pytest.approx(wanted, rel=2e-4, abs=2e-5 * float(np.abs(wanted).max()))


@pytest.mark.parametrize("flop", [FLOP, OTHER])
def test_streams_respond_as_the_walk_of_processors(
    flop: tuple[int, ...],
    given: GivenBlueprint,
    responses: list[RealResponse],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deal_few(monkeypatch, some_cards)
    boards = given.deal(flop)
    assert [len(street.cards) for street in boards] == [1, 2, 4]
    twin = GivenTwin(given.streets)
    for player, response in enumerate(responses):
        found = twin.respond(boards, player, given.reaches[1 - player])
        assert_close(found, response.flop_values(flop))


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_the_kernels_respond_as_their_twin(
    given: GivenBlueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three flops, two of them at once."""
    deal_few(monkeypatch, lambda board: some_cards(board)[:1])
    device = CpuDevice()
    responder = CudaResponder(
        given.streets, device, [BoardRoom(2, 0), BoardRoom(3, 8), BoardRoom(2, 8)]
    )
    flops, twin = [FLOP, OTHER, (1, 2, 51)], GivenTwin(given.streets)
    for flop, values in respond_to_flops(given, responder, flops, workers=1):
        assert flop == flops.pop(0)
        for player in (0, 1):
            wanted = twin.respond(given.deal(flop), player, given.reaches[1 - player])
            assert_close(values[player], wanted)
    assert not flops
    responder.close()
    assert not device.held


def test_too_little_memory_is_told(given: GivenBlueprint) -> None:
    with pytest.raises(EndspielError, match=r"best responses need .* are free on the GPU"):
        CudaResponder(given.streets, CpuDevice(), [BoardRoom(10**6, 0)] * 3)
