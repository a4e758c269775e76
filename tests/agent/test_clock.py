"""The clock at the table, by a time that the tests tell."""

import pytest

from endspiel.agent.clock import MARGIN, SAVED_HANDS, Clock


class Watch:
    """Stands in for `time`: a counter that a test sets forward."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    told = Watch()
    monkeypatch.setattr("endspiel.agent.clock.time", told)
    return told


def test_a_move_has_half_of_what_is_left_and_never_more_than_a_move(watch: Watch) -> None:
    clock = Clock(hand=8.0, move=3.0)
    clock.begin_hand()
    assert clock.begin_move() == pytest.approx((1003 - MARGIN, 1003 - MARGIN))  # less than half
    watch.now += 5.0
    assert clock.end_move() == pytest.approx(5.0)
    assert clock.left == pytest.approx(3.0)
    assert clock.begin_move() == pytest.approx((1005 + 1.5 - MARGIN, 1005 + 2.55 - MARGIN))


def test_without_time_a_move_ends_when_it_begins(watch: Watch) -> None:
    clock = Clock(hand=1.0, move=10.0)
    clock.begin_hand()
    clock.begin_move()
    watch.now += 4.0
    clock.end_move()
    assert clock.left == pytest.approx(-3.0)  # overdrawn: the next hands pay for it
    assert clock.begin_move() == (1004.0, 1004.0)
    clock.begin_hand()
    assert clock.left == pytest.approx(-2.0)
    barely = Clock(left=MARGIN)
    assert barely.begin_move() == (1004.0, 1004.0)  # the margin is kept back of what there is


def test_unused_time_is_saved_for_some_hands() -> None:
    clock = Clock(hand=2.0)
    for hands in range(1, SAVED_HANDS + 5):
        clock.begin_hand()
        assert clock.left == 2.0 * min(hands, SAVED_HANDS)


def test_the_competitions_times_are_the_default() -> None:
    clock = Clock()
    assert (clock.hand, clock.move, clock.left) == (7.0, 10.0, 0.0)
