"""The web client against a stand-in on this machine that speaks the API over HTTP."""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from endspiel.agent.base import Agent
from endspiel.agent.moves import moves_of
from endspiel.arena.protocol.benchmark_file import BenchmarkFile, BenchmarkHeader
from endspiel.arena.protocol.benchmark_player import BenchmarkPlayer
from endspiel.arena.protocol.benchmark_run import run_benchmark
from endspiel.arena.protocol.service import AskingPlan, ServiceError, WebService
from endspiel.arena.protocol.slumbot import (
    SlumbotError,
    SlumbotTable,
    read_answer,
    read_betting,
    write_action,
)
from endspiel.cli.app import app
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State, start
from tests.arena.stand_ins import Mischief, Planned, SlumbotStandIn, serving

GAME = load_rules("nolimit-holdem")


@pytest.fixture
def served() -> Iterator[tuple[SlumbotStandIn, str]]:
    stand_in, mischief = SlumbotStandIn(), Mischief()
    with serving(stand_in.handle, mischief) as address:
        yield stand_in, address
    assert mischief.faults == []


class Noting(Agent):
    """Raises at random, and remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[State, tuple[int, ...], tuple[int, ...]]] = []

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        self.seen.append((state, hole, board))
        legal = state.legal_actions()
        return legal[self.draws.below(len(legal))]


@pytest.mark.parametrize("raises", [False, True])
def test_hands_over_http_are_the_hands_that_the_server_played(
    served: tuple[SlumbotStandIn, str], raises: bool
) -> None:
    stand_in, address = served
    stand_in.raises = raises
    agent = Noting()
    header = BenchmarkHeader("slumbot", address, "noting", "nolimit-holdem", 4)
    file = BenchmarkFile(header)
    table = SlumbotTable(WebService(address), BenchmarkPlayer(agent, GAME, 4), file)
    result = run_benchmark(table, file, 60)
    assert stand_in.hands == len(stand_in.won) == 60
    assert result.main is not None
    assert result.main.mean == pytest.approx(10 * np.mean(stand_in.won))
    assert len({*stand_in.won}) > 5
    last, hole, board = agent.seen[-1]
    hand = stand_in.table
    assert hand is not None
    assert hole == tuple(sorted(hand.deal.holes[hand.client]))
    assert board == hand.deal.board[: len(board)]
    assert hand.state.line.startswith(last.line)
    assert {state.actor for state, _, _ in agent.seen} == {0, 1}


def test_the_command_plays_at_an_address(served: tuple[SlumbotStandIn, str]) -> None:
    stand_in, address = served
    command = ["slumbot", address, "--agent", "always-call", "--hands", "6", "--pause", "0"]
    result = CliRunner().invoke(app, [*command, "--json", "-"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["mbb_per_hand"] == pytest.approx(10 * np.mean(stand_in.won))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("b300c/kk/", "r300c/cc/"),
        ("ck/b100b300c/", "cc/r200r400c/"),
        ("b300c/kb600c/kb1200", "r300c/cr900c/cr2100"),
        ("b20000c///", "r20000c///"),
        ("b200f", "r200f"),
    ],
)
def test_betting_is_read_and_written_as_the_api_has_it(text: str, line: str) -> None:
    found = read_betting(GAME, text)
    assert found == parse_betting(GAME, line)
    state = start(GAME)
    for word in re.findall("[kcf]|b[0-9]+", text):
        following = read_betting(GAME, write_line(state) + word)
        (action,) = [a for a in (FOLD, CALL, following.max_spent) if _leads(state, a, following)]
        assert write_action(state, action) == word
        state = following


def write_line(state: State) -> str:
    """The betting before a state, as the API writes it."""
    return "".join(write_action(move.state, move.action) for move in moves_of(state))


def _leads(state: State, action: int, following: State) -> bool:
    return state.can(action) and state.apply(action) == following


GOOD = {"client_pos": 0, "hole_cards": ["Ac", "9d"], "board": [], "action": "b200"}


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ({"error_msg": "no such session"}, "refused: no such session"),
        ({**GOOD, "action": "x"}, "is no betting"),
        ({**GOOD, "action": "b200k"}, "sent 'k' after"),
        ({**GOOD, "action": "b10"}, "not legal"),
        ({**GOOD, "hole_cards": ["Ac"]}, "with 1 cards"),
        ({**GOOD, "client_pos": 5}, "position 5"),
        ({**GOOD, "hole_cards": None}, "not one of the API"),
        ({**GOOD, "action": "b200c/"}, "0 board cards"),
        ({**GOOD, "action": "b200f"}, "goes on after"),
    ],
)
def test_other_answers_are_refused_in_a_sentence(answer: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SlumbotError, match=complaint):
        read_answer(GAME, answer)


def test_a_server_that_is_not_there_is_told() -> None:
    waits: list[float] = []
    plan = AskingPlan(timeout=1.0, attempts=3)
    service = WebService("http://127.0.0.1:9", plan, sleep=waits.append)
    file = BenchmarkFile(BenchmarkHeader("slumbot", service.address, "x", GAME.name, 0))
    table = SlumbotTable(service, BenchmarkPlayer(Planned(), GAME), file)
    with pytest.raises(ServiceError, match=r"did not answer new_hand in 3 attempts: .*refused"):
        table.play(0)
    assert len(waits) == 2
    assert waits[1] > waits[0] / 2
    with pytest.raises(ServiceError, match="begins with http"):
        WebService("file:///etc/passwd")
