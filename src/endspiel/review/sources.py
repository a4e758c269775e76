"""Hands from files: histories of poker rooms, ACPC logs and PHH files."""

import re
from collections.abc import Iterator
from pathlib import Path

from endspiel.arena.protocol.phh import is_of, parse_hand, parse_tables
from endspiel.cards.streets import BOARD_CARDS
from endspiel.errors import EndspielError, FileError, StateError
from endspiel.reading import MOST_OF_A_LOG, read_any_text
from endspiel.review.histories import is_history, read_histories
from endspiel.review.phh_hands import parse_phh_hand
from endspiel.review.played import (
    FOLDED,
    BrokenHand,
    PlayedAction,
    PlayedHand,
    PlayedPreflop,
    StreetStart,
    check_cards,
)
from endspiel.review.rooms import ROOMS
from endspiel.rules.acpc import history
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import Record, parse_header, parse_record
from endspiel.rules.replay import header_game
from endspiel.rules.state import CALL, FOLD, start

PHH_RULES = "nolimit-holdem"
_TABLE = re.compile(r"\[[^\]]+\]\s*(#.*)?")  # where a hand of a .phhs file begins
_PHH = re.compile(r"^\s*actions\s*=\s*\[", re.MULTILINE)  # in a text without a name


def read_hands(path: str | Path, rules: str | None = None) -> Iterator[PlayedHand | BrokenHand]:
    """Every hand of a file, whole or broken, in order; the kind of file is seen by its text.

    The rules of a log are those its header names, of a PHH file those of the competition, unless
    others are given.
    """
    return parse_hands(read_any_text(path, MOST_OF_A_LOG), Path(path), rules)


def parse_hands(
    text: str, path: str | Path, rules: str | None = None
) -> Iterator[PlayedHand | BrokenHand]:
    """Every hand of a text that came from a file, or under the name of one; errors name it."""
    path = Path(path)
    if path.suffix.lower() in (".phh", ".phhs") or _PHH.search(text):
        yield from _read_phh(rules, path, text)
    elif is_history(text):
        yield from read_histories(text)
    elif any(line.startswith("STATE:") for line in text.splitlines()):
        yield from _read_log(None if rules is None else load_rules(rules), path, text)
    else:
        rooms = ", ".join(room.name for room in ROOMS)
        raise FileError(
            f"{path} is neither a history of {rooms}, an ACPC log, nor a .phh or .phhs file"
        )


def _read_phh(rules: str | None, path: Path, text: str) -> Iterator[PlayedHand | BrokenHand]:
    """Hands by the rules of the competition, or those given, are replayed; others are read."""
    game = load_rules(rules or PHH_RULES)
    lines = [at for at, line in enumerate(text.splitlines(), 1) if _TABLE.fullmatch(line)]
    for number, table in enumerate(parse_tables(text, path), 1):
        line = lines[number - 1] if number <= len(lines) else 1
        try:
            if rules is None and not is_of(game, table):
                yield parse_phh_hand(table, number, line)
            else:
                yield read_record(parse_hand(game, table), line)
        except EndspielError as error:
            yield BrokenHand(str(number), line, str(error))


def _read_log(rules: GameDef | None, path: Path, text: str) -> Iterator[PlayedHand | BrokenHand]:
    game = rules
    for number, line in enumerate(text.splitlines(), 1):
        header = parse_header(line) if line.startswith("#") else None
        if header is not None and rules is None:
            game = header_game(path, header)
        if not line.startswith("STATE:"):
            continue
        if game is None:
            raise FileError(f"{path} names no game in a header: give one with --game")
        try:
            record = parse_record(game, line.rstrip())
        except EndspielError as error:
            yield BrokenHand(line[:40], number, str(error))
            continue
        yield read_record(record, number)


def read_record(record: Record, number: int) -> PlayedHand | BrokenHand:
    """Return a hand that was replayed by the rules, or why it cannot be judged."""
    try:
        return check_cards(_of_record(record, number))
    except EndspielError as error:
        return BrokenHand(str(record.shown.hand), number, str(error))


def _of_record(record: Record, number: int) -> PlayedHand:
    """A hand as the rules replayed it."""
    shown = record.shown
    game = shown.state.game
    if game.num_players != 2 or not game.no_limit or game.board_sizes != BOARD_CARDS:
        raise StateError(f"{game.name} is not heads-up no-limit hold'em")
    first = game.first_players[1]  # the position that acts first after the flop
    pair = (first, 1 - first)
    state, starts, actions = start(game), dict[int, StreetStart](), list[PlayedAction]()
    before = list[PlayedAction]()
    for street, round_actions in enumerate(history(shown.state)):
        if street:
            spent = (state.spent[pair[0]], state.spent[pair[1]])
            starts[street] = StreetStart(state.pot, spent)
        for action in round_actions:
            position = state.actor
            state = state.apply(action)
            chips = FOLDED if action == FOLD else state.spent[position]
            to = actions if street else before
            to.append(PlayedAction(street, pair.index(position), chips))
    return PlayedHand(
        str(shown.hand),
        number,
        game.big_blind,
        (record.names[pair[0]], record.names[pair[1]]),
        (game.stacks[pair[0]], game.stacks[pair[1]]),
        (shown.holes[pair[0]], shown.holes[pair[1]]),
        shown.board,
        starts,
        tuple(actions),
        raises=sum(action not in (FOLD, CALL) for action in history(shown.state)[0]),
        preflop=PlayedPreflop(game.blinds[pair[1]], 0, 0, tuple(before)),
    )
