"""The file of a benchmark: every hand that was begun, line by line, for anybody to check.

The first line says what was played against whom; each line after it is one JSON object: a hand that
begins, or a hand that is over. A hand is written before the first request of the next.
"""

from pathlib import Path
from typing import Final, Literal

import msgspec

from endspiel import __version__, files
from endspiel.cards.text import format_cards, parse_cards
from endspiel.errors import EndspielError, FileError
from endspiel.growing import GrowingFile, KeptInFile
from endspiel.reading import MOST_OF_A_LOG, read_bytes
from endspiel.rules.acpc import parse_betting
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State

FINISHED, RECOVERED, UNFINISHED = "finished", "recovered", "unfinished"
KIND: Final = "benchmark"


class BenchmarkHeader(msgspec.Struct, frozen=True):
    """What was played, by whom, against whom."""

    service: str
    address: str
    agent: str
    game: str
    seed: int
    version: str = __version__
    endspiel: Literal["benchmark"] = KIND


class HandBegun(msgspec.Struct, frozen=True, tag="begun", tag_field="hand"):
    """A hand that the service has dealt."""

    number: int
    id: str = ""  # the service's name of the hand, or of the session


class HandOver(msgspec.Struct, frozen=True, tag="over", tag_field="hand"):
    """A hand that is over, as far as it is known; chips are ours."""

    number: int
    state: str  # finished, recovered (its result is from the session's totals) or unfinished
    won: float | None = None
    aivat: float | None = None  # by the service, or by us where both hands are shown
    position: int | None = None  # ours: 0 has the big blind
    line: str = ""  # the betting as the annual competition writes it
    hole: str = ""
    other: str = ""  # the opponent's cards, where they are shown
    board: str = ""
    id: str = ""
    why: str = ""  # an unfinished or recovered hand


Entry = HandBegun | HandOver


class BenchmarkFile(KeptInFile):
    """The hands of a benchmark, in a file or, without a path, in memory alone."""

    def __init__(self, header: BenchmarkHeader, path: Path | None = None) -> None:
        self.header, self.path = header, path
        self.over: dict[int, HandOver] = {}  # by number; what is known later replaces it
        self.begun: HandBegun | None = None  # and not over
        if path is None:
            return
        files.check_place(path)
        self._file = GrowingFile(path, f"another run is writing {path}: name another file, or wait")
        try:
            self._take_over(path)
        except BaseException as error:
            self._file.__exit__(type(error), error, None)
            raise

    @property
    def next_number(self) -> int:
        """The number of the next hand."""
        return max(self.over, default=-1) + 1

    @property
    def results(self) -> list[HandOver]:
        """The hands whose results are known."""
        return [hand for hand in self.over.values() if hand.won is not None]

    def begin(self, hand: HandBegun) -> None:
        """Note that a hand was dealt."""
        self.begun = hand
        self._put(hand)

    def end(self, hand: HandOver) -> None:
        """Note a hand that is over."""
        self._take(hand)
        self._put(hand)

    def _put(self, entry: Entry | BenchmarkHeader) -> None:
        if self._file is not None:
            self._file.put([msgspec.json.encode(entry).decode()])

    def _take_over(self, path: Path) -> None:
        """Go on with what the file has, if it is of the same benchmark."""
        assert self._file is not None
        data = read_bytes(path, MOST_OF_A_LOG)
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and msgspec.json.encode(self.header).startswith(data):
            self._file.cut(0)
            self._put(self.header)
            return
        header, entries = _parse(whole, path)
        if msgspec.structs.replace(header, version=__version__) != self.header:
            raise FileError(
                f"{path} is of {header.agent} against {header.service} at {header.address}, seed "
                f"{header.seed}: name another file"
            )
        self._file.cut(len(whole))
        for entry in entries:
            if isinstance(entry, HandOver):
                self._take(entry)
            else:
                self.begun = entry

    def _take(self, hand: HandOver) -> None:
        self.over[hand.number] = hand
        if self.begun is not None and self.begun.number == hand.number:
            self.begun = None


def read_benchmark(path: Path) -> tuple[BenchmarkHeader, dict[int, HandOver]]:
    """The header and the hands of a file by their numbers."""
    header, entries = _parse(read_bytes(path, MOST_OF_A_LOG), path)
    return header, {entry.number: entry for entry in entries if isinstance(entry, HandOver)}


def _parse(data: bytes, path: Path) -> tuple[BenchmarkHeader, list[Entry]]:
    first, *lines = data.split(b"\n")
    try:
        header = msgspec.json.decode(first, type=BenchmarkHeader)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FileError(f"{path} is no file of a benchmark: {error}") from error
    entries: list[Entry] = []
    for number, line in enumerate(lines, 2):
        if not line:
            continue
        try:
            entries.append(msgspec.json.decode(line, type=Entry))
        except (msgspec.MsgspecError, RecursionError) as error:
            raise FileError(f"{path}, line {number}, is damaged: {error}") from error
    return header, entries


def replayed(game: GameDef, hand: HandOver) -> tuple[State, Deal | None]:
    """The last state of a finished hand, and its deal where both hands are known."""
    state = parse_betting(game, hand.line)
    if not state.finished:
        raise EndspielError(f"it is not over after {hand.line!r}")
    if not hand.other or hand.position is None:
        return state, None
    own, other = tuple(parse_cards(hand.hole)), tuple(parse_cards(hand.other))
    holes = (own, other) if hand.position == 0 else (other, own)
    deal = Deal(holes, tuple(parse_cards(hand.board)))
    cards = [*own, *other, *deal.board]
    if len(set(cards)) < len(cards):
        raise EndspielError(f"a card is there twice: {format_cards(cards)}")
    if state.showdown and len(deal.board) < game.board_sizes[-1]:
        raise EndspielError(f"it is shown down on {len(deal.board)} cards")
    return state, deal


def check_hand(game: GameDef, hand: HandOver) -> str:
    """What is wrong with a hand's result by the rules; empty where nothing is."""
    if hand.state != FINISHED or hand.position is None:
        return ""
    try:
        state, deal = replayed(game, hand)
        if state.showdown and deal is None:
            return ""
        owed = float(state.payoffs(deal)[hand.position])
    except EndspielError as error:
        return f"hand {hand.number}: {error}"
    if owed != hand.won:
        return f"hand {hand.number}: {hand.won} chips are noted, the rules give {owed:g}"
    return ""
