"""Flops side by side are worth what each is worth alone, to the digits of 32 bits."""

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import endspiel as es
from endspiel.batch.boards import WeightedBoard
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.removal import unblocked_weights
from endspiel.cards.text import parse_board
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.spot import Spot
from endspiel.values.flop_shares import NetFlop
from endspiel.values.many_flops import ManyFlops, flop_place
from endspiel.values.nets import shipped_net

BOARDS = [tuple(map(int, parse_board(text))) for text in ("Ks 7h 2d", "9s 8s 6d", "Ah Ad 3h")]
RANGES = es.parse_range("AA,KQs,77,T9s,65s"), es.parse_range("QQ,AKs,87s,JTs,A5s:0.5")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small products in two threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize("raises", ["a", "60%"])
def test_flops_together_are_flops_alone(raises: str) -> None:
    menu, later = StreetMenu.parse("66%", raises), StreetMenu.parse("", "")
    spot = Spot(BOARDS[0], 100, 250, RANGES, Sizing((None, menu, later, later), max_raises=2))
    flops = ManyFlops(spot.tree(), [flop_place(board) for board in BOARDS], shipped_net())
    flops.set_ranges(RANGES)
    Driver(flops, SCHEMES["dcfr"]).advance(30)
    values = flops.average_values(0).reshape(len(BOARDS), -1)
    first, second = (rows.reshape(len(BOARDS), -1) for rows in flops.ranges)
    for at, board in enumerate(BOARDS):
        pairs = float(first[at] @ unblocked_weights(second[at]))
        alone = NetFlop(spot, shipped_net(), 30).share(WeightedBoard(board, 1.0))
        assert 0.5 + first[at] @ values[at] / pairs == pytest.approx(alone.ev, abs=1e-3)
    assert np.isfinite(flops.average_values(1)).all()
