"""The arena: hands a second in process on one core, beside pokerkit in the same run.

Run with ``python benchmarks/arena.py``. A hand is dealt, played by two agents, paid and entered in
the match; pokerkit plays the same hands with the actions known. Rates count processor time, so
that other work on the machine does not show.
"""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import pokerkit
from rich.console import Console
from rich.table import Table

from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arena.protocol.phh import write_phh
from endspiel.rules.builtin import load_rules
from endspiel.rules.log import parse_record, read_lines

HANDS = 40_000
POKERKIT_HANDS = 400
PAIRS = (
    ("always-fold", "always-raise"),
    ("always-call", "always-call"),
    ("random", "random"),
    ("random", "always-call"),
    ("pot-odds", "random"),
)


def main() -> None:
    """Measure and print the table."""
    console = Console()
    table = Table("agents", "hands/s", "with a log", "times pokerkit", title="Arena, one core")
    for pair in PAIRS:
        game = load_rules("nolimit-holdem")
        with TemporaryDirectory() as folder:
            warm = Path(folder) / "warm.log"
            run_match(MatchPlan(game, pair, 400), warm, workers=1)
            bare = _rate(MatchPlan(game, pair, HANDS), None)
            logged = _rate(MatchPlan(game, pair, HANDS), Path(folder) / "match.log")
            theirs = _pokerkit_rate(warm, Path(folder) / "hands.phhs")
        table.add_row(" - ".join(pair), f"{bare:,.0f}", f"{logged:,.0f}", f"{bare / theirs:.0f}")
    console.print(table)


def _rate(plan: MatchPlan, log: Path | None) -> float:
    """Hands a second of a match."""
    begin = process_time()
    run_match(plan, log, workers=1)
    return plan.hands / (process_time() - begin)


def _pokerkit_rate(log: Path, phh: Path) -> float:
    """Hands a second of pokerkit replaying the first hands of a log."""
    game = load_rules("nolimit-holdem")
    lines = [line for _, line in read_lines(log) if line.startswith("STATE:")]
    write_phh((parse_record(game, line) for line in lines[:POKERKIT_HANDS]), phh)
    with warnings.catch_warnings(), phh.open("rb") as file:
        warnings.simplefilter("ignore")  # pokerkit warns of every card chosen by hand
        histories = list(pokerkit.HandHistory.load_all(file))
        begin = process_time()
        for history in histories:
            for _ in history:
                pass
        return len(histories) / (process_time() - begin)


if __name__ == "__main__":
    main()
