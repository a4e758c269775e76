"""Flops solved to their end: shares of the pot beside whole solves where nobody bets later."""

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import endspiel as es
from endspiel.batch.boards import WeightedBoard
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.removal import unblocked_weights
from endspiel.cards.run_outs import run_out_shares
from endspiel.cards.text import parse_board
from endspiel.errors import GameError
from endspiel.games.spot import Spot
from endspiel.values.flop_shares import NetFlop
from tests.values.stand_in import StandIn

BOARDS = [
    WeightedBoard(tuple(map(int, parse_board(text))), weight)
    for text, weight in (("Ks 7h 2d", 2.0), ("9s 8s 6d", 1.0))
]
RANGES = es.parse_range("AA,KQs,77,T9s,65s"), es.parse_range("QQ,AKs,87s,JTs,A5s:0.5")
MENU, NOTHING = StreetMenu.parse("50%, a", "a"), StreetMenu.parse("", "")
SPOT = Spot(BOARDS[0].cards, 100, 150, RANGES, Sizing((None, MENU, NOTHING, NOTHING)))


class RunOutNet(StandIn):
    """Stands in for a net: hands are worth their equity, as where nobody bets any more."""

    def __call__(self, boards: np.ndarray, depths: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        shares = run_out_shares(tuple(map(int, boards[0]))).astype(np.float32)
        others = ranges[:, ::-1]
        met = unblocked_weights(others)
        won = (others.reshape(-1, 1326) @ shares.T).reshape(others.shape) / 2
        return np.divide(won, met, out=np.zeros_like(won), where=met > 0)


EXACT = RunOutNet((), 3)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small products in two threads wait for each other."""
    with threadpool_limits(1):
        yield


def test_shares_are_those_of_whole_solves() -> None:
    for board in BOARDS:
        spot = Spot(board.cards, 100, 150, RANGES, SPOT.sizing)
        whole = es.solve(spot, target=1e-3)
        found = NetFlop(SPOT, EXACT, iterations=60).share(board)
        assert found.ev == pytest.approx(whole.evs[0] / 100, abs=2e-3)
        truth = es.range_equity(*RANGES, list(board.cards))
        assert found.equity == pytest.approx(truth.equity, abs=1e-6)
        assert found.weight == pytest.approx(board.weight * whole.game.pairs)


def test_later_menus_are_the_nets_and_do_not_count() -> None:
    more = Spot(SPOT.board, 100, 150, RANGES, Sizing((None, MENU, MENU, MENU)))
    assert NetFlop(more, EXACT, 10).share(BOARDS[0]) == NetFlop(SPOT, EXACT, 10).share(BOARDS[0])


def test_what_is_no_flop_is_refused() -> None:
    turn = WeightedBoard((*BOARDS[0].cards, 30), 1.0)
    with pytest.raises(GameError, match="no flop"):
        NetFlop(SPOT, EXACT).share(turn)
