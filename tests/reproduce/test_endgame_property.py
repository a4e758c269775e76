"""The paper's two values of epsilon*, as the command tells them."""

import json

import pytest

from endspiel.reproduce import endgame_property
from endspiel.reproduce.endgame_property import cases, report, run


def test_the_papers_values_stand_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    papers = [case for case in cases() if case.name in ("rps", "choose-endgame")]
    monkeypatch.setattr(endgame_property, "cases", lambda: papers)
    result = run()
    json.dumps(result)
    for name, deltas in (("rps", 4), ("choose-endgame", 5)):
        rows = result["games"][name]["rows"]
        assert len(rows) == deltas
        for row in rows:
            assert row["paper"] == (1 if name == "rps" else row["delta"])
            assert row["epsilon_star"] == pytest.approx(row["paper"], abs=1e-8)
            assert row["epsilon_star"] == max(row["by_player"])
            assert row["bound"] == pytest.approx(row["epsilon_star"], abs=1e-6)
    text = report(result)
    assert "Rock-Paper-Scissors, player 2's turn" in text
    assert "     0.5     0.5   0.50000" in text


def test_games_without_a_figure_in_the_paper_are_told_too() -> None:
    assert [case.name for case in cases()][2:] == ["coin-toss", "kuhn", "leduc"]
    assert all(case.paper(0.1) is None for case in cases()[2:])
