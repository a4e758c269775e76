"""A client of Slumbot's web API: hands against a server that speaks its JSON over HTTP.

A hand is begun by ``new_hand`` and gone on with by ``act``; each answer has the whole betting,
our cards, the board so far, and when the hand is over what we won. In its betting ``k`` checks,
``c`` calls, ``f`` folds and ``b300`` bets or raises to 300 chips on this street; streets end with
``/``. Positions are the competition's: 1 has the small blind and acts first before the flop.
Nothing is asked of any server unless its address is given.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from endspiel.arena.protocol.benchmark_file import (
    FINISHED,
    RECOVERED,
    UNFINISHED,
    BenchmarkFile,
    HandBegun,
    HandOver,
)
from endspiel.arena.protocol.benchmark_player import BenchmarkPlayer, SeenHand
from endspiel.arena.protocol.service import ServiceError, UnclearError, WebService
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

SLUMBOT: Final = "slumbot"
_WORD: Final = re.compile(r"[kcf]|b[0-9]{1,6}|/")


class SlumbotError(ServiceError):
    """A server that does not answer by the protocol."""


@dataclass(frozen=True)
class WebTable:
    """The hand as an answer describes it."""

    state: State
    position: int
    hole: tuple[int, ...]
    board: tuple[int, ...]
    winnings: int | None  # once the hand is over
    other: tuple[int, ...] = ()  # the opponent's cards, where they are shown
    played: tuple[int, int] | None = None  # hands of the session and their chips, if said


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
        other = tuple(sorted(parse_cards("".join(answer.get("bot_hole_cards") or ""))))
        board = tuple(parse_cards("".join(answer["board"])))
        betting = str(answer["action"])
    except (KeyError, TypeError, ValueError, EndspielError) as error:
        raise SlumbotError(f"the server's answer is not one of the API: {error}") from error
    if position not in (0, 1) or len(hole) != game.num_hole_cards:
        raise SlumbotError(f"the server put us at position {position} with {len(hole)} cards")
    state = read_betting(game, betting)
    if winnings is None and (state.finished or len(board) < game.board_sizes[state.round]):
        raise SlumbotError(f"the server goes on after {betting!r} with {len(board)} board cards")
    won = None if winnings is None else int(winnings)
    return WebTable(state, position, hole, board, won, other, _session(answer))


def _session(answer: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many hands a session has had and what they won, where the answer says it."""
    count, total = answer.get("session_num_hands"), answer.get("session_total")
    if not isinstance(count, int) or not isinstance(total, int):
        return None
    return count, total


class SlumbotTable:
    """Plays hands at a server, and notes each in a file.

    The API cannot be asked how a hand stands. Where the answer to an action is lost, the hand is
    noted as unfinished and the next begun. If the server has counted it, the totals of the session
    say what it won.
    """

    def __init__(self, service: WebService, player: BenchmarkPlayer, file: BenchmarkFile) -> None:
        self.service, self.player, self.file = service, player, file
        self._token = file.begun.id if file.begun is not None else ""
        self._before: tuple[int, int] | None = None  # what the file had before the session
        if file.begun is not None:
            why = "the client ended in the middle of it"
            file.end(HandOver(file.begun.number, UNFINISHED, id=self._token, why=why))

    def play(self, number: int) -> None:
        """Play one hand."""
        table = self._ask("new_hand", {}, safe=True)
        self.file.begin(HandBegun(number, self._token))
        self.player.begin(number)
        try:
            table = self._play_on(table)
        except UnclearError as error:
            self.file.end(HandOver(number, UNFINISHED, id=self._token, why=str(error)))
            return
        seen = SeenHand(table.state, table.position, table.hole, table.other, table.board)
        self.file.end(self.player.over(number, FINISHED, table.winnings, seen, id=self._token))
        self._recover(table.played)

    def _play_on(self, table: WebTable) -> WebTable:
        """The table once the hand is over."""
        while table.winnings is None:
            state = table.state
            if state.actor != table.position:
                raise SlumbotError(f"the server waits for us after {state.line!r}: it is its turn")
            board = table.board[: self.player.game.board_sizes[state.round]]
            action = self.player.act(state, table.hole, board)
            table = self._ask("act", {"incr": write_action(state, action)})
        return table

    def _recover(self, played: tuple[int, int] | None) -> None:
        """Find what lost hands won, by the totals of the session."""
        if played is None:
            return
        known = self.file.results
        if self._before is None:  # a session of before goes on, or a new one has begun
            goes_on = played[0] >= len(known)
            older = [] if goes_on else known[:-1]
            self._before = len(older), round(sum(hand.won or 0 for hand in older))
        count = played[0] - (len(known) - self._before[0])
        chips = played[1] - (sum(hand.won or 0 for hand in known) - self._before[1])
        lost = [hand for hand in self.file.over.values() if hand.won is None]
        if not 0 < count <= len(lost):
            return
        for hand in lost[-count:]:
            why = f"{count} hands whose last answers were lost won {chips:g} chips together"
            self.file.end(HandOver(hand.number, RECOVERED, chips / count, id=hand.id, why=why))

    def _ask(self, method: str, fields: dict[str, Any], safe: bool = False) -> WebTable:
        if self._token:
            fields = {"token": self._token, **fields}
        answer = self.service.ask("POST", method, fields, safe=safe)
        if not isinstance(answer, Mapping):
            raise SlumbotError("the server's answer is not one of the API: no fields")
        self._token = str(answer.get("token", self._token))
        return read_answer(self.player.game, answer)
