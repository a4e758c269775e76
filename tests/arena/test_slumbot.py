"""The web client against a stand-in on this machine that speaks the API over HTTP."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from endspiel.agent import make_agent
from endspiel.agent.base import Agent
from endspiel.agent.moves import moves_of
from endspiel.arena.protocol.slumbot import (
    SlumbotClient,
    SlumbotError,
    asking,
    play_slumbot,
    read_answer,
    read_betting,
    write_action,
)
from endspiel.cards.text import format_cards
from endspiel.cli.app import app
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.state import CALL, FOLD, State, start

GAME = load_rules("nolimit-holdem")


NO_CARDS = Deal((), ())


@dataclass
class StandIn:
    """A server that calls everything, or raises by the least on every street first."""

    raises: bool = False
    token: str = "t0"
    hands: int = 0
    won: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # the betting so far, as the API writes it
    state: State = field(default_factory=lambda: start(GAME))
    deal: Deal = NO_CARDS
    client: int = 0

    def new_hand(self, fields: dict[str, Any]) -> dict[str, Any]:
        assert fields.get("token") == (self.token if self.hands else None)
        rng = np.random.default_rng(self.hands)
        cards = [int(card) for card in rng.permutation(52)[:9]]
        self.deal = Deal((tuple(cards[:2]), tuple(cards[2:4])), tuple(cards[4:]))
        self.client, self.hands = self.hands % 2, self.hands + 1
        self.state, self.words = start(GAME), []
        return self._go_on()

    def act(self, fields: dict[str, Any]) -> dict[str, Any]:
        assert fields["token"] == self.token
        word = fields["incr"]
        if word in "kcf":
            assert (word == "k") != self.state.can_fold()
            action = FOLD if word == "f" else CALL
        else:
            action = self.state.street_start + int(word[1:])
        self._apply(action, word)
        return self._go_on()

    def _apply(self, action: int, word: str) -> None:
        before = self.state.round
        self.state = self.state.apply(action)
        self.words.append(word + "/" * (self.state.round - before))

    def _go_on(self) -> dict[str, Any]:
        while not self.state.finished and self.state.actor != self.client:
            bounds, state = self.state.raise_bounds(), self.state
            if self.raises and bounds is not None and not state.raises:
                self._apply(bounds[0], f"b{bounds[0] - state.street_start}")
            else:
                self._apply(CALL, "c" if state.can_fold() else "k")
        answer: dict[str, Any] = {
            "token": self.token,
            "action": "".join(self.words),
            "client_pos": self.client,
            "hole_cards": _texts(self.deal.holes[self.client]),
            "board": _texts(self.deal.board[: GAME.board_sizes[self.state.round]]),
        }
        if self.state.finished:
            answer["winnings"] = int(self.state.payoffs(self.deal)[self.client])
            self.won.append(answer["winnings"])
        return answer


def _texts(cards: tuple[int, ...]) -> list[str]:
    return [format_cards([card]) for card in cards]


@pytest.fixture
def served() -> Iterator[tuple[StandIn, str]]:
    stand_in = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(getattr(stand_in, self.path.removeprefix("/api/"))(fields)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    ).start()
    yield stand_in, f"http://127.0.0.1:{server.server_port}/api"
    server.shutdown()
    server.server_close()


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
    served: tuple[StandIn, str], raises: bool
) -> None:
    stand_in, address = served
    stand_in.raises = raises
    agent = Noting()
    result = play_slumbot(SlumbotClient(asking(address), agent), 60, seed=4)
    assert stand_in.hands == len(stand_in.won) == 60
    assert result.mean == pytest.approx(10 * np.mean(stand_in.won))
    assert len({*stand_in.won}) > 5
    last, hole, board = agent.seen[-1]
    assert hole == tuple(sorted(stand_in.deal.holes[stand_in.client]))
    assert board == stand_in.deal.board[: len(board)]
    assert stand_in.state.line.startswith(last.line)
    assert {state.actor for state, _, _ in agent.seen} == {0, 1}


def test_the_command_plays_at_an_address(served: tuple[StandIn, str]) -> None:
    stand_in, address = served
    command = ["slumbot", address, "--agent", "always-call", "--hands", "6", "--json", "-"]
    result = CliRunner().invoke(app, command)
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
    client = SlumbotClient(asking("http://127.0.0.1:9", 1.0), make_agent("always-call", GAME))
    with pytest.raises(SlumbotError, match="did not answer new_hand"):
        client.play(0, 0)
    with pytest.raises(SlumbotError, match="begins with http"):
        asking("file:///etc/passwd")
