"""Time at the table, on a clock that goes as the tests say."""

import pytest

from endspiel.agent import clock
from endspiel.agent.clock import Clock


class Watch:
    """A clock that is set by hand."""

    now = 50.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    found = Watch()
    monkeypatch.setattr(clock, "time", found)
    return found


def test_a_move_has_half_of_what_is_left(watch: Watch) -> None:
    table = Clock(hand=8.0, move=10.0)
    table.begin_hand()
    assert table.begin_move() == pytest.approx(50 + 4 - clock.MARGIN)
    watch.now = 53.0
    assert table.end_move() == pytest.approx(3)
    assert table.left == pytest.approx(5)
    assert table.begin_move() == pytest.approx(53 + 2.5 - clock.MARGIN)


def test_no_move_is_longer_than_allowed(watch: Watch) -> None:
    table = Clock(hand=100.0, move=2.0)
    table.begin_hand()
    assert table.begin_move() == pytest.approx(52 - clock.MARGIN)


def test_time_is_saved_up_to_some_hands(watch: Watch) -> None:
    table = Clock(hand=3.0)
    for _ in range(50):
        table.begin_hand()
    assert table.left == 3.0 * clock.SAVED_HANDS


def test_a_debt_is_paid_by_later_hands(watch: Watch) -> None:
    """A move that took too long leaves nothing, and the next hand's time makes up for it first."""
    table = Clock(hand=2.0)
    table.begin_hand()
    table.begin_move()
    watch.now = 55.0
    assert table.end_move() == pytest.approx(5)
    assert table.left == pytest.approx(-3)
    assert table.begin_move() == 55.0  # no time at all
    table.begin_hand()
    table.begin_hand()
    assert table.left == pytest.approx(1)
    assert table.begin_move() == pytest.approx(55.5 - clock.MARGIN)
