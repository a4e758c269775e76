"""Hands as PHH files: written so that other programs replay them, read back as records.

PHH (Kim, 2024) is TOML: one hand a file, or a table a hand (``.phhs``). Players are numbered by
position, chips count per street, cards are dealt and shown as actions of their own. Heads-up
hold'em only, limit or no-limit.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from endspiel.arena.estimators.all_in import cards_at_last_action, is_holdem
from endspiel.cards.text import format_cards, parse_cards
from endspiel.errors import EndspielError, FileError, StateError
from endspiel.reading import MOST_OF_A_LOG, read_text
from endspiel.rules.acpc import MatchState, history
from endspiel.rules.amounts import format_phh, parse_phh
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import Record
from endspiel.rules.state import State, start

_DEALT: Final = re.compile(r"d dh p([12]) (\S+)")
_BOARD: Final = re.compile(r"d db (\S+)")
_SHOWN: Final = re.compile(r"p[12] sm( \S+)?")


def format_hand(record: Record) -> dict[str, Any]:
    """The fields of a hand's PHH table."""
    state, game = record.shown.state, record.shown.state.game
    _require_holdem(game)
    stacks = game.stacks
    return {
        **_betting_fields(game),
        "actions": list(_actions(record.shown)),
        "hand": record.shown.hand,
        "players": list(record.names),
        "finishing_stacks": [
            stack + chips for stack, chips in zip(stacks, state.payoffs(_deal(record)), strict=True)
        ],
    }


def write_phh(records: Iterable[Record], path: str | Path) -> int:
    """Write hands to a file, a table each; how many they are."""
    count = 0
    try:
        with Path(path).open("w") as file:
            for count, record in enumerate(records, 1):
                file.write(f"[{count}]\n")
                for key, value in format_hand(record).items():
                    file.write(f"{key} = {json.dumps(value)}\n")  # such values read alike in TOML
                file.write("\n")
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    return count


def read_phh(game: GameDef, path: str | Path) -> list[Record]:
    """The hands of a file, each replayed by the rules of a game."""
    _require_holdem(game)
    records = []
    for number, table in enumerate(read_tables(path), 1):
        try:
            records.append(parse_hand(game, table))
        except EndspielError as error:
            raise FileError(f"{path}, hand {number}: {error}") from error
    return records


def read_tables(path: str | Path) -> list[Any]:
    """The tables of a file, a hand each, as they are."""
    return parse_tables(read_text(path, MOST_OF_A_LOG), path)


def parse_tables(text: str, path: str | Path) -> list[Any]:
    """The tables of a file's text; errors name the file."""
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is no PHH file: {error}") from error
    return [content] if "actions" in content else list(content.values())


def parse_hand(game: GameDef, table: Any) -> Record:
    """The hand of a table, replayed; an error says what is wrong with it."""
    _require_holdem(game)
    try:
        return _parse_hand(game, table)
    except KeyError as error:
        raise StateError(f"{error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise StateError(str(error)) from error


def is_of(game: GameDef, table: Any) -> bool:
    """Whether a table says that it is of a game: its variant, blinds and stacks."""
    fields = _betting_fields(game)
    return isinstance(table, dict) and all(table.get(key) == fields[key] for key in fields)


def _require_holdem(game: GameDef) -> None:
    if game.num_players != 2 or not is_holdem(game):
        raise EndspielError(f"PHH files here are of heads-up hold'em, not of {game.name}")


def _betting_fields(game: GameDef) -> dict[str, Any]:
    """Variant and stakes. PHH lists blinds small first, though heads-up the second player's is."""
    fields: dict[str, Any] = {
        "variant": "NT" if game.no_limit else "FT",
        "antes": [0, 0],
        "blinds_or_straddles": list(game.blinds[::-1]),
    }
    if game.no_limit:
        fields["min_bet"] = game.big_blind
    else:
        fields |= {"small_bet": game.raise_sizes[0], "big_bet": game.raise_sizes[-1]}
    return fields | {"starting_stacks": list(game.stacks)}


def _actions(shown: MatchState) -> Iterator[str]:
    """The deal, the betting, and what is shown, in the order of play."""
    end, game = shown.state, shown.state.game
    for player, hole in enumerate(shown.holes, 1):
        yield f"d dh p{player} {format_cards(hole)}"
    state, on_table = start(game), 0
    for street in history(end):
        for action in street:
            yield format_phh(state, action)
            state = state.apply(action)
            size = len(shown.board) if not state.finished else cards_at_last_action(end)
            size = min(size, game.board_sizes[state.round])
            if size > on_table:
                yield f"d db {format_cards(shown.board[on_table:size])}"
                on_table = size
    if end.showdown:
        yield from _showdown(shown, on_table)


def _showdown(shown: MatchState, on_table: int) -> Iterator[str]:
    """Hands shown from the last raiser on, then the cards to come, street by street."""
    first = _last_raiser(shown.state)
    for player in (first, 1 - first):
        yield f"p{player + 1} sm {format_cards(shown.holes[player])}"
    for size in shown.state.game.board_sizes:
        if size > on_table:
            yield f"d db {format_cards(shown.board[on_table:size])}"
            on_table = size


def _last_raiser(end: State) -> int:
    """Who shows first: the last to raise in the last round played, else its first to act."""
    state = start(end.game)
    first = end.game.first_players[0]
    for street in history(end):
        for at, action in enumerate(street):
            if at == 0:
                first = state.actor
            if action > 0:
                first = state.actor
            state = state.apply(action)
    return first


def _parse_hand(game: GameDef, table: dict[str, Any]) -> Record:
    """One hand, replayed; what its table says of the stakes must be the game's."""
    for key, value in _betting_fields(game).items():
        if table[key] != value:
            raise EndspielError(f"{key} is {table[key]}; in {game.name} it is {value}")
    holes: dict[int, tuple[int, ...]] = {}
    board: list[int] = []
    state = start(game)
    for action in table["actions"]:
        if match := _DEALT.fullmatch(action):
            holes[int(match[1]) - 1] = tuple(parse_cards(match[2]))
        elif match := _BOARD.fullmatch(action):
            board += parse_cards(match[1])
        elif not _SHOWN.fullmatch(action):
            state = state.apply(parse_phh(state, action))
    _check_cards(game, state, holes, board)
    shown = MatchState(None, int(table.get("hand", 0)), state, (holes[0], holes[1]), tuple(board))
    record = Record(shown, (), _names(table))
    payoffs = state.payoffs(_deal(record))
    finished = table.get("finishing_stacks")
    if finished is not None and [s - f for s, f in zip(game.stacks, finished, strict=True)] != [
        -chips for chips in payoffs
    ]:
        raise EndspielError(f"finishing stacks {finished} do not follow from the hand")
    return record._replace(payoffs=payoffs)


def _check_cards(
    game: GameDef, state: State, holes: dict[int, tuple[int, ...]], board: Sequence[int]
) -> None:
    """Refuse a hand without its cards, unfinished, or with a card dealt twice."""
    if not state.finished:
        raise EndspielError(f"the hand is not over after {state.line!r}")
    if [len(holes.get(player, ())) for player in (0, 1)] != [2, 2]:
        raise EndspielError("both players need two cards that are known")
    size = game.board_sizes[state.round]
    if len(board) != size:
        raise EndspielError(f"{len(board)} board cards after {state.line!r}; there are {size}")
    cards = [*holes[0], *holes[1], *board]
    if len(set(cards)) != len(cards):
        raise EndspielError("a card is dealt twice")


def _names(table: dict[str, Any]) -> tuple[str, ...]:
    names = tuple(map(str, table.get("players", ("p1", "p2"))))
    if len(names) != 2:
        raise EndspielError(f"{len(names)} names for two players")
    return names


def _deal(record: Record) -> Deal:
    return Deal(record.shown.holes, record.shown.board)
