"""One match writes a log at a time, on systems with whichever locks they have."""

import os
import sys
from pathlib import Path

import pytest

from endspiel import files, locks
from endspiel.arena.plan import MatchPlan
from endspiel.arena.protocol.match_log import MatchLog
from endspiel.errors import FileError
from endspiel.rules.builtin import load_rules
from tests.children import finished, first_line, killed, started
from tests.cli.commands import runner
from tests.hostile.surroundings import only_sentence

PLAN = MatchPlan(load_rules("leduc"), ("random", "always-call"), 10)
HOLD = """
import sys, time
from endspiel.locks import try_lock
file = open(sys.argv[1], "a")
assert try_lock(file.fileno())
print("locked", flush=True)
time.sleep(600)
"""


def test_a_second_match_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "m.log"
    match = runner("match", monkeypatch, capsys)
    words = ("random", "always-call", "--game", "leduc", "--hands", 10)
    with MatchLog(PLAN, log, False):
        before = log.read_bytes()
        done = match(*words, "--resume", log)
        assert done.status == 2
        assert f"another match is writing {log}" in only_sentence(done.err)
        assert log.read_bytes() == before
    assert match(*words).status == 0


def test_a_killed_match_lets_go(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    other = started([sys.executable, "-c", HOLD, log])
    assert first_line(other) == "locked\n"
    with pytest.raises(FileError, match="another match"):
        MatchLog(PLAN, log, False)
    killed(other)
    with MatchLog(PLAN, log, False) as book:
        assert book.played == []


def test_a_log_that_is_refused_is_let_go(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text("# something else\nSTATE:\n")
    for _ in range(2):
        with pytest.raises(FileError, match="exists: resume it"):
            MatchLog(PLAN, log, False)


class Windows:
    """Locks on ranges of bytes, as ``msvcrt`` has them."""

    LK_LOCK, LK_NBLCK = 1, 2

    def __init__(self) -> None:
        self.held: dict[tuple[int, int], int] = {}  # file and byte: who has it

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        byte = os.lseek(descriptor, 0, os.SEEK_CUR)
        place = (os.fstat(descriptor).st_ino, byte)
        if self.held.setdefault(place, descriptor) != descriptor:
            raise PermissionError(13, "Permission denied")


def test_the_locks_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows = Windows()
    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(locks, "msvcrt", windows)
    path = tmp_path / "file"
    with path.open("w+b") as one, path.open("r+b") as two:
        one.write(b"text")
        one.seek(2)
        assert locks.try_lock(one.fileno())
        assert not locks.try_lock(two.fileno())
        assert one.read() == b"xt", "the position is as it was"
        (_, byte), *more = windows.held
        assert byte > 1 << 30, "behind anything that is read"
        assert more == []
    files.save(tmp_path / "saved", "test", {}, {})
    assert files.load(tmp_path / "saved", "test") == ({}, {})


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locks.fcntl, "flock", fail)
    with MatchLog(PLAN, tmp_path / "m.log", False):
        files.save(tmp_path / "file", "test", {}, {})


WITHOUT = """
import sys
for name in ("fcntl", "resource", "msvcrt", "termios", "pwd", "grp"):
    sys.modules[name] = None
import os, signal
del os.sched_getaffinity, os.sysconf, os.fork
for name in ("SIGXFSZ", "SIGKILL", "SIGHUP"):
    delattr(signal, name)
from pathlib import Path
from endspiel import files, locks
assert not locks.KNOWN
files.save("saved", "test", {}, {})
files.remove_leftovers(Path("saved"))
assert Path(".saved.abcdefgh.partial").is_dir(), "it may be somebody's"
from endspiel.cli import main
sys.argv = ["endspiel", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        "match random always-call --game leduc --hands 10 --log m.log --workers 1",
        "game rps --save r",
    ],
)
def test_a_system_without_any(tmp_path: Path, words: str) -> None:
    (tmp_path / ".saved.abcdefgh.partial").mkdir()
    finished([sys.executable, "-c", WITHOUT, *words.split()], cwd=tmp_path)


def test_waiting_for_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    one, two = os.open(path, os.O_RDWR), os.open(path, os.O_RDWR)
    assert locks.try_lock(one)
    assert not locks.try_lock(two)
    os.close(one)
    locks.wait_for_lock(two)
    third = os.open(path, os.O_RDWR)
    assert not locks.try_lock(third)
    os.close(two)
    os.close(third)
