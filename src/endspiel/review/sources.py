"""Hands from files: PokerStars histories, ACPC logs and PHH files."""

from collections.abc import Iterator
from pathlib import Path

from endspiel.arena.phh import read_phh
from endspiel.errors import EndspielError, FileError, StateError
from endspiel.reading import MOST_OF_A_LOG, read_text
from endspiel.review.played import (
    BOARD_CARDS,
    FOLDED,
    BrokenHand,
    PlayedAction,
    PlayedHand,
    StreetStart,
    check_cards,
)
from endspiel.review.pokerstars import is_pokerstars, read_pokerstars
from endspiel.rules.acpc import history
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import Record, parse_record
from endspiel.rules.state import FOLD, start

DEFAULT_RULES = "nolimit-holdem"  # of logs and PHH files, which tell no stacks or all of them


def read_hands(path: str | Path, rules: str = DEFAULT_RULES) -> Iterator[PlayedHand | BrokenHand]:
    """Every hand of a file, whole or broken, in order; the kind of file is seen by its text."""
    if Path(path).suffix.lower() in (".phh", ".phhs"):
        for number, record in enumerate(read_phh(load_rules(rules), path), 1):
            yield _read(record, number)
        return
    text = read_text(path, MOST_OF_A_LOG)
    if is_pokerstars(text):
        yield from read_pokerstars(text)
    elif any(line.startswith("STATE:") for line in text.splitlines()):
        yield from _read_log(load_rules(rules), text)
    else:
        raise FileError(
            f"{path} is neither a PokerStars history, an ACPC log, nor a .phh or .phhs file"
        )


def _read_log(rules: GameDef, text: str) -> Iterator[PlayedHand | BrokenHand]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("STATE:"):
            try:
                record = parse_record(rules, line.rstrip())
            except EndspielError as error:
                yield BrokenHand(line[:40], number, str(error))
                continue
            yield _read(record, number)


def _read(record: Record, number: int) -> PlayedHand | BrokenHand:
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
    for street, round_actions in enumerate(history(shown.state)):
        if street:
            spent = (state.spent[pair[0]], state.spent[pair[1]])
            starts[street] = StreetStart(state.pot, spent)
        for action in round_actions:
            position = state.actor
            state = state.apply(action)
            chips = FOLDED if action == FOLD else state.spent[position]
            if street:
                actions.append(PlayedAction(street, pair.index(position), chips))
    if not starts:
        raise StateError("it ends before the flop")
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
    )
