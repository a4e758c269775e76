"""Play before the flop compared by itself: flops are played by the net for both."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from endspiel.agent import make_agent
from endspiel.arena.estimators.local_best_response import SETTINGS
from endspiel.arena.estimators.range_response import RangeResponse
from endspiel.arena.estimators.trunk_response import ITERATIONS, TrunkWalk
from endspiel.arena.responses import ResponsePlan, measure_response
from endspiel.batch.boards import WeightedBoard
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.preflop.flop_lines import flop_menus
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import format_game
from endspiel.values.flop_shares import NetFlop
from endspiel.values.nets import shipped_net
from tests.arena.test_range_response import responding
from tests.cli.commands import runner
from tests.hostile.surroundings import only_sentence

GAME = replace(load_rules("nolimit-holdem"), stacks=(2000, 2000))
BOARD = tuple(parse_cards("Ks 7h 2d 5c 4s"))
PLAN = ResponsePlan(GAME, "always-call", by="always-call", boards=1, trunk=True)
FOLDED = 50  # chips of the small blind


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small products in two threads wait for each other."""
    with threadpool_limits(1):
        yield


def test_a_flop_is_worth_what_the_plain_solve_gives() -> None:
    """By the net's street that is written for one flop, on ranges that lack some hands."""
    response: RangeResponse = responding(GAME, make_agent("always-call", GAME), SETTINGS["fc"])
    rng = np.random.default_rng(3)
    ranges = rng.random((2, NUM_HANDS)) * (rng.random((2, NUM_HANDS)) < 0.6)
    state, flop = parse_betting(GAME, "r300c/"), BOARD[:3]
    walks = [TrunkWalk(response, BOARD, at, None) for at in (0, 1)]
    won = [walk.value(state, *ranges[:: 1 - 2 * walk.position]) for walk in walks]
    assert won[0] == pytest.approx(-won[1], rel=1e-4)  # what one seat wins the other loses
    pot, behind = 600, 1700
    live = ranges * live_hands(flop)
    spot = Spot(flop, pot, behind, (live[0], live[1]), flop_menus(pot, behind))
    share = NetFlop(spot, shipped_net(), ITERATIONS).share(WeightedBoard(flop, 1.0))
    expected = pot * (share.ev - 0.5) * share.weight / walks[0]._pairs(state)
    assert won[0] == pytest.approx(expected, rel=2e-3)


def test_nothing_is_won_from_oneself_and_folds_are_paid() -> None:
    found = measure_response(PLAN, 1)
    assert found.units == pytest.approx(np.zeros(1), abs=1e-3)
    # A small blind that folds loses it; a big blind that cannot fold plays on as a caller does.
    folder = measure_response(replace(PLAN, agent="always-fold"), 1)
    caller = measure_response(replace(PLAN, by="always-fold"), 1)
    assert folder.units == pytest.approx(-caller.units, abs=1e-3)
    blind = 1000 * FOLDED / GAME.big_blind
    assert folder.units == pytest.approx(blind / 2, abs=150)


def test_other_games_and_single_agents_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EndspielError, match="no-limit hold'em of two players"):
        replace(PLAN, game=load_rules("leduc"), setting="fc")
    with pytest.raises(EndspielError, match="give --by"):
        replace(PLAN, by=None)
    refused = runner("lbr", monkeypatch, capsys)("always-call", "--trunk")
    assert refused.status == 2
    assert "give --by" in only_sentence(refused.err)


def test_the_command_compares_play_before_the_flop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "twenty.game"
    rules.write_text(format_game(GAME))
    command = runner("lbr", monkeypatch, capsys)
    words = ("always-fold", "--by", "always-call", "--trunk", "--game", rules, "--boards", 2)
    told = command(*words, "--workers", 1, "--json", "-").json
    assert (told["trunk"], told["mbb_per_hand_late"]) == (True, 0.0)
    assert told["mbb_per_hand"] > 0
    assert "before the flop" in command(*words, "--workers", 1).out
