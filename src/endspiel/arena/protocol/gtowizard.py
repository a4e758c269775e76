"""A client of GTO Wizard's benchmark: hands over its HTTP interface.

``POST /hands`` deals a hand, ``POST /hands/{id}/act`` takes an action, ``GET /hands/in-progress``
lists the hands that are not over. Chips are those of the rules (blinds of 100 and 50, stacks of
20,000). The betting is a list: ``f``, ``k``, ``c``, ``b300`` for a bet or raise to 300 chips on
this street, ``_`` at the end of a street. The last answer has our winnings and their AIVAT score.
Nothing is asked of any server unless its address is given.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from endspiel.arena.protocol.benchmark_file import (
    FINISHED,
    UNFINISHED,
    BenchmarkFile,
    HandBegun,
    HandOver,
)
from endspiel.arena.protocol.benchmark_player import BenchmarkPlayer, SeenHand
from endspiel.arena.protocol.service import (
    NOT_TAKEN,
    RefusedError,
    ServiceError,
    UnclearError,
    WebService,
)
from endspiel.arena.protocol.slumbot import read_betting, write_action
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State

GTOWIZARD: Final = "gtowizard"
KEY_NAME: Final = "GTOWIZARD_API_KEY"  # of the environment
GAME_NAME: Final = "HUNL 200BB"
BUSY: Final = NOT_TAKEN | {409}  # of a new hand: others are to be finished first
_GONE: Final = (404, 405, 409, 410)  # statuses of a hand that is over
_SMALL_BLIND: Final = ("SB", "BTN", "BTN/SB", "BU")
_WORD: Final = re.compile(r"[fkc]|b[0-9]{1,6}(\.0+)?")


class WizardError(ServiceError):
    """A server that does not answer by the protocol."""


class WizardFrame(NamedTuple):
    """A hand as an answer describes it."""

    id: str
    state: State
    position: int  # ours: 0 has the big blind
    hole: tuple[int, ...]
    other: tuple[int, ...]
    board: tuple[int, ...]
    over: bool
    won: float | None
    aivat: float | None


def read_frame(game: GameDef, answer: Any, hole: tuple[int, ...] = ()) -> WizardFrame:
    """Read an answer; the hole cards, once they are known, say which player we are."""
    try:
        table, rules = answer["game_state"], answer["game"]
        stakes = sorted(float(blind) for blind in rules["blinds"])
        if stakes != sorted(map(float, game.blinds)) or rules["starting_stack"] != game.stacks[0]:
            raise WizardError(
                f"the server plays blinds {rules['blinds']} and stacks {rules['starting_stack']}, "
                f"not {game.name}"
            )
        players = [
            (str(one["position"]), tuple(sorted(parse_cards(one.get("hole_cards") or ""))))
            for one in table["players"]
        ]
        state = _betting(game, table["action_history"])
        board = tuple(parse_cards(table.get("board_cards") or ""))
        over = bool(table["is_hand_over"])
        won, aivat = table.get("winnings"), table.get("aivat_score")
        name = str(answer["hand_id"])
    except (KeyError, TypeError, ValueError) as error:
        raise WizardError(f"the server's answer is not one of its interface: {error}") from error
    own, other = _seats(players, hole)
    if over != state.finished:
        raise WizardError(f"the server says that a hand is {'' if over else 'not '}over after "
                          f"{state.line!r}")  # fmt: skip
    position = int(own[0] in _SMALL_BLIND)
    result = (None if won is None else float(won)), (None if aivat is None else float(aivat))
    return WizardFrame(name, state, position, own[1], other[1], board, over, *result)


def _seats(
    players: list[tuple[str, tuple[int, ...]]], hole: tuple[int, ...]
) -> list[tuple[str, tuple[int, ...]]]:
    """We, then the opponent: our cards are known, or the only ones shown."""
    ours = [one for one in players if (one[1] == hole if hole else len(one[1]) == 2)]
    if len(players) != 2 or len(ours) != 1:
        raise WizardError(f"the server shows {len(players)} players and {len(ours)} of them as us")
    other = players[1 - players.index(ours[0])]
    return [ours[0], other]


def _betting(game: GameDef, words: list[Any]) -> State:
    """The state after a betting; what the service ends streets by is left out."""
    named = [str(word) for word in words if word != "_"]
    for word in named:
        if not _WORD.fullmatch(word):
            raise WizardError(f"the server sent {word[:20]!r}, which is no action")
    return read_betting(game, "".join(word.partition(".")[0] for word in named))


class WizardTable:
    """Plays hands at a server, and notes each in a file.

    After a lost answer the hands in progress say whether the action was taken; a hand that is in
    progress when the client begins is played to its end first.
    """

    def __init__(self, service: WebService, player: BenchmarkPlayer, file: BenchmarkFile) -> None:
        self.service, self.player, self.file = service, player, file
        self._open = self._in_progress()
        begun = file.begun
        if begun is not None and begun.id not in {_id_of(answer) for answer in self._open}:
            file.end(self._lost(begun.number, begun.id, "the client ended in the middle of it"))

    def play(self, number: int) -> None:
        """Play one hand, one that is in progress before a new one."""
        answer = self._open.pop(0) if self._open else self._deal()
        frame = read_frame(self.player.game, answer)
        begun = self.file.begun
        if begun is not None and begun.id == frame.id:
            number = begun.number
        else:
            self.file.begin(HandBegun(number, frame.id))
        self.player.begin(number)
        try:
            frame = self._play_on(frame)
        except _GoneError as error:
            self.file.end(self._lost(number, frame.id, str(error), frame.hole))
            return
        self.file.end(self._record(number, frame))

    def _record(self, number: int, frame: WizardFrame) -> HandOver:
        seen = SeenHand(frame.state, frame.position, frame.hole, frame.other, frame.board)
        hand = self.player.over(number, FINISHED, frame.won, seen, id=frame.id)
        return HandOver(**{**_fields(hand), "aivat": frame.aivat})

    def _play_on(self, frame: WizardFrame) -> WizardFrame:
        """The hand once it is over."""
        while not frame.over:
            state = frame.state
            if state.actor != frame.position:
                raise WizardError(f"the server waits for us after {state.line!r}: it is its turn")
            board = frame.board[: self.player.game.board_sizes[state.round]]
            action = self.player.act(state, frame.hole, board)
            frame = self._act(frame, write_action(state, action))
        return frame

    def _act(self, frame: WizardFrame, word: str) -> WizardFrame:
        """The hand after an action, which is sent again only if the service has not taken it."""
        fields: dict[str, Any] = {"action": word[0]}
        if word[0] == "b":
            fields["amount"] = int(word[1:])
        for _ in range(self.service.plan.attempts):
            try:
                answer = self.service.ask("POST", f"hands/{frame.id}/act", fields)
                return read_frame(self.player.game, answer, frame.hole)
            except UnclearError as error:
                now = self._find(frame, str(error))
                if now.state.line != frame.state.line:
                    return now
            except RefusedError as error:
                if error.status not in _GONE:
                    raise
                raise _GoneError(str(error)) from error
        raise ServiceError(f"{self.service.address} took no action in hand {frame.id}")

    def _find(self, frame: WizardFrame, why: str) -> WizardFrame:
        """How a hand stands now."""
        for answer in self._in_progress():
            if _id_of(answer) == frame.id:
                return read_frame(self.player.game, answer, frame.hole)
        raise _GoneError(why)

    def _deal(self) -> Any:
        """A new hand; one that was dealt although its answer was lost is in progress."""
        for _ in range(self.service.plan.attempts):
            try:
                return self.service.ask("POST", "hands", {"game_name": GAME_NAME}, not_taken=BUSY)
            except UnclearError:
                self._open = self._in_progress()
                if self._open:
                    return self._open.pop(0)
        raise ServiceError(f"{self.service.address} deals no hand")

    def _in_progress(self) -> list[Any]:
        query = f"hands/in-progress?game_name={GAME_NAME.replace(' ', '%20')}"
        found = self.service.ask("GET", query, safe=True)
        if not isinstance(found, list):
            raise WizardError("the server's hands in progress are no list")
        return found

    def _lost(self, number: int, name: str, why: str, hole: tuple[int, ...] = ()) -> HandOver:
        """A hand that is over without an answer: the service may still be asked for it."""
        try:
            frame = read_frame(
                self.player.game, self.service.ask("GET", f"hands/{name}", safe=True), hole
            )
            if frame.over:
                return self._record(number, frame)
        except RefusedError:
            pass
        return HandOver(number, UNFINISHED, id=name, why=why)


class _GoneError(EndspielError):
    """A hand that is over although its last answer was lost."""


def _id_of(answer: Any) -> str:
    return str(answer.get("hand_id")) if isinstance(answer, Mapping) else ""


def _fields(hand: HandOver) -> dict[str, Any]:
    return {name: getattr(hand, name) for name in hand.__struct_fields__}
