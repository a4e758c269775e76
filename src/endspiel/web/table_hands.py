"""The finished hands of a table: as a list, step by step, and how they went in all."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from endspiel.arena.estimators.estimates import estimate, milli_blinds
from endspiel.betting.menu import STREET_NAMES
from endspiel.cards.text import format_cards
from endspiel.rules.acpc import history
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import Record
from endspiel.rules.state import CALL, FOLD, State, start
from endspiel.web.judging import JUDGED, WAITING, YOU, JudgedHand
from endspiel.web.play import OwnLoss, Rate, card_names
from endspiel.web.reviews import action_words

MILLI_PER_100 = 10  # mbb a hand that make one big blind in a hundred hands
DID = {"fold": "folds", "check": "checks", "call": "calls", "bet": "bets", "raise": "raises"}


class PlayedRow(Struct):
    """A finished hand in a line."""

    hand: int
    seat: int
    hole: list[str]
    agent_hole: list[str]
    board: list[str]
    won: float
    how: str
    line: str
    judged: JudgedHand


class PlayedRows(Struct):
    """Every finished hand of a table, the newest first."""

    hands: list[PlayedRow]


class ReplayStep(Struct):
    """The table after something happened; the first is that of the blinds."""

    street: str
    board: list[str]
    pot: int
    spent: list[int]
    street_start: int
    who: str  # you, agent or dealer
    text: str
    turn: str  # you, agent or over


class ReplayAnswer(Struct):
    """A finished hand step by step."""

    hand: int
    seat: int
    blinds: tuple[int, int]
    stack: int | None
    hole: list[str]
    agent_hole: list[str]
    won: float
    steps: list[ReplayStep]
    judged: JudgedHand


def seat_of(record: Record) -> int:
    """The person's position in a hand."""
    return record.names.index(YOU)


def rate_of(game: GameDef, records: Sequence[Record]) -> Rate:
    """The rate of all hands so far."""
    if not records:
        return Rate()
    chips = [record.payoffs[seat_of(record)] for record in records]
    found = estimate("plain", milli_blinds(game, chips))
    half = found.half_width
    return Rate(found.mean / MILLI_PER_100, None if half is None else half / MILLI_PER_100)


def own_loss(judged: Sequence[JudgedHand]) -> OwnLoss:
    """What the judged hands lost in all."""
    done = [one for one in judged if one.state == JUDGED]
    return OwnLoss(
        len(done),
        sum(one.state == WAITING for one in judged),
        sum(len(one.decisions) for one in done),
        round(sum(one.lost for one in done), 4),
    )


def row_of(record: Record, judged: JudgedHand) -> PlayedRow:
    """Return a hand as a row of the list."""
    shown, seat = record.shown, seat_of(record)
    return PlayedRow(
        hand=shown.hand,
        seat=seat,
        hole=card_names(shown.holes[seat]),
        agent_hole=card_names(shown.holes[1 - seat]),
        board=card_names(shown.board),
        won=record.payoffs[seat],
        how="showdown" if shown.state.showdown else "fold",
        line=shown.state.line,
        judged=judged,
    )


def log_entry(state: State, action: int, who: str) -> dict[str, Any]:
    """Return an action as an entry of the log."""
    verb, _, rest = action_words(state, action).partition(" ")
    return {
        "street": STREET_NAMES[state.round],
        "who": who,
        "text": f"{DID[verb]} {rest}".strip(),
        "action": "call" if action == CALL else "fold" if action == FOLD else "raise",
        "to": action if action > 0 else None,
    }


def replay_of(record: Record, stack: int | None, judged: JudgedHand) -> ReplayAnswer:
    """A hand step by step, from the blinds to its end."""
    shown, seat = record.shown, seat_of(record)
    game = shown.state.game
    state, steps = start(game), list[ReplayStep]()

    def note(street: int, base: int, who: str, text: str) -> None:
        board = card_names(shown.board[: game.board_sizes[street]])
        turn = "over" if state.finished else "you" if state.actor == seat else "agent"
        steps.append(
            ReplayStep(
                STREET_NAMES[street], board, state.pot, list(state.spent), base, who, text, turn
            )
        )

    note(0, 0, "dealer", "")
    for action in (action for actions in history(shown.state) for action in actions):
        before, who = state, "you" if state.actor == seat else "agent"
        state = state.apply(action)
        note(before.round, before.street_start, who, log_entry(before, action, who)["text"])
        for street in range(before.round + 1, state.round + 1):
            dealt = shown.board[game.board_sizes[street - 1] : game.board_sizes[street]]
            note(street, state.max_spent, "dealer", format_cards(dealt, " "))
    return ReplayAnswer(
        hand=shown.hand,
        seat=seat,
        blinds=(game.blinds[0], game.blinds[1]),
        stack=stack,
        hole=card_names(shown.holes[seat]),
        agent_hole=card_names(shown.holes[1 - seat]),
        won=record.payoffs[seat],
        steps=steps,
        judged=judged,
    )
