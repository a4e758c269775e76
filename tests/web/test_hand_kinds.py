"""Filters and kinds of hands at a node agree with the library's view, hand by hand."""

from typing import Any

import numpy as np
import pytest

import endspiel as es
from endspiel.cards.classes import hand_classes
from endspiel.cards.hand_filter import HandFilter
from endspiel.cards.made_hands import DRAWS, MADE, draws, made_hands
from endspiel.games.spot import parse_spot
from tests.solving.spots import RIVER, TURN
from tests.web.conftest import Page

WIDE = TURN | {"ranges": ["TT+,AJs,KQs,98s,A5s,T9s", "QQ,JJ,AQs,KTs,T9s:0.25,76s"]}
ITERATIONS = 40


@pytest.fixture(scope="module")
def turn(page: Page) -> tuple[str, Any]:
    """A turn solved by the server and by the library: its address, the solution."""
    job = page.solve(WIDE, iterations=ITERATIONS, threads=1)
    return f"/api/jobs/{job['id']}", es.solve(parse_spot(WIDE), iterations=ITERATIONS)


def test_a_filter_shows_what_the_hands_that_pass_do(page: Page, turn: tuple[str, Any]) -> None:
    job, solution = turn
    whole = page.get(f"{job}/node", line="c")
    assert whole["filtered"] is None
    node = page.get(f"{job}/node", line="c", draws="open-ended,flush draw", suits="suited")
    found = node.pop("filtered")
    assert {key: whole[key] for key in node} == node
    view = solution.view("c")
    mask = HandFilter(drawn=("open-ended", "flush draw"), suits="suited").passing(view.board)
    places = [k for k, hand in enumerate(view.hands) if mask[hand]]
    assert 0 < len(places) < len(view.hands)
    weight = view.weight[places] / view.weight[places].sum()
    assert found["share"] == pytest.approx(float(view.weight[places].sum()), abs=1e-5)
    shares = view.strategy[:, places] @ weight
    assert found["frequencies"] == pytest.approx(shares.tolist(), abs=1e-5)
    assert found["ev"] == pytest.approx(float(view.ev[places] @ weight), abs=1e-4)
    assert found["combos"][1] == pytest.approx(float(view.reach[places].sum()), abs=1e-5)
    combos = (view.strategy[:, places] @ view.reach[places]).tolist()
    assert found["action_combos"] == pytest.approx(combos, abs=1e-5)
    other = solution.reach("c", 0) * mask
    assert found["combos"][0] == pytest.approx(float(other.sum()), abs=1e-5)
    cells = {int(hand_classes()[view.hands[k]]) for k in places if view.weight[k]}
    held = {cell for cell, ev in enumerate(found["classes"]["ev"]) if ev is not None}
    assert held == cells


def test_hands_have_their_kinds_and_pass_filters(page: Page, turn: tuple[str, Any]) -> None:
    job, solution = turn
    view = solution.view("c")
    made, drawn = made_hands(view.board), draws(view.board)
    for player in (0, 1):
        every = page.get(f"{job}/hands", line="c", player=player)["hands"]
        assert len(every) > 20
        for row in every:
            hand = es.parse_range(row["hand"]).argmax()
            assert row["made"] == MADE[made[hand]]
            names = [name for name, has in zip(DRAWS, drawn[:, hand], strict=True) if has]
            assert row["draws"] == names
        for passing in ({"made": "set,two pair"}, {"holds": "Ks T"}, {"draws": "no draw"}):
            listed = page.get(f"{job}/hands", line="c", player=player, **passing)["hands"]
            fits = {
                "made": lambda row: row["made"] in ("set", "two pair"),
                "holds": lambda row: "Ks" in row["hand"] or "T" in row["hand"],
                "draws": lambda row: not row["draws"],
            }
            ((name, _),) = passing.items()
            assert listed == [row for row in every if fits[name](row)]
            assert 0 < len(listed) < len(every)


@pytest.mark.parametrize("player", [0, 1])
def test_kinds_add_up_to_the_range(page: Page, turn: tuple[str, Any], player: int) -> None:
    job, _ = turn
    node = page.get(f"{job}/node", line="c")
    kinds = page.get(f"{job}/kinds", line="c", player=player)
    rows = page.get(f"{job}/hands", line="c", player=player)["hands"]
    combos = node["ranges"][player]["combos"]
    assert sum(kind["combos"] for kind in kinds["made"]) == pytest.approx(combos, abs=1e-4)
    assert sum(kind["share"] for kind in kinds["made"]) == pytest.approx(1, abs=1e-4)
    assert [kind["name"] for kind in kinds["made"]] == [
        name for name in MADE if any(row["made"] == name for row in rows)
    ]
    for kind in kinds["draws"]:
        passing = page.get(f"{job}/hands", line="c", player=player, draws=kind["name"])["hands"]
        weight = sum(row["weight"] for row in passing)
        assert kind["combos"] == pytest.approx(weight, abs=1e-4)
    if player == node["player"]:
        mean = sum(kind["share"] * np.array(kind["frequencies"]) for kind in kinds["made"])
        assert mean == pytest.approx([action["frequency"] for action in node["actions"]], abs=1e-4)
    else:
        assert kinds["made"][0]["frequencies"] is None


def test_curves_are_of_what_passes_against_the_whole_range(
    page: Page, turn: tuple[str, Any]
) -> None:
    job, _ = turn
    graph = page.get(f"{job}/equity", line="c", made="set")
    for player in (0, 1):
        rows = page.get(f"{job}/hands", line="c", player=player, made="set")["hands"]
        assert graph["combos"][player] == pytest.approx(sum(row["weight"] for row in rows))
        best = max(row["equity"] for row in rows if row["weight"] > 0)
        assert graph["curves"][player][0] == pytest.approx(best, abs=1e-5)


def test_a_river_has_no_draws(page: Page) -> None:
    job = page.solve(RIVER, iterations=5, threads=1)["id"]
    assert page.get(f"/api/jobs/{job}/kinds", line="")["draws"] == []
    none = page.get(f"/api/jobs/{job}/node", line="", made="straight flush")["filtered"]
    assert none["combos"] == [0, 0]
    assert none["share"] == 0
    assert none["ev"] is None
    assert set(none["frequencies"]) == {None}


@pytest.mark.parametrize(
    ("field", "text"), [("made", "nuts"), ("draws", "flush"), ("suits", "h"), ("holds", "10")]
)
def test_what_is_no_filter_is_refused_at_its_field(
    page: Page, turn: tuple[str, Any], field: str, text: str
) -> None:
    answer = page.client.get(f"{turn[0]}/node", params={"line": "", field: text})
    assert answer.status_code == 422
    assert answer.json()["field"] == field
