"""The paper's two values of epsilon*, as the command tells them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from endspiel.endgame.safe.subgame import all_moves
from endspiel.game import exploitability
from endspiel.reproduce import endgame_property
from endspiel.reproduce.endgame_property import Case, cases, report, run
from tests.endgame.all_answers import by_trying


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


@pytest.fixture(scope="module")
def kuhn() -> Case:
    """Kuhn poker with few trunks and deltas."""
    case = next(case for case in cases() if case.name == "kuhn")
    return replace(case, deltas=(0.0, 0.1, 0.5), steps=(0.7, 1.0))


@pytest.fixture(scope="module")
def result(kuhn: Case) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endgame_property, "cases", lambda: [kuhn])
        found = run()
    json.dumps(found)
    return found


def test_kuhn_trunks_are_the_known_family(kuhn: Case) -> None:
    """Kuhn (1950): bet the jack with chance alpha up to 1/3, the king with 3 alpha, no queen."""
    assert [kuhn.label(at) for at in range(5)] == [
        f"alpha = {alpha:.4f}" for alpha in (1 / 6, 1 / 6 + 0.7 / 6, 1 / 3, 0.05, 0)
    ]
    game = kuhn.endgames[0].game
    bets = {(name, action): s for player, name, action, s in all_moves(game) if player == 0}
    for trunk in kuhn.trunks:
        assert exploitability(game, trunk.profile).mean == pytest.approx(0, abs=1e-12)
        jack, queen, king = (trunk.profile.behavior[0][bets[card, "b"]] for card in "012")
        assert (queen, king) == pytest.approx((0, 3 * jack), abs=1e-9)
        assert trunk.missed == ((1,) if jack < 1e-9 else ())


def test_every_kuhn_trunk_by_trying_every_answer(kuhn: Case, result: dict[str, Any]) -> None:
    """Other programs: one of SciPy for each pure answer of the opponent in the whole game."""
    endgames = list(kuhn.endgames)
    reaching = [trunk.profile for trunk in kuhn.trunks if not trunk.missed]
    for at, delta in enumerate((0.0, 0.1)):
        found = [max(by_trying(endgames, i, base, delta) for i in (0, 1)) for base in reaching]
        row = result["games"]["kuhn"]["rows"][at]
        assert row["range"] == pytest.approx([min(found), max(found)], abs=1e-6)
        assert row["epsilon_star"] == pytest.approx(found[0], abs=1e-6)


def test_kuhns_figures_are_those_of_trunks_that_reach_every_endgame(result: dict[str, Any]) -> None:
    game = result["games"]["kuhn"]
    assert [row["epsilon_star"] for row in game["rows"]] == pytest.approx(
        [1 / 6, 0.53333, 1.44444], abs=1e-5
    )
    assert [trunk["reaches_all"] for trunk in game["trunks"]] == [True] * 4 + [False]
    least, most = zip(*[row["range"] for row in game["rows"]], strict=True)
    assert least == pytest.approx([1 / 6, 0.48758, 1.44444], abs=1e-5)
    assert most == pytest.approx([1 / 3, 0.6, 1.44444], abs=1e-5)
    assert [row["range_at"] for row in game["rows"]] == [
        ["alpha = 0.1667", "alpha = 0.3333"],
        ["alpha = 0.0500", "alpha = 0.3333"],
        None,
    ]
    text = report(result)
    assert "0.48758 (alpha = 0.0500) to 0.60000 (alpha = 0.3333)" in text
    assert "not in the range: alpha = 0.0000, which never reaches one of the endgames" in text
