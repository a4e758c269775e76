"""The small games' truths, derived by hand from the papers' payoffs."""

from typing import Any

import pytest

from endspiel.reproduce.coin_toss import EXPECTED, report, run

# Guessing Heads with probability p gives the opponent 1 - 2p on Heads and 2p - 1 on Tails.
HEADS = {
    "unsafe": 1,
    "maxmargin": 5 / 8,
    "reach-maxmargin": 1 / 2,
    "reach-maxmargin-improved": 1 / 4,
}
TOLERANCE = {"lp": 1e-9, "cfr+": 1e-3}


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return run()


@pytest.mark.parametrize("method", TOLERANCE)
def test_exploitability_is_as_derived(result: dict[str, Any], method: str) -> None:
    found = result["methods"][method]["exploitability"]
    for technique, (low, high) in EXPECTED.items():
        assert low - TOLERANCE[method] <= found[technique] <= high + TOLERANCE[method]


@pytest.mark.parametrize("method", TOLERANCE)
def test_guesses_are_as_derived(result: dict[str, Any], method: str) -> None:
    found = result["methods"][method]["strategy"]
    for technique, heads in HEADS.items():
        assert found[technique]["Heads"] == pytest.approx(heads, abs=TOLERANCE[method])
        assert found[technique]["Tails"] == pytest.approx(1 - heads, abs=TOLERANCE[method])


def test_resolve_gives_neither_side_of_the_coin_more(result: dict[str, Any]) -> None:
    """Its solutions are Heads from 1/2 and Tails from 1/4 on."""
    for method, tolerance in TOLERANCE.items():
        guesses = result["methods"][method]["strategy"]["resolve"]
        assert guesses["Heads"] >= 1 / 2 - tolerance
        assert guesses["Tails"] >= 1 / 4 - tolerance


def test_margins_are_as_derived(result: dict[str, Any]) -> None:
    margins = result["methods"]["lp"]["margins"]
    for technique, margin in (("maxmargin", 1 / 4), ("reach-maxmargin", 1 / 2)):
        assert list(margins[technique].values()) == pytest.approx([margin, margin])
    assert margins["reach-maxmargin-improved"]["Tails: Right"] == pytest.approx(1)


def test_unsafe_can_return_rock_and_safe_techniques_cannot(result: dict[str, Any]) -> None:
    assert result["rps"]["lp"]["unsafe"] == pytest.approx(1)
    for method, tolerance in TOLERANCE.items():
        for technique, exploitability in result["rps"][method].items():
            assert technique == "unsafe" or exploitability <= tolerance


def test_a_public_choice_of_endgames_is_solved_exactly(result: dict[str, Any]) -> None:
    for method, tolerance in TOLERANCE.items():
        found = result["choose-endgame"][method]
        assert found["base"] == pytest.approx(0.3)
        for technique in ("unsafe", "maxmargin", "reach-maxmargin"):
            assert found[technique] == pytest.approx(0, abs=tolerance)


def test_report_names_every_technique(result: dict[str, Any]) -> None:
    assert all(technique in report(result) for technique in EXPECTED)
