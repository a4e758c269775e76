"""Dealer logs: the match header, finished hands with payoffs and names, and score lines."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from endspiel.errors import StateError
from endspiel.reading import MOST_OF_A_LOG, read_text
from endspiel.rules.acpc import MatchState, format_state, parse_state
from endspiel.rules.game_def import GameDef

_HEADER: Final = re.compile(r"# name/game/hands/seed (\S+) (\S+) ([0-9]{1,10}) ([0-9]{1,10})")
_CHIPS: Final = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?")


class Header(NamedTuple):
    """What the first comment of a log says of its match."""

    match: str
    game: str  # the game definition file's name
    hands: int
    seed: int


class Record(NamedTuple):
    """One finished hand of a log."""

    shown: MatchState
    payoffs: tuple[float, ...]  # [N] by position
    names: tuple[str, ...]  # [N] by position


class Score(NamedTuple):
    """The closing line of a log."""

    totals: tuple[float, ...]  # [N] by seat
    names: tuple[str, ...]  # [N] by seat


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Number and text of every line of a log that is not empty."""
    text = read_text(path, MOST_OF_A_LOG)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")


def parse_header(line: str) -> Header | None:
    """The match a comment describes, or None for any other comment."""
    match = _HEADER.fullmatch(line.strip())
    if match is None:
        return None
    return Header(match[1], match[2], int(match[3]), int(match[4]))


def format_header(header: Header) -> str:
    """``# name/game/hands/seed`` and the four of them."""
    return f"# name/game/hands/seed {header.match} {header.game} {header.hands} {header.seed}"


def parse_record(game: GameDef, line: str) -> Record:
    """``STATE:hand:betting:cards:payoffs:names``."""
    fields = line.split(":")
    if len(fields) != 6:
        raise StateError(f"{line[:80]!r} is not STATE:hand:betting:cards:payoffs:names")
    shown = parse_state(game, ":".join(fields[:4]))
    if shown.position is not None:
        raise StateError(f"{line[:80]!r} shows one player's view, not a finished hand")
    return Record(
        shown, *_parse_results(fields[4], fields[5], game.num_players, "payoffs of a hand")
    )


def format_record(record: Record) -> str:
    """The line ``parse_record`` reads."""
    return f"{format_state(record.shown)}:{_format_results(record.payoffs, record.names)}"


def parse_score(game: GameDef, line: str) -> Score:
    """``SCORE:totals:names``."""
    fields = line.split(":")
    if len(fields) != 3 or fields[0] != "SCORE":
        raise StateError(f"{line[:80]!r} is not SCORE:totals:names")
    return Score(*_parse_results(fields[1], fields[2], game.num_players, "totals of a score"))


def format_score(score: Score) -> str:
    """The line ``parse_score`` reads."""
    return f"SCORE:{_format_results(score.totals, score.names)}"


def format_chips(chips: float) -> str:
    """Chips as the dealer prints them: at most six decimals, no trailing zeros."""
    return f"{chips:.6f}".rstrip("0").rstrip(".")


def _format_results(chips: tuple[float, ...], names: tuple[str, ...]) -> str:
    return "|".join(map(format_chips, chips)) + ":" + "|".join(names)


def _parse_results(
    chips: str, names: str, players: int, what: str
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Chips and names, one a player."""
    amounts, people = chips.split("|"), names.split("|")
    if len(amounts) != players or len(people) != players:
        raise StateError(
            f"{what} are {len(amounts)} for {len(people)} names; the game has {players} players"
        )
    for amount in amounts:
        if not _CHIPS.fullmatch(amount):
            raise StateError(f"{what} are numbers of chips, not {amount[:20]!r}")
    if not all(people):
        raise StateError(f"names {names[:80]!r} leave a player without one")
    return tuple(_number(amount) for amount in amounts), tuple(people)


def _number(text: str) -> float:
    """An integer where the text is one, so that whole chips stay exact."""
    return float(text) if "." in text else int(text)
