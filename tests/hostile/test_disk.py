"""A full disk or a full device behind a stream: one sentence, and what was written is whole."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from endspiel.arena.plan import MatchPlan
from endspiel.arena.protocol.match_log import MatchLog
from endspiel.cli.streams import careful_streams
from endspiel.errors import FileError
from endspiel.rules.builtin import load_rules
from endspiel.rules.replay import replay_log
from tests.hostile.surroundings import endspiel, file_size, only_sentence

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


@needs_full
@pytest.mark.parametrize(
    "arguments", [("game", "kuhn"), ("--help",), ("game", "rps", "--json", "-")]
)
def test_standard_output_is_full(arguments: tuple[str, ...]) -> None:
    with FULL.open("w") as full:
        done = endspiel(*arguments, status=2, stdout=full)
    assert only_sentence(done.stderr) == (
        "endspiel: cannot write to standard output: No space left on device"
    )


@needs_full
def test_standard_error_is_full() -> None:
    with FULL.open("w") as full:
        done = endspiel("game", "kuhn", "--json", "-", status=2, stderr=full)
    assert '"value": -0.05' in done.stdout, "the work is done and told all the same"


@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_both_are_full(unbuffered: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with FULL.open("w") as full:
        endspiel("game", "rps", status=2, stdout=full, stderr=full)


def test_a_reader_that_leaves_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = endspiel("game", "rps", status=141, stdout=pipe)
    assert "endspiel: " not in done.stderr


def test_streams_are_given_back(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with careful_streams() as streams:
        print("told")
        assert not streams.error_lost
    assert (sys.stdout, sys.stderr) == before


def quietly(limit: Callable[[], None]) -> Callable[[], None]:
    """A limit on files that shows in an error, not in a signal."""

    def both() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit()

    return both


def test_a_log_on_a_full_disk_can_be_resumed(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    match = ("match", "always-call", "random", "--hands", 400, "--game", "leduc")
    done = endspiel(*match, "--log", log, status=2, limit=quietly(file_size(9000)))
    assert only_sentence(done.stderr) == f"endspiel: cannot write {log}: File too large"
    assert log.stat().st_size == 9000
    endspiel(*match, "--resume", log)
    found = replay_log(log)
    assert (found.hands, found.mismatches) == (400, [])


def test_a_log_that_cannot_be_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = MatchPlan(load_rules("leduc"), ("random", "always-call"), 10)
    close = os.close

    def fail(descriptor: int) -> None:
        close(descriptor)
        raise OSError(28, "No space left on device")

    with (
        pytest.raises(FileError, match="No space left"),
        MatchLog(plan, tmp_path / "m.log", False),
    ):
        monkeypatch.setattr(os, "close", fail)
    monkeypatch.undo()
    with pytest.raises(KeyError, match="first"):
        _fail_twice(MatchLog(plan, tmp_path / "n.log", False), monkeypatch, fail)


def _fail_twice(
    log: MatchLog, monkeypatch: pytest.MonkeyPatch, fail: Callable[[int], None]
) -> None:
    with log:
        monkeypatch.setattr(os, "close", fail)
        raise KeyError("first")
