"""Schemes: how the family discounts, by the papers' formulas."""

import pytest

from endspiel.engine.schemes import LONGEST_AVERAGE, SCHEMES, Scheme


def test_discounts_are_those_of_the_papers() -> None:
    """Brown and Sandholm (2019): t^a / (t^a + 1) on sums of t iterations, (t / (t + 1))^gamma."""
    found = SCHEMES["dcfr"].at(5)
    assert found.positive == pytest.approx(4**1.5 / (4**1.5 + 1))
    assert found.negative == pytest.approx(0.5)
    assert found.average == pytest.approx((4 / 5) ** 2)
    assert SCHEMES["cfr"].at(7) == (1, 1, 1, 0)
    assert SCHEMES["cfr+"].at(7) == (1, 0, 6 / 7, 0)
    assert SCHEMES["pcfr+"].at(2).predict == 1
    assert SCHEMES["sapcfr+"].at(2) == SCHEMES["pcfr+"].at(2)._replace(predict=1 / (1 + 2))
    assert Scheme(1, 1, 1, power=3).at(3).positive == pytest.approx((2 / 3) ** 3)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_first_iteration_has_no_past(name: str) -> None:
    found = SCHEMES[name].at(1)
    assert found.positive == found.negative == 0
    assert found.average == 0


def test_narrow_sums_forget_unless_strategies_circle() -> None:
    late = 10**7
    newest = 1 - SCHEMES["dcfr"].at(late, LONGEST_AVERAGE).average
    assert newest == pytest.approx(1 / LONGEST_AVERAGE)
    assert 1 - SCHEMES["dcfr"].at(late).average < 1e-6
    assert SCHEMES["dcfr"].at(9, LONGEST_AVERAGE) == SCHEMES["dcfr"].at(9)
    for circling in ("cfr", "linear"):  # negative regrets count as long as positive ones
        assert SCHEMES[circling].at(late, LONGEST_AVERAGE) == SCHEMES[circling].at(late)
