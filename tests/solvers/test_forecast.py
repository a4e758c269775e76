"""How long a run may still take: exact where the trend is, silent where there is none."""

import pytest

from endspiel.solvers.forecast import seconds_left
from endspiel.solvers.run import Until
from endspiel.solvers.solution import TracePoint


def power_law(power: float, count: int = 8) -> list[TracePoint]:
    """Measurements at 1, 2, ... seconds of a gap that falls with a power of the time."""
    return [TracePoint(10 * t, float(t), t**-power) for t in range(1, count + 1)]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_power_law_goes_on(power: float) -> None:
    """After 8 s, a gap as small as that of 20 s is 12 s away."""
    assert seconds_left(power_law(power), Until(20.0**-power)) == pytest.approx(12)


def test_the_first_limit_counts() -> None:
    points = power_law(1.0)
    assert seconds_left(points, Until(1 / 20, seconds=11)) == pytest.approx(3)
    assert seconds_left(points, Until(1 / 20, iterations=100)) == pytest.approx(2)
    assert seconds_left(points, Until(iterations=160)) == pytest.approx(8)
    assert seconds_left(points, Until(seconds=5)) == 0  # over already


def test_a_target_that_is_reached_is_no_wait() -> None:
    assert seconds_left(power_law(1.0), Until(0.5)) == 0


def test_without_a_trend_nothing_is_told() -> None:
    assert seconds_left([], Until(0.1, seconds=9)) is None
    assert seconds_left(power_law(1.0, 3), Until(1e-3)) is None
    rising = [TracePoint(t, float(t), 1.0 + t) for t in range(1, 9)]
    assert seconds_left(rising, Until(1e-3)) is None
    assert seconds_left(rising, Until(1e-3, seconds=10)) == pytest.approx(2)


def test_a_target_that_is_never_reached_is_far_away() -> None:
    slow = [TracePoint(t, float(t), 1.0 - 1e-9 * t) for t in range(1, 9)]
    left = seconds_left(slow, Until(1e-12))
    assert left is not None
    assert 1e9 < left < float("inf")
