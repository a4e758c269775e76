"""How long work takes, and may still take."""

import doctest
import time

import pytest

import endspiel.progress as progress_module
from endspiel.cli.progress import PLAIN_EVERY, Reporter
from endspiel.progress import Pace, Progress, at_this_pace


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "monotonic", made)
    return made


def test_what_was_done_before_is_no_part_of_the_pace(clock: Clock) -> None:
    pace = Pace()
    first = Progress("boards", 40, 100, resumed=40)
    assert pace.line(first) == "boards: 40 of 100, 40 from before, 0.0 s"
    clock.now += 30
    line = pace.line(Progress("boards", 50, 100, text="+3 mbb/h"))
    assert line == "boards: 50 of 100, +3 mbb/h, 30.0 s, about 2 min left"
    assert pace.line(Progress("boards", 100, 100)) == "boards: 100 of 100, 30.0 s"
    assert pace.line(Progress("lessons", 0, 9)) == "lessons: 0 of 9, 0.0 s"  # its clock restarts
    clock.now += 1
    assert pace.line(Progress("lessons", 3, 9)).endswith(", 1.0 s, about 2.0 s left")


def test_nothing_done_tells_nothing() -> None:
    assert at_this_pace(5.0, 0, 3) is None
    assert at_this_pace(5.0, 3, 0) is None
    assert doctest.testmod(progress_module).failed == 0


def test_lines_come_now_and_then(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """The first, those of every few seconds and the last; terse work says less."""
    with Reporter().live() as tell:
        for done in range(5):
            tell(Progress("flops", done, 4))
            clock.now += 0.6 * PLAIN_EVERY
    said = capsys.readouterr().err.splitlines()[1:]  # after that it begins
    assert [line.split(",")[0] for line in said] == [f"flops: {n} of 4" for n in (0, 2, 4)]
    assert "about 6.0 s left" in said[1]
    with Reporter(terse=True).live() as reporter:
        for done in range(5):
            reporter(Progress("hands", done, 4))
            clock.now += 0.6 * PLAIN_EVERY
    said = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in said] == ["hands: 2 of 4", "hands: 4 of 4"]
    with Reporter(terse=True).live() as reporter:
        reporter(Progress("hands", 4, 4))
    assert capsys.readouterr().err == ""
