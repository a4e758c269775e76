"""``endspiel preflop``: charts with their error, certificates to go on from, refusals."""

from pathlib import Path

import pytest

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.preflop import certified, solved_flops
from tests.cli.commands import Run, runner

SMALL = ("--stack", 8, "--opens", "2x", "--max-raises", 1, "--no-limp")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("preflop", monkeypatch, capsys)


def test_charts_come_with_the_error_of_every_line(run: Run) -> None:
    outcome = run(*SMALL)
    assert outcome.status == 0, outcome.err
    assert "after 'r200 c'" in outcome.out
    assert "not settled" in outcome.out
    assert "Lines taken in 2% of hands or more are off by" in outcome.out
    sketch = run(*SMALL, "--flops-by", "model")
    assert "a rough sketch" in sketch.out


def test_a_certificate_goes_on_from_its_state(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    none = StreetMenu.parse("", "")
    monkeypatch.setattr(
        solved_flops, "solved_menus", lambda game, node: Sizing((None, none, none, none))
    )
    flops, state = tmp_path / "flops.txt", tmp_path / "certificate.state"
    flops.write_text("7s 7h 7d 1\n9s 8s 6s 1\n")
    asked = (*SMALL, "--certify", "--flops", flops, "--json", "-")
    first = run(*asked, "--resume", state).json
    assert first["interval"][0] < first["mbb_per_hand"] < first["interval"][1]
    assert not first["exact"]
    assert first["flops_solved"] == 2
    assert [line["line"] for line in first["lines"]] == ["r200 c"]
    assert first["lines"][0]["gap"] == pytest.approx(0, abs=1e-6)  # nobody bets
    written = state.read_bytes()
    again = run(*asked, "--resume", state).json
    assert again["mbb_per_hand"] == first["mbb_per_hand"]
    assert state.read_bytes() == written
    monkeypatch.setattr(certified, "SETTLING", 1)
    further = run(*asked, "--resume", state, "--rounds", 2).json
    assert further["rounds"][0] == first["mbb_per_hand"]
    assert further["mbb_per_hand"] == min(further["rounds"])
    assert len(further["rounds"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--stack", 10, "--flops-by", "guess"), "charts, net, engine or model"),
        (("--stack", 10, "--flops-by", "charts", "--flops", "25"), "solves no flops"),
        (("--stack", 10, "--device", "cuda"), "--device is of --certify"),
        (("--stack", 10, "--rounds", 2), "--rounds is of --certify"),
        (("--stack", 10, "--certify", "--flops-by", "model"), "charts by play"),
        (("--stack", 10, "--certify", "--rake", "5%"), "without rake"),
        (
            (*SMALL[:2], "--opens", "a", "--max-raises", 1, "--no-limp", "--certify"),
            "exact already",
        ),
    ],
)
def test_one_sentence_for_what_cannot_be(
    arguments: tuple[object, ...], said: str, run: Run
) -> None:
    outcome = run(*arguments)
    assert outcome.status == 2
    assert said in outcome.err
