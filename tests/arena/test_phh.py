"""PHH files: replayed by pokerkit to the same stacks, read back to the same records."""

import io
import random
import warnings
from dataclasses import replace
from pathlib import Path

import pokerkit
import pytest

from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arena.protocol.phh import read_phh, write_phh
from endspiel.errors import EndspielError, FileError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import Record, parse_record, read_lines
from tests.rules.hands import ACPC

NO_LIMIT = load_rules("nolimit-holdem")
LIMIT = load_rules("limit-holdem")


def log_records(game: GameDef, path: Path) -> list[Record]:
    return [parse_record(game, line) for _, line in read_lines(path) if line.startswith("STATE:")]


def replayed(path: Path) -> list[pokerkit.HandHistory]:
    with warnings.catch_warnings(), path.open("rb") as file:
        warnings.simplefilter("ignore")
        return list(pokerkit.HandHistory.load_all(file))


def check_with_pokerkit(path: Path, records: list[Record]) -> None:
    """pokerkit plays every hand to the end, and to the same stacks."""
    histories = replayed(path)
    assert len(histories) == len(records)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for history, record in zip(histories, records, strict=True):
            *_, end = history
            assert not end.status
            stacks = record.shown.state.game.stacks
            assert tuple(end.payoffs) == record.payoffs
            assert list(end.stacks) == [s + c for s, c in zip(stacks, record.payoffs, strict=True)]


@pytest.mark.parametrize(
    ("game", "name"),
    [(NO_LIMIT, "dealer-nolimit-seed42.log"), (LIMIT, "dealer-limit-seed7.log")],
    ids=["nolimit", "limit"],
)
def test_the_competitions_hands(game: GameDef, name: str, tmp_path: Path) -> None:
    records = log_records(game, ACPC / name)
    path = tmp_path / "hands.phhs"
    assert write_phh(records, path) == len(records)
    assert read_phh(game, path) == records
    check_with_pokerkit(path, records)


@pytest.mark.parametrize("pair", [("random", "random"), ("always-raise", "random")])
def test_matches(pair: tuple[str, str], tmp_path: Path) -> None:
    run_match(MatchPlan(NO_LIMIT, pair, 200, random.Random(3).randrange(100)), tmp_path / "m.log")
    records = log_records(NO_LIMIT, tmp_path / "m.log")
    path = tmp_path / "hands.phhs"
    write_phh(records, path)
    assert read_phh(NO_LIMIT, path) == records
    check_with_pokerkit(path, records)


def test_what_pokerkit_writes_is_read(tmp_path: Path) -> None:
    records = log_records(NO_LIMIT, ACPC / "dealer-nolimit-seed42.log")
    path = tmp_path / "hands.phhs"
    write_phh(records, path)
    for record, history in list(zip(records, replayed(path), strict=True))[:20]:
        buffer = io.BytesIO()
        history.dump(buffer)
        single = tmp_path / "one.phh"
        single.write_bytes(buffer.getvalue())
        assert read_phh(NO_LIMIT, single) == [record]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('variant = "NT"', 'variant = "FT"', "hand 1: variant is FT; in holdem.nolimit"),
        ("min_bet = 100", "min_bet = 50", "hand 1: min_bet is 50"),
        ('"p2 cbr 8282"', '"p1 cbr 8282"', "hand 1: PHH action 'p1 cbr 8282' after '': p2 is to"),
        ('"d dh p2 2hAc"', '"d dh p2 2h7d"', "hand 1: a card is dealt twice"),
        ('"d dh p2 2hAc", ', "", "both players need two cards"),
        (', "d db 6h"', "", "hand 1: 4 board cards"),
        ("[38197, 1803]", "[38196, 1804]", "finishing stacks"),
        ("actions = ", "acts = ", "'actions' is missing"),
        ("[1]", "[1", "is no PHH file"),
    ],
)
def test_faults_are_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "hands.phhs"
    write_phh(log_records(NO_LIMIT, ACPC / "dealer-nolimit-seed42.log"), path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FileError, match=message):
        read_phh(NO_LIMIT, path)


def test_other_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EndspielError, match="heads-up hold'em, not of leduc"):
        read_phh(load_rules("leduc"), tmp_path / "none.phh")
    with pytest.raises(FileError, match="there is no file"):
        read_phh(NO_LIMIT, tmp_path / "none.phh")
    record = log_records(NO_LIMIT, ACPC / "dealer-nolimit-seed42.log")[0]
    shown = record.shown._replace(
        state=record.shown.state._replace(game=replace(NO_LIMIT, num_suits=3))
    )
    with pytest.raises(EndspielError, match="hold'em"):
        write_phh([record._replace(shown=shown)], tmp_path / "x.phh")
