"""A benchmark's run: hands until enough have a result, and what they come to."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from endspiel.arena.estimators.estimates import Estimate, estimate, milli_blinds
from endspiel.arena.protocol.benchmark_file import (
    BenchmarkFile,
    HandOver,
    check_hand,
    read_benchmark,
)
from endspiel.arena.protocol.service import ServiceError
from endspiel.errors import EndspielError
from endspiel.progress import Observe, Progress, unobserved
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef

RULES: Final = "nolimit-holdem"  # what both services play: 200 big blinds
MOST_LOST: Final = 20  # unfinished hands in a row, after which a run ends


class BenchmarkTable(Protocol):
    """Where hands are played, one after the other."""

    def play(self, number: int) -> None:
        """Play a hand and note it in the file."""


class BenchmarkResult(NamedTuple):
    """What the hands of a benchmark come to."""

    main: Estimate | None  # chips as won, in mbb a hand; None before the first hand
    aivat: Estimate | None  # of the hands with an estimate of less noise
    hands: dict[str, int]  # how many ended how

    def record(self) -> dict[str, Any]:
        """Plain values."""
        told: dict[str, Any] = {"hands": sum(self.hands.values()), "ended": self.hands}
        for name, found in (("", self.main), ("aivat_", self.aivat)):
            told[f"{name}mbb_per_hand"] = None if found is None else found.mean
            told[f"{name}interval"] = None if found is None else found.interval
            told[f"{name}units"] = 0 if found is None else found.units
        return told


def run_benchmark(
    table: BenchmarkTable,
    file: BenchmarkFile,
    hands: int,
    progress: Observe = unobserved,
) -> BenchmarkResult:
    """Play until a number of hands have results, those of the file included."""
    if hands < 1:
        raise EndspielError(f"there is at least one hand to play, not {hands}")
    lost, before = 0, len(file.results)
    progress(Progress("hands", before, hands, before))
    while (done := len(file.results)) < hands:
        table.play(file.next_number)
        lost = 0 if len(file.results) > done else lost + 1
        if lost >= MOST_LOST:
            raise ServiceError(f"the answers of {lost} hands in a row were lost")
        progress(Progress("hands", len(file.results), hands, before))
    return benchmark_result(load_rules(file.header.game), file.over.values())


def benchmark_result(game: GameDef, hands: Iterable[HandOver]) -> BenchmarkResult:
    """What hands come to."""
    listed = list(hands)
    won = [hand.won for hand in listed if hand.won is not None]
    less = [hand.aivat for hand in listed if hand.aivat is not None]
    return BenchmarkResult(
        estimate("plain", milli_blinds(game, won)) if won else None,
        estimate("aivat", milli_blinds(game, less)) if less else None,
        dict(Counter(hand.state for hand in listed)),
    )


class CheckedBenchmark(NamedTuple):
    """A file of a benchmark, every hand of it replayed."""

    header: dict[str, Any]
    result: BenchmarkResult
    checked: int  # hands whose results the rules give again
    wrong: list[str]


def check_benchmark(path: Path) -> CheckedBenchmark:
    """Replay the hands of a file and pay them again."""
    header, hands = read_benchmark(path)
    game = load_rules(header.game)
    wrong = [said for hand in hands.values() if (said := check_hand(game, hand))]
    able = sum(bool(hand.line) for hand in hands.values())
    told = {name: getattr(header, name) for name in header.__struct_fields__}
    return CheckedBenchmark(told, benchmark_result(game, hands.values()), able - len(wrong), wrong)
