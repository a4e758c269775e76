"""Log replay: the dealer's logs pass; every kind of tampering is found, with its line."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.errors import EndspielError, FileError, RulesError
from endspiel.rules.replay import Replay, replay_log
from tests.rules.hands import ACPC, LOGS

NO_LIMIT = ACPC / "dealer-nolimit-seed42.log"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_the_dealers_logs_hold(path: Path) -> None:
    result = replay_log(path)
    assert result.mismatches == []
    assert result.hands == sum(line.startswith("STATE") for line in path.read_text().splitlines())
    assert result.scores == 1
    assert len(result.seeds) == 1
    assert sum(result.totals.values()) == pytest.approx(0, abs=1e-6)


@pytest.fixture
def tampered(tmp_path: Path) -> Callable[..., Replay]:
    """Replay the no-limit log with one text replaced."""

    def replay(old: str, new: str) -> Replay:
        text = NO_LIMIT.read_text()
        assert old in text
        log = tmp_path / "tampered.log"
        log.write_text(text.replace(old, new, 1))
        return replay_log(log)

    return replay


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        (
            ":18197|-18197:",
            ":18197|-18198:",
            5,
            "payoffs are 18197|-18197, the log says 18197|-18198",
        ),
        (":18197|-18197:", ":-18197|18197:", 5, "payoffs are 18197|-18197"),
        ("r8282c/cc/cr10756c/r18197c", "r8282c/cc/cr10756c/r10800c", 5, "at least 10856"),
        ("r8282c/cc/cr10756c/r18197c", "r8282c/cc/cr10756c/r18197", 5, "not over"),
        ("r8282c/cc", "r8282c/ccc", 5, "the hand is over"),
        ("7d3d|2hAc", "7d4d|2hAc", 5, "seed 42 deals 7d3d|2hAc"),
        ("5sKs7s/9s/6h", "5sKs7s/9s/6d", 5, "seed 42 deals"),
        ("7d3d|2hAc", "7d7d|2hAc", 5, "7d is dealt twice"),
        ("STATE:7:", "STATE:8:", 12, "hand 8 where hand 7 should be"),
        ("SCORE:122169|-122169", "SCORE:122170|-122169", 105, "scores are 122169|-122169"),
        ("Alice|Bob\nSTATE:1:", "Carol|Bob\nSTATE:1:", 105, "Carol"),
        (" 100 42", " 101 42", 105, "100 hands; the header promises 101"),
        ("STATE:0:r8282c", "STATE:0:r8282c:", 5, "is not STATE:hand"),
    ],
)
def test_tampering_is_found(
    tampered: Callable[..., Replay], old: str, new: str, line: int, why: str
) -> None:
    result = tampered(old, new)
    assert result.hands == 100
    assert any(m.line == line and why in m.text for m in result.mismatches), result.mismatches


def test_a_wrong_seed_contradicts_every_deal(tampered: Callable[..., Replay]) -> None:
    result = tampered(" 100 42", " 100 43")
    assert len(result.mismatches) == 100


def test_a_missing_hand_is_one_gap_and_a_wrong_score(tampered: Callable[..., Replay]) -> None:
    line = next(x for x in NO_LIMIT.read_text().splitlines() if x.startswith("STATE:5:"))
    result = tampered(line + "\n", "")
    assert result.mismatches[0].text == "hand 6 where hand 5 should be"
    assert [m.line for m in result.mismatches] == [10, 104, 104]


def test_a_match_cut_short_has_no_score_to_contradict(tmp_path: Path) -> None:
    log = tmp_path / "cut.log"
    log.write_text("\n".join(NO_LIMIT.read_text().splitlines()[:50]))
    result = replay_log(log)
    assert (result.hands, result.scores, result.mismatches) == (46, 0, [])


def test_logs_of_several_matches_and_of_no_header(tmp_path: Path) -> None:
    log = tmp_path / "several.log"
    text = NO_LIMIT.read_text()
    log.write_text(text + (ACPC / "dealer-limit-seed7.log").read_text())
    result = replay_log(log)
    assert (result.hands, result.scores, result.seeds) == (300, 2, [42, 7])
    assert result.mismatches == []
    log.write_text("".join(text.splitlines(keepends=True)[20:-1]).replace("\n", "\r\n"))
    with pytest.raises(FileError, match="names no game"):
        replay_log(log)
    assert replay_log(log, "nolimit-holdem").mismatches == []
    assert replay_log(log, ACPC / "holdem.nolimit.2p.reverse_blinds.game").hands == 84


def test_players_of_one_name_are_told_apart_by_seat(tmp_path: Path) -> None:
    log = tmp_path / "twins.log"
    log.write_text(NO_LIMIT.read_text().replace("Alice", "Twin").replace("Bob", "Twin"))
    assert replay_log(log).mismatches == []
    log.write_text(log.read_text().replace("SCORE:122169", "SCORE:122168"))
    assert len(replay_log(log).mismatches) == 1


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    with pytest.raises(FileError, match="there is no file"):
        replay_log(log)
    for data, why in (
        (b"", "no hands"),
        (b"# nothing but comments\n", "no hands"),
        (b"\xff\xfe\x00", "line 1, is not text"),
        (b"STATE:0:f:9s3s|4d7h:50|-50:A|B\n", "names no game"),
        (b"hello\n", "line 1: 'hello' is no line"),
        (NO_LIMIT.read_bytes() + b"garbage\n", "line 106: 'garbage' is no line"),
    ):
        log.write_bytes(data)
        with pytest.raises(FileError, match=why):
            replay_log(log)
    log.write_text("# name/game/hands/seed a b.game 1 1\nSTATE:0:f:9s3s|4d7h:50|-50:A|B\n")
    with pytest.raises(RulesError, match=r"names game 'b.game'"):
        replay_log(log)


@given(st.binary(max_size=8), st.integers(0, 3000), st.integers(0, 8))
def test_damaged_logs_raise_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, new: bytes, at: int, gone: int
) -> None:
    data = b"".join(NO_LIMIT.read_bytes().splitlines(keepends=True)[:30])
    log = tmp_path_factory.getbasetemp() / "damaged.log"
    log.write_bytes(data[:at] + new + data[at + gone :])
    with contextlib.suppress(EndspielError):
        replay_log(log)
