"""``endspiel demo``: the Appendix B river, solved."""

import json
import sys

import pytest

from endspiel.cli import main
from endspiel.cli.demo import PAPER_STRATEGY, SPOT
from endspiel.games.spot import load_spot

TESTED = ["endspiel", "demo"]


def test_the_demo_solves_the_river(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [*TESTED, "--json", "-"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    result = json.loads(capsys.readouterr().out)
    assert result["hands"] == 1081
    assert result["rank"] <= 296 <= result["rank"] + result["ties"]
    assert result["nodes"] == 188
    assert result["exploitability"] <= 0.003
    assert sum(result["strategy"].values()) == pytest.approx(1)
    assert set(PAPER_STRATEGY) <= set(result["strategy"])
    assert 0 < result["ev"] < result["pot"]


def test_the_demo_for_people(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", TESTED)
    with pytest.raises(SystemExit):
        main()
    shown = capsys.readouterr().out
    for text in ("Appendix B", "paper: 296", "The opponent opens", "We answer a check", "0.742"):
        assert text in shown


def test_the_spot_is_the_paper_s() -> None:
    spot = load_spot(SPOT)
    assert (spot.pot, spot.stack) == (2250, 18875)
    assert spot.tree().words(0) == [
        "c", "b225", "b750", "b1500", "b2250", "b3375", "b4500", "b6750", "b18875",
    ]  # fmt: skip
