"""Time left, told from measurements that follow a law."""

from collections.abc import Sequence

import pytest

from endspiel.engine.limits import Limits, TracePoint
from endspiel.solving.forecast import seconds_left


def measured(power: float, times: Sequence[float], rate: float = 10.0) -> list[TracePoint]:
    """Exploitability that falls as a power of time, at so many iterations a second."""
    return [TracePoint(int(rate * t), t, t**-power) for t in times]


def test_iterations_and_seconds_go_on_as_they_went() -> None:
    points = measured(1.0, [1.0, 2.0])
    assert seconds_left(points, Limits(iterations=50)) == pytest.approx(3.0)
    assert seconds_left(points, Limits(seconds=2.5)) == pytest.approx(0.5)
    assert seconds_left([TracePoint(1, 0.5, 1.0)], Limits(iterations=3)) == pytest.approx(1.0)
    assert seconds_left(points, Limits(iterations=50, seconds=2.5)) == pytest.approx(0.5)
    assert seconds_left(points, Limits(iterations=22, seconds=9.0)) == pytest.approx(0.2)


def test_a_limit_that_is_passed_leaves_nothing() -> None:
    points = measured(1.0, [1.0, 2.0])
    assert seconds_left(points, Limits(iterations=5)) == 0.0
    assert seconds_left(points, Limits(seconds=1.0)) == 0.0


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("reached", [10.0, 64.0])
def test_a_power_law_reaches_its_target_when_it_says(power: float, reached: float) -> None:
    points = measured(power, [1.0, 2.0, 4.0, 8.0])
    left = seconds_left(points, Limits(target_units=reached**-power))
    assert left == pytest.approx(reached - 8.0)
    soon = Limits(target_units=reached**-power, seconds=9.0, iterations=1000)
    assert seconds_left(points, soon) == pytest.approx(1.0)


def test_the_trend_is_that_of_the_later_half() -> None:
    """However the run began: slowly here, then as 1 / t."""
    points = [TracePoint(1, 1.0, 0.3), TracePoint(2, 2.0, 0.3), *measured(1.0, [4.0, 8.0])]
    assert seconds_left(points, Limits(target_units=1 / 16)) == pytest.approx(8.0)


def test_a_reached_target_is_no_time_away() -> None:
    points = measured(1.0, [1.0, 2.0, 4.0, 8.0])
    assert seconds_left(points, Limits(target_units=1 / 8)) == 0.0
    assert seconds_left(points, Limits(target_units=1 / 4)) == 0.0


def test_where_there_is_no_trend_nothing_is_told() -> None:
    until = Limits(target_units=1e-3)
    assert seconds_left([], Limits(seconds=1.0)) is None
    assert seconds_left(measured(1.0, [1.0, 2.0, 4.0]), until) is None  # too few
    assert seconds_left(measured(1.0, [1.0, 2.0, 4.0, 8.0]), Limits(target_units=0.0)) is None
    assert seconds_left(measured(-1.0, [1.0, 2.0, 4.0, 8.0]), until) is None  # rising
    assert seconds_left(measured(0.0, [1.0, 2.0, 4.0, 8.0]), until) is None  # level
    for end in (0.0, 1.0):  # of points that took no time, nor of a last one that did
        sudden = [TracePoint(i, end if i == 4 else 0.0, 1.0 / i) for i in (1, 2, 3, 4)]
        assert seconds_left(sudden, until) is None
    assert seconds_left([TracePoint(0, 1.0, 1.0)], Limits(iterations=10)) is None


def test_no_power_below_a_twentieth_is_believed_and_no_time_beyond_a_year() -> None:
    slow = measured(1e-3, [1.0, 2.0, 4.0, 8.0])
    left = seconds_left(slow, Limits(target_units=slow[-1].exploitability / 1.5))
    assert left == pytest.approx(8.0 * (1.5**20 - 1))
    assert seconds_left(slow, Limits(target_units=slow[-1].exploitability / 10)) is None
    assert seconds_left(slow, Limits(target_units=1e-300)) is None
    assert seconds_left(slow, Limits(target_units=1e-300, seconds=9.0)) == pytest.approx(1.0)
