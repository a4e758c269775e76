"""A street solved to its end: as the whole game, where what follows is known exactly."""

from functools import partial

import numpy as np
import pytest

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import no_limit_tree
from endspiel.cards.equity import equities
from endspiel.cards.ranges import parse_range
from endspiel.cards.removal import unblocked_weights
from endspiel.cards.text import parse_board
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.values.depth import DepthLimited, NetValues
from endspiel.values.distill import over_turns
from tests.values.run_outs import RunOuts, wins
from tests.values.stand_in import StandIn

BOARD = tuple(int(card) for card in parse_board("Ks 7h 2d 9c"))
RANGES = parse_range("AA,KQ,77,T9s,65s"), parse_range("QQ,AK,87s,JTs,A5s")
NOTHING = StreetMenu.parse("", "")
TREE = no_limit_tree(100, 150, 2, Sizing((None, None, StreetMenu.parse("50%,a", "a"), NOTHING)))


class ExactNet(StandIn):
    """Stands in for a net: hands are worth their equity, as where nobody bets any more."""

    def __call__(self, boards: np.ndarray, depths: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        found = np.zeros(ranges.shape, dtype=np.float32)
        for number, board in enumerate(boards):
            for player in (0, 1):
                other = ranges[number, 1 - player]
                if other.any():
                    worth = equities(other.astype(float), tuple(map(int, board))) - 0.5
                    found[number, player] = np.nan_to_num(worth)
        return found


HELD = np.flatnonzero(RANGES[0] + RANGES[1])
run_outs = partial(RunOuts, BOARD, RANGES)


def wins_of(board: tuple[int, ...]) -> np.ndarray:
    """What hands win of those in the ranges."""
    return wins(board, HELD)


def test_a_turn_is_solved_as_with_its_rivers() -> None:
    """The strategy is put into the whole game, where its exploitability is that of all rivers."""
    solver = Driver(DepthLimited(TREE, RANGES, BOARD, run_outs), SCHEMES["dcfr"])
    before = solver.exploitability()
    solver.advance(100)
    assert solver.exploitability() < 3e-3 < 0.1 < before
    whole = BoardCFR(CardGame(TREE, card_tree(BOARD, RANGES, symmetry=False)), SCHEMES["dcfr"])
    assert whole.exploitability() > 0.05, "before anything is learned"
    for player in (0, 1):
        hands = whole.game.tree.streets[0][0].hands[player]
        rows = np.concatenate(solver.backend.strategy(player))[:, hands]
        whole.store.write(whole.store.average, (0, 0, player), rows)
    assert whole.exploitability() < 3e-3
    assert whole.value() == pytest.approx(solver.value(), abs=1e-4)


def test_lines_are_valued_by_their_net() -> None:
    solver = DepthLimited(TREE, RANGES, BOARD, run_outs)
    assert sorted({line.behind for line in solver.lines}) == [0, 100, 150]
    assert sorted({line.pot for line in solver.lines}) == [100, 200, 400]
    chances = np.random.default_rng(1).random((len(solver.lines), 2, 1326))
    reaches = list(np.swapaxes(chances * np.stack(solver.ranges), 0, 1))
    by_net = NetValues(ExactNet((), 4), BOARD, wins_of, solver.lines)
    exactly = run_outs(solver.lines)
    for player, own in enumerate(solver.ranges):
        held = (own > 0) & (unblocked_weights(solver.ranges[1 - player]) > 0)
        found, expected = (one(player, reaches)[:, held] for one in (by_net, exactly))
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_a_flops_end_is_the_mean_over_its_turns() -> None:
    flop = BOARD[:3]
    ranges = np.stack(RANGES).astype(np.float32)
    (found,) = over_turns(ExactNet((), 4), flop, np.array([1.0]), ranges[None])
    for player in (0, 1):
        expected = equities(RANGES[1 - player], flop) - 0.5
        some = (ranges[player] > 0) & ~np.isnan(expected)
        assert found[player][some] == pytest.approx(expected[some], abs=1e-4)


def test_what_cannot_be_solved_so_is_refused() -> None:
    river = no_limit_tree(100, 150, 3, Sizing.same(StreetMenu.parse("a", "")))
    with pytest.raises(GameError, match="a street with showdowns is the last"):
        DepthLimited(river, RANGES, (*BOARD, 0), run_outs)
    ace = parse_range("AcAd")
    with pytest.raises(GameError, match="no hand of one range can be held"):
        DepthLimited(TREE, (ace, ace), BOARD, run_outs)
    with pytest.raises(GameError, match="of boards of 3 cards, not 4"):
        NetValues(ExactNet((), 3), BOARD, wins_of, [])
    with pytest.raises(GameError, match="alternating schemes that average"):
        Driver(DepthLimited(TREE, RANGES, BOARD, run_outs), SCHEMES["pcfr+"])
