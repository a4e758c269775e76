"""Stand-ins for the benchmark services on this machine: right, or as wrong as real ones."""

import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final

import numpy as np

from endspiel.agent.base import Agent
from endspiel.arena.protocol.slumbot import write_action
from endspiel.cards.text import format_card
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.state import CALL, FOLD, State, start

GAME: Final = load_rules("nolimit-holdem")
LATE: Final = 0.4  # seconds of a late answer
Answer = tuple[int, Any]  # a status and what is sent


def planned(state: State) -> int:
    """What the agent of these tests does: nothing but the betting decides it."""
    legal = state.legal_actions()
    return legal[zlib.crc32(state.line.encode()) % len(legal)]


class Planned(Agent):
    """Plays as `planned` says, so that a service can see that no action came twice."""

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        return planned(state)


@dataclass
class Table:
    """One hand: the opponent calls, or raises by the least on every street first."""

    number: int
    raises: bool
    words: list[str] = field(default_factory=list)
    state: State = field(default_factory=lambda: start(GAME))

    def __post_init__(self) -> None:
        cards = [int(card) for card in np.random.default_rng(self.number).permutation(52)[:9]]
        self.deal = Deal((tuple(cards[:2]), tuple(cards[2:4])), tuple(cards[4:]))
        self.client = self.number % 2
        self.answer()

    def apply(self, action: int) -> None:
        before = self.state
        self.words.append(write_action(before, action))
        self.state = before.apply(action)
        self.words += ["/"] * (self.state.round - before.round)

    def answer(self) -> None:
        while not self.state.finished and self.state.actor != self.client:
            bounds = self.state.raise_bounds()
            raised = self.raises and bounds is not None and not self.state.raises
            self.apply(bounds[0] if raised and bounds is not None else CALL)

    def cards(self, position: int) -> list[str]:
        return [format_card(card) for card in self.deal.holes[position]]

    def board(self) -> list[str]:
        shown = GAME.board_sizes[-1 if self.state.showdown else self.state.round]
        return [format_card(card) for card in self.deal.board[:shown]]

    def won(self) -> int:
        return int(self.state.payoffs(self.deal)[self.client])


def read_word(state: State, word: str) -> int:
    """The action of a word."""
    if word in "kcf":
        assert (word == "k") != state.can_fold() or word == "f"
        return FOLD if word == "f" else CALL
    return state.street_start + int(word[1:])


@dataclass
class SlumbotStandIn:
    """Speaks Slumbot's API; a new hand ends one that is not over, uncounted."""

    raises: bool = False
    watched: bool = False  # whether every action must be as planned
    totals: bool = True  # whether the session's totals are sent
    hands: int = 0
    table: Table | None = None
    won: list[int] = field(default_factory=list)  # of finished hands

    def handle(self, method: str, path: str, fields: Any) -> Answer:
        assert method == "POST"
        if path == "new_hand":
            self.table = Table(self.hands, self.raises)
            self.hands += 1
        else:
            assert fields["token"] == "t0"
            table = self.table
            if table is None or table.state.finished:
                return 200, {"error_msg": "no hand"}
            action = read_word(table.state, fields["incr"])
            assert not self.watched or action == planned(table.state), "played twice"
            table.apply(action)
            table.answer()
        return 200, self._told()

    def _told(self) -> dict[str, Any]:
        table = self.table
        assert table is not None
        answer: dict[str, Any] = {
            "token": "t0",
            "action": "".join(table.words),
            "client_pos": table.client,
            "hole_cards": table.cards(table.client),
            "board": table.board(),
        }
        if table.state.finished:
            answer["winnings"] = table.won()
            answer["bot_hole_cards"] = table.cards(1 - table.client)
            self.won.append(table.won())
            if self.totals:
                answer |= {"session_num_hands": len(self.won), "session_total": sum(self.won)}
        return answer


@dataclass
class WizardStandIn:
    """Speaks the interface of GTO Wizard's benchmark."""

    raises: bool = False
    shows_ended: bool = True  # whether a hand that is over can be asked for
    tables: dict[int, Table] = field(default_factory=dict)
    most: int = 2  # hands in progress

    @property
    def won(self) -> list[int]:
        return [table.won() for table in self.tables.values() if table.state.finished]

    def handle(self, method: str, path: str, fields: Any) -> Answer:
        path = path.partition("?")[0]
        going = [one for one in self.tables.values() if not one.state.finished]
        if (method, path) == ("GET", "hands/in-progress"):
            return 200, [self._frame(one) for one in going]
        if (method, path) == ("POST", "hands"):
            if len(going) >= self.most:
                return 409, {"detail": "too many hands"}
            table = self.tables[len(self.tables)] = Table(len(self.tables), self.raises)
            return 200, self._frame(table)
        table = self.tables[int(path.split("/")[1])]
        if method == "GET":
            return (200, self._frame(table)) if self.shows_ended else (404, {"detail": "unknown"})
        if table.state.finished:
            return 409, {"detail": "the hand is over"}
        word = fields["action"] + str(fields.get("amount", ""))
        action = read_word(table.state, word)
        assert action == planned(table.state), "played twice"
        table.apply(action)
        table.answer()
        return 200, self._frame(table)

    def _frame(self, table: Table) -> dict[str, Any]:
        over = table.state.finished
        own = {"name": "us", "position": "BB" if table.client == 0 else "SB"}
        other = {"name": "them", "position": "SB" if table.client == 0 else "BB"}
        own["hole_cards"] = "".join(table.cards(table.client))
        shown = "".join(table.cards(1 - table.client)) if table.state.showdown else None
        return {
            "hand_id": table.number,
            "game": {"game_name": "HUNL 200BB", "starting_stack": 20000, "blinds": [100.0, 50.0]},
            "game_state": {
                "board_cards": "".join(table.board()),
                "is_hand_over": over,
                "players": [{**other, "hole_cards": shown}, own],
                "action_history": ["_" if word == "/" else word for word in table.words],
                "winnings": float(table.won()) if over else None,
                "aivat_score": 0.5 * table.won() if over else None,
            },
        }


@dataclass
class Mischief:
    """What goes wrong with which requests, in turn or at random by a seed."""

    share: float = 0.0  # of requests that go wrong
    seed: int = 1
    script: list[str] = field(default_factory=list)  # for the first requests, in order
    asked: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)  # what must not happen

    KINDS: ClassVar = (
        *("429", "503", "502 untaken", "502 taken", "500 taken"),
        *("dropped untaken", "dropped taken", "half", "late"),
    )

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def next(self) -> str:
        """What is done with the next request."""
        self.asked += 1
        if self.script:
            kind = self.script.pop(0)
        elif self._random.random() < self.share:
            weights = np.array([1.0] * (len(self.KINDS) - 1) + [0.1])
            kind = str(self._random.choice(self.KINDS, p=weights / weights.sum()))
        else:
            kind = ""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return kind


Handle = Callable[[str, str, Any], Answer]


@contextmanager
def serving(handle: Handle, mischief: Mischief) -> Iterator[str]:
    """The address of a stand-in."""
    taking = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self._do("POST")

        def do_GET(self) -> None:
            self._do("GET")

        def _do(self, method: str) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            fields = json.loads(self.rfile.read(length) or b"null")
            with taking:
                kind = mischief.next()
                if kind in ("429", "503", "502 untaken"):
                    self._send(int(kind[:3]), {"detail": "busy"}, retry=kind == "429")
                    return
                if kind == "dropped untaken":
                    return
                try:
                    status, answer = handle(method, self.path.removeprefix("/api/"), fields)
                except Exception as error:
                    mischief.faults.append(f"{type(error).__name__}: {error}")
                    status, answer = 400, {"detail": str(error)}
            if kind in ("502 taken", "500 taken"):
                self._send(int(kind[:3]), {"detail": "bad gateway"})
            elif kind != "dropped taken":
                if kind == "late":
                    time.sleep(LATE)
                self._send(status, answer, half=kind == "half")

        def _send(self, status: int, answer: Any, half: bool = False, retry: bool = False) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            if retry:
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if half else body)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that has gone is no fault."""

        def server_bind(self) -> None:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            super().server_bind()

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    ).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api"
    finally:
        server.shutdown()
        server.server_close()
