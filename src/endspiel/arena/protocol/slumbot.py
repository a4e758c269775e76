"""A client of Slumbot's web API: hands against a server that speaks its JSON over HTTP.

A hand is begun by ``new_hand`` and gone on with by ``act``; each answer has the whole betting,
our cards, the board so far, and when the hand is over what we won. In its betting ``k`` checks,
``c`` calls, ``f`` folds and ``b300`` bets or raises to 300 chips on this street; streets end with
``/``. Positions are the competition's: 1 has the small blind and acts first before the flop.
Nothing is asked of any server unless its address is given.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np

from endspiel.agent.base import Agent
from endspiel.arena.deals import hand_seeds
from endspiel.arena.estimators.estimates import Estimate, estimate, milli_blinds
from endspiel.bounds import DEFAULT_SEED
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

SECONDS: Final = 60.0  # that an answer may take
_LONGEST: Final = 1 << 16  # bytes of an answer
_WORD: Final = re.compile(r"[kcf]|b[0-9]{1,6}|/")
Ask = Callable[[str, dict[str, Any]], Mapping[str, Any]]  # a method and its fields to its answer


class SlumbotError(EndspielError):
    """A server that does not answer, or not by the protocol."""


@dataclass(frozen=True)
class WebTable:
    """The hand as an answer describes it."""

    state: State
    position: int
    hole: tuple[int, ...]
    board: tuple[int, ...]
    winnings: int | None  # once the hand is over


def read_betting(game: GameDef, text: str) -> State:
    """The state after a betting as the API writes it."""
    words = _WORD.findall(text)
    if "".join(words) != text:
        raise SlumbotError(f"the server sent {text[:80]!r}, which is no betting")
    state = start(game)
    for word in words:
        if word == "/":  # streets end by themselves here, and all-in ends them all
            continue
        state = state.apply(_action(state, word))
    return state


def _action(state: State, word: str) -> int:
    """The action of a word, which must be what it says: no check where there is a bet."""
    if state.finished or ((word == "k") == state.can_fold() and word in "kc"):
        raise SlumbotError(f"the server sent {word!r} after {state.line!r}")
    if word in "kc":
        return CALL
    action = FOLD if word == "f" else state.street_start + int(word[1:])
    if not state.can(action):
        raise SlumbotError(f"the server sent {word!r} after {state.line!r}, which is not legal")
    return action


def write_action(state: State, action: int) -> str:
    """An action as the API writes it."""
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c" if state.can_fold() else "k"
    return f"b{action - state.street_start}"


def read_answer(game: GameDef, answer: Mapping[str, Any]) -> WebTable:
    """Read an answer; raise one sentence on what is wrong with it."""
    if answer.get("error_msg"):
        raise SlumbotError(f"the server refused: {str(answer['error_msg'])[:200]}")
    try:
        position, winnings = int(answer["client_pos"]), answer.get("winnings")
        hole = tuple(sorted(parse_cards("".join(answer["hole_cards"]))))
        board = tuple(parse_cards("".join(answer["board"])))
        betting = str(answer["action"])
    except (KeyError, TypeError, ValueError, EndspielError) as error:
        raise SlumbotError(f"the server's answer is not one of the API: {error}") from error
    if position not in (0, 1) or len(hole) != game.num_hole_cards:
        raise SlumbotError(f"the server put us at position {position} with {len(hole)} cards")
    state = read_betting(game, betting)
    if winnings is None and (state.finished or len(board) < game.board_sizes[state.round]):
        raise SlumbotError(f"the server goes on after {betting!r} with {len(board)} board cards")
    return WebTable(state, position, hole, board, None if winnings is None else int(winnings))


class SlumbotClient:
    """Plays hands with an agent."""

    def __init__(self, ask: Ask, agent: Agent, game: GameDef | None = None) -> None:
        self.ask = ask
        self.agent = agent
        self.game = game or load_rules("nolimit-holdem")
        self._token: str | None = None

    def play(self, number: int, seed: int) -> int:
        """Chips won in one hand."""
        self.agent.begin(hand_seeds(seed, 0, number, 1)[0][0])
        table = self._ask("new_hand", {})
        while table.winnings is None:
            state = table.state
            if state.actor != table.position:
                raise SlumbotError(f"the server waits for us after {state.line!r}: it is its turn")
            board = table.board[: self.game.board_sizes[state.round]]
            action = state.mend(self.agent.act(state, table.hole, board))
            table = self._ask("act", {"incr": write_action(state, action)})
        return table.winnings

    def _ask(self, method: str, fields: dict[str, Any]) -> WebTable:
        if self._token is not None:
            fields = {"token": self._token, **fields}
        answer = self.ask(method, fields)
        if not isinstance(answer, Mapping):
            raise SlumbotError("the server's answer is not one of the API: no fields")
        self._token = answer.get("token", self._token)
        return read_answer(self.game, answer)


def asking(address: str, seconds: float = SECONDS) -> Ask:
    """Ask the server at an address, as in ``https://HOST/api``."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise SlumbotError(f"a server's address begins with http:// or https://, not {address!r}")

    def ask(method: str, fields: dict[str, Any]) -> Mapping[str, Any]:
        body = json.dumps(fields).encode()
        headers = {"Content-Type": "application/json"}
        request = Request(f"{address.rstrip('/')}/{method}", body, headers)
        try:
            with urlopen(request, timeout=seconds) as reply:
                answer: Mapping[str, Any] = json.loads(reply.read(_LONGEST))
        except (OSError, HTTPException, ValueError) as error:
            raise SlumbotError(f"{address} did not answer {method}: {error}") from error
        return answer

    return ask


def play_slumbot(
    client: SlumbotClient,
    hands: int,
    seed: int = DEFAULT_SEED,
    progress: Callable[[int], None] = lambda done: None,
) -> Estimate:
    """Play hands; what was won in mbb a hand, with its interval."""
    if hands < 1:
        raise EndspielError(f"there is at least one hand to play, not {hands}")
    won = []
    for number in range(hands):
        won.append(client.play(number, seed))
        progress(number + 1)
    return estimate("plain", milli_blinds(client.game, np.array(won)))
