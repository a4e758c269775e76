"""A decision is judged by its gap: more time, then a leaner menu, then no solve at all."""

from typing import NamedTuple

import pytest

from endspiel.agent.attempts import (
    AS_PLANNED,
    LEANER,
    MORE_TIME,
    NO_TIME,
    PLAYABLE,
    TOO_WIDE,
    Found,
    Standard,
    solve_well,
)
from endspiel.agent.clock import UNTIMED, MoveTime
from endspiel.engine.limits import Limits


class Menu(NamedTuple):
    """A plan whose iterations take some seconds each."""

    name: str
    each: float
    iterations: int = 100

    @property
    def seconds(self) -> float:
        return self.each * self.iterations


class Table:
    """Solves whose gap is `hard` over the iterations made, by a clock that only they move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, hard: float, slow: float = 1.0) -> None:
        self.now, self.hard, self.slow = 0.0, hard, slow
        self.calls: list[tuple[str, int]] = []  # menus and the iterations made with each
        monkeypatch.setattr("endspiel.agent.attempts.perf_counter", lambda: self.now)

    def build(self, menu: Menu) -> tuple[str, object]:
        made, begun = 0, self.now

        def solve(limits: Limits) -> float:
            nonlocal made
            assert limits.iterations is not None
            assert limits.deadline_seconds is not None
            target = limits.target_units or 0.0
            while True:
                if limits.halt is not None:
                    limits.halt(made, self.now - begun)
                self.now, made = self.now + menu.each * self.slow, made + 1
                late = self.now + menu.each * self.slow > limits.deadline_seconds
                if late or made >= limits.iterations or self.hard / made <= target:
                    self.calls.append((menu.name, made))
                    return self.hard / made

        return menu.name, solve


RICH, LEAN, LEANEST = Menu("rich", 0.02), Menu("lean", 0.01), Menu("leanest", 0.001)
MENUS = RICH, LEAN, LEANEST
STANDARD = Standard(Limits(0.003))


def found(table: Table, time: MoveTime, standard: Standard = STANDARD) -> object:
    return solve_well(MENUS, table.build, standard, time)  # type: ignore[arg-type]


def test_a_solve_with_a_narrow_gap_is_played_as_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch, hard=1.0)
    assert found(table, MoveTime(10, 20)) == Found("rich", 0.01, AS_PLANNED)
    assert table.calls == [("rich", 100)]


def test_a_cut_solve_whose_gap_is_narrow_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch, hard=1.0)
    assert found(table, MoveTime(1.01, 1.5)) == Found("rich", 1.0 / 50, AS_PLANNED)


def test_a_wide_gap_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, or where the plan itself was not enough."""
    for time, first in ((MoveTime(0.41, 1.0), 20), (UNTIMED, 30)):
        table = Table(monkeypatch, hard=1.0)
        menus = [RICH._replace(iterations=30), LEAN]
        result = solve_well(menus, table.build, STANDARD, time)  # type: ignore[arg-type]
        assert isinstance(result, Found)
        assert (result.endgame, result.how) == ("rich", MORE_TIME)
        assert result.gap <= PLAYABLE
        assert table.calls == [("rich", first), ("rich", 34)]


def test_where_more_time_would_not_do_the_menu_is_leaner(monkeypatch: pytest.MonkeyPatch) -> None:
    """The richest that fits into the time left by the speed that was seen."""
    table = Table(monkeypatch, hard=2.0)
    result = found(table, MoveTime(0.81, 1.2))
    assert result == Found("leanest", pytest.approx(2 / 67), LEANER)
    assert table.calls == [("rich", 40), ("leanest", 67)]


def test_a_solve_that_would_be_too_slow_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, after few iterations: the time is that of a leaner menu then."""
    for latest, menu in ((2.3, "lean"), (1.2, "leanest")):
        table = Table(monkeypatch, hard=1.0, slow=3.0)
        result = found(table, MoveTime(latest / 2, latest))
        assert result == Found(menu, pytest.approx(1 / 34), LEANER)
        assert table.calls == [(menu, 34)]
        assert table.now < latest
    table = Table(monkeypatch, hard=1.0, slow=3.0)
    alone = solve_well([RICH], table.build, STANDARD, MoveTime(1.2, 2.3))  # type: ignore[arg-type]
    assert isinstance(alone, Found)  # there is no leaner menu


def test_where_nothing_comes_close_in_time_nothing_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table(monkeypatch, hard=100.0)
    assert found(table, MoveTime(0.5, 0.9)) is TOO_WIDE
    assert table.now <= 0.9 + 0.02
    assert found(table, MoveTime(0.1, 0.2)) is NO_TIME  # both have passed


def test_a_number_of_iterations_that_was_asked_for_is_never_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table(monkeypatch, hard=1.0)
    assert found(table, UNTIMED, Standard(Limits(0.003, 20))) is TOO_WIDE
    assert {made for _, made in table.calls} <= {20, 21}
    table = Table(monkeypatch, hard=1.0)
    rough = found(table, UNTIMED, Standard(Limits(0.003, 20), playable=1.0))
    assert rough == Found("rich", 0.05, AS_PLANNED)
