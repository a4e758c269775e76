"""``endspiel pushfold``: charts for people, numbers for programs, refusals."""

import pytest

from tests.cli.commands import Run, runner


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("pushfold", monkeypatch, capsys)


def test_both_charts_and_the_value(run: Run) -> None:
    outcome = run("--stack", 10)
    assert outcome.status == 0, outcome.err
    assert "Small blind pushes" in outcome.out
    assert "Big blind calls" in outcome.out
    assert "-0.045371 big blinds" in outcome.out
    assert sum(line.startswith("A ") for line in outcome.out.splitlines()) == 2


def test_chips_and_an_iterative_method_as_json(run: Run) -> None:
    chips = ("--small-blind", 50, "--big-blind", 100)
    result = run("--stack", 1000, *chips, "--method", "cfr+", "--json", "-").json
    assert result["value"] == pytest.approx(-0.0453707526, abs=1e-6)
    assert 0 <= result["exploitability"] <= 1e-6
    assert result["stack"] == 10
    assert result["push"]["AA"] == pytest.approx(1, abs=1e-3)
    assert result["call"]["32o"] == pytest.approx(0, abs=1e-3)
    assert len(result["push"]) == len(result["call"]) == 169


def test_deep_stacks_are_told_what_they_are_not(run: Run) -> None:
    assert "far from all of poker" in run("--stack", 40, "--json", "-").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--stack", 0.2), "nothing to decide"),
        (("--stack", 10, "--method", "x"), "no method"),
        (("--stack", 10, "--target", -1), "--target takes a number from 0"),
        (("--stack", 10, "--small-blind", 2), "blinds"),
    ],
)
def test_one_sentence_for_what_cannot_be(
    arguments: tuple[object, ...], said: str, run: Run
) -> None:
    outcome = run(*arguments)
    assert outcome.status == 2
    assert said in outcome.err
