"""``endspiel demo``: the Appendix B hand with the blueprint that comes with the package."""

import json
import sys

import pytest

from endspiel.cli import main
from endspiel.reproduce.appendix_b import PAPER_STRATEGY

TESTED = ["endspiel", "demo"]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", [*TESTED, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code


def test_the_demo_solves_the_hand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--population", "all", "--json", "-")
    result = json.loads(capsys.readouterr().out)
    assert result["method"] == "lp"
    assert result["exploitability"] == result["exploitability_in_buckets"] <= 1e-6
    assert result["exploitability_on_real_cards"] == pytest.approx(0.0132, abs=5e-4)
    assert result["buckets"] == [43, 31]
    assert result["population"] == "all"
    assert result["rank"] == 285  # 11 hands tie with ours: the paper counts 296
    assert result["steps"].keys() == result["paper"]["steps"].keys()
    assert sum(result["strategy"].values()) == pytest.approx(1)
    assert len(result["strategy"]) == 9
    assert set(PAPER_STRATEGY) <= set(result["strategy"])
    assert 0 <= result["equity"] < 0.2  # whoever bets so has little that is worse
    assert result["their_equity"] > result["equity"]


def test_the_demo_for_people(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch)
    shown = capsys.readouterr().out
    for text in ("Appendix B", "rank 296", "0.742", "6.985", "in all", "on real cards", "21, 23"):
        assert text in shown


def test_unknown_populations_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [*TESTED, "--population", "some"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "a river has no population 'some': it is range or all" in capsys.readouterr().err
