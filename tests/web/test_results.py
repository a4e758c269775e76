"""Results: nodes, hands, run-outs, locks and files agree with the library's views."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endspiel as es
from endspiel.cards.classes import class_names, hand_classes
from endspiel.games.spot import parse_spot
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.web.cached_solution import CachedBoards, CachedSolution, _Remembered
from tests.solving.spots import FLOP, RIVER, SYMMETRIC_FLOP, SYMMETRIC_TURN, TURN
from tests.web.conftest import Job, Page

SPOTS = {"river": RIVER, "turn": TURN, "symmetric": SYMMETRIC_TURN, "flop": FLOP}
LINES = [
    ("river", ""),
    ("river", "c b200"),
    ("river", "b100 r340"),
    ("turn", "b200"),
    ("turn", "c c / 8h"),
    ("turn", "c c / 3c b200"),
    ("symmetric", "c"),
    ("symmetric", "c c / 3c"),
    ("symmetric", "c c / 3s b75"),
    ("flop", "c c / 2c c c / 3d"),
]


@pytest.fixture(scope="module")
def solved(page: Page) -> dict[str, tuple[Job, SpotSolution]]:
    """Some spots solved twice: by the server and by the library."""
    return {
        name: (
            page.solve(spot, iterations=60, threads=1),
            es.solve(parse_spot(spot), iterations=60),
        )
        for name, spot in SPOTS.items()
    }


def expect_class(view: NodeView, values: Any, cell: int) -> float:
    """Mean of a value [K] over the hands of a class, hand by hand."""
    places = [k for k, hand in enumerate(view.hands) if hand_classes()[hand] == cell]
    weight = view.weight[places]
    return float(sum(values[k] * view.weight[k] for k in places if view.weight[k]) / weight.sum())


def test_raked_evs_do_not_add_up_to_the_pot(page: Page) -> None:
    raked = TURN | {"rake": "10%"}
    job = page.solve(raked, iterations=30, threads=1)
    solution = es.solve(parse_spot(raked), iterations=30)
    node = page.get(f"/api/jobs/{job['id']}/node", line="c")
    evs = [side["ev"] for side in node["ranges"]]
    assert evs == pytest.approx(list(solution.evs_at(solution.view("c"))), abs=1e-3)
    assert sum(evs) < 0.95 * node["pot"]
    for card in page.get(f"/api/jobs/{job['id']}/runouts", line="c c")["cards"]:
        if card["ev"] is not None:
            assert sum(card["ev"]) == pytest.approx(
                180, abs=12
            )  # 10% of 200, more where bets go in


@pytest.mark.parametrize(("name", "line"), LINES)
def test_nodes_are_the_librarys(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]], name: str, line: str
) -> None:
    job, solution = solved[name]
    node, view = page.get(f"/api/jobs/{job['id']}/node", line=line), solution.view(line)
    summary = view.summary()
    assert (node["kind"], node["line"], node["player"]) == ("decision", line, view.player)
    assert " ".join(node["board"]) == summary["board"]
    assert (node["pot"], node["to_call"]) == (view.pot, view.to_call)
    assert node["ev"] == pytest.approx(summary["ev"], abs=1e-4)
    assert node["equity"] == pytest.approx(summary["equity"], abs=1e-5)
    for action in node["actions"]:
        assert action["frequency"] == pytest.approx(summary["actions"][action["word"]], abs=1e-5)
    mean = sum(a["frequency"] * a["ev"] for a in node["actions"] if a["ev"] is not None)
    assert mean == pytest.approx(node["ev"], abs=1e-3)
    classes = node["classes"]
    held = [cell for cell in range(169) if classes["ev"][cell] is not None]
    assert held
    for cell in held:
        assert classes["ev"][cell] == pytest.approx(expect_class(view, view.ev, cell), abs=1e-4)
        first = expect_class(view, view.strategy[0], cell)
        assert classes["strategy"][0][cell] == pytest.approx(first, abs=1e-5)
    assert sum(classes["frequency"]) == pytest.approx(1, abs=1e-3)
    own, other = node["ranges"][view.player], node["ranges"][1 - view.player]
    assert own["combos"] == pytest.approx(float(view.reach.sum()), abs=1e-5)
    assert own["ev"] + other["ev"] == pytest.approx(view.pot, abs=1e-4)
    against = solution.reach(line, 1 - view.player)
    assert other["combos"] == pytest.approx(float(against.sum()), abs=1e-5)


@pytest.mark.parametrize(("name", "line"), LINES)
def test_what_comes_next_is_what_is_found_there(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]], name: str, line: str
) -> None:
    job = f"/api/jobs/{solved[name][0]['id']}"
    actions = page.get(f"{job}/node", line=line)["actions"]
    following = page.get(f"{job}/next", line=line)["next"]
    assert [after["line"] for after in following] == [action["line"] for action in actions]
    for action, after in zip(actions, following, strict=True):
        there = page.get(f"{job}/node", line=action["line"])
        assert (after["kind"], after["pot"]) == (action["leads_to"], there["pot"])
        if after["kind"] == "decision":
            assert after["player"] == there["player"]
            assert after["actions"] == [one["name"] for one in there["actions"]]
            assert after["words"] == [one["word"] for one in there["actions"]]
            shares = [one["frequency"] for one in there["actions"]]
            assert after["frequencies"] == pytest.approx(shares, abs=1e-5)
        elif after["kind"] == "end":
            assert (after["outcome"], after["winner"]) == (there["outcome"], there["winner"])
        else:
            card = there["cards"][0]["line"]
            assert after["street"] == page.get(f"{job}/node", line=card)["street"]


def test_nothing_comes_next_where_nobody_decides(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]]
) -> None:
    job = solved["turn"][0]
    answer = page.client.get(f"/api/jobs/{job['id']}/next", params={"line": "c c"})
    assert (answer.status_code, answer.json()["field"]) == (422, "line")


def test_hands_one_by_one(page: Page, solved: dict[str, tuple[Job, SpotSolution]]) -> None:
    job, solution = solved["turn"]
    view = solution.view("b200")
    name = f"/api/jobs/{job['id']}/hands"
    hands = page.get(name, line="b200", **{"class": "AQs"})["hands"]
    rows = {row["hand"]: row for row in view.rows(view.chosen("AQs"))}
    assert {hand["hand"] for hand in hands} == set(rows)
    for hand in hands:
        row = rows[hand["hand"]]
        assert hand["weight"] == row["weight"]
        assert hand["strategy"] == pytest.approx([row[w] for w in view.actions], abs=1e-5)
        assert hand["ev"] == pytest.approx(row["ev"], abs=1e-4)
        assert hand["equity"] == pytest.approx(row["equity"], abs=1e-5)
    assert len(page.get(name, line="b200")["hands"]) == len(view.hands)
    others = page.get(name, line="b200", player=0)["hands"]
    assert sum(h["frequency"] for h in others) == pytest.approx(1, abs=1e-6)
    equity = sum(h["frequency"] * h["equity"] for h in others)
    assert 0 < equity < 1
    assert page.client.get(name, params={"player": "2"}).json()["field"] == "player"


def test_deals_and_ends(page: Page, solved: dict[str, tuple[Job, SpotSolution]]) -> None:
    job = solved["turn"][0]
    name = f"/api/jobs/{job['id']}/node"
    deal = page.get(name, line="c c")
    assert deal["kind"] == "deal"
    assert len(deal["cards"]) == 48
    assert deal["cards"][0] == {"card": "2c", "line": "c c / 2c"}
    assert page.get(name, line="c c /")["kind"] == "deal"
    fold = page.get(name, line="b200 f")
    assert (fold["kind"], fold["outcome"], fold["winner"]) == ("end", "fold", 0)
    allin = page.get(name, line="c b200 c / 8h b200 c")
    assert (allin["kind"], allin["outcome"], allin["winner"]) == ("end", "showdown", None)
    assert [step["word"] for step in allin["path"]] == ["c", "b200", "c", "8h", "b200", "c"]
    assert [step["player"] for step in allin["path"]] == [0, 1, 0, None, 0, 1]
    assert allin["path"][4]["line"] == "c b200 c / 8h"
    for step in allin["path"]:
        assert page.get(name, line=step["line"])["kind"] == step["kind"]
    weights = [view["combos"] for view in deal["ranges"]]
    bet = page.get(name, line="")["actions"][0]
    assert weights[0] == pytest.approx(bet["combos"], abs=1e-5)


@pytest.mark.parametrize("line", ["x", "c c c", "c c / Qs", "b200 f c", "c c / 8h zz", "c " * 500])
def test_lines_that_are_none(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]], line: str
) -> None:
    job = solved["turn"][0]
    for what in ("node", "hands", "runouts"):
        answer = page.client.get(f"/api/jobs/{job['id']}/{what}", params={"line": line})
        assert answer.status_code == 422
        assert answer.json()["field"] == "line"


@pytest.mark.parametrize("name", ["turn", "symmetric"])
def test_runouts_add_up(page: Page, solved: dict[str, tuple[Job, SpotSolution]], name: str) -> None:
    job, solution = solved[name]
    report = page.get(f"/api/jobs/{job['id']}/runouts", line="c c")
    assert (report["street"], report["player"]) == ("river", 0)
    assert len(report["cards"]) == 48
    assert sum(card["probability"] for card in report["cards"]) == pytest.approx(1, abs=1e-4)
    for card in (report["cards"][0], report["cards"][-1]):
        view = solution.view(card["line"])
        assert card["frequencies"] == pytest.approx(view.frequencies.tolist(), abs=1e-5)
        assert card["ev"][0] == pytest.approx(view.mean(view.ev), abs=1e-4)
        assert sum(card["ev"]) == pytest.approx(view.pot, abs=1e-3)
    # What the cards are worth on the mean is what checking was worth before they came.
    before = solution.view("c")
    taken = before.weight * before.strategy[0]
    worth = float(before.action_ev[0] @ taken / taken.sum())
    assert report["mean"]["ev"][1] == pytest.approx(worth, rel=2e-3)


def test_a_lock_on_a_node_is_kept(page: Page, solved: dict[str, tuple[Job, SpotSolution]]) -> None:
    job = solved["river"][0]
    name = f"/api/jobs/{job['id']}"
    lock = page.post(f"{name}/lock", {"line": "b100", "actions": {"f": 0.25, "c": 0.75}})
    assert lock["text"] == lock["summary"] == "b100: random f 0.25 c 0.75"
    again = page.solve(RIVER, iterations=60, threads=1, locks=[lock["text"]], based_on=job["id"])
    assert (again["based_on"], again["num_locks"]) == (job["id"], 1)
    node = page.get(f"/api/jobs/{again['id']}/node", line="b100")
    assert node["locked"]
    assert [a["frequency"] for a in node["actions"]] == pytest.approx([0.25, 0.75, 0.0], abs=1e-6)
    assert not page.get(f"/api/jobs/{again['id']}/node", line="c")["locked"]
    found = es.solve(parse_spot(RIVER), iterations=60, options=es.SpotOptions(locks=[lock["text"]]))
    assert again["value"][0] == pytest.approx(200 * (0.5 + found.value))


def test_a_lock_of_one_class_keeps_the_rest(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]]
) -> None:
    job, solution = solved["symmetric"]
    edit = {"line": "c", "classes": {"A9s": {"b75": 1}}}
    lock = page.post(f"/api/jobs/{job['id']}/lock", edit)
    assert lock["summary"].endswith("hands one by one, A9s")
    again = page.solve(SYMMETRIC_TURN, iterations=60, threads=1, locks=[lock["text"]])
    assert again["locks"] == [lock]
    # Suits that the board does not tell apart are still folded: no more memory than before.
    assert again["memory_bytes"] == job["memory_bytes"]
    hands = page.get(f"/api/jobs/{again['id']}/hands", line="c")["hands"]
    view = solution.view("c")
    for k, hand in enumerate(hands):
        wanted = [0.0, 1.0] if hand["hand"] in ("As9s", "Ad9d", "Ac9c") else view.strategy[:, k]
        assert hand["strategy"] == pytest.approx(list(wanted), abs=2e-4)


def test_a_lock_on_one_board_or_all(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]]
) -> None:
    name = f"/api/jobs/{solved['turn'][0]['id']}/lock"
    one = page.post(name, {"line": "c c / 8h", "actions": {"c": 1}})
    assert one["line"] == "c c / 8h"
    every = page.post(name, {"line": "c c / 8h c", "actions": {"c": 1}, "everywhere": True})
    assert every["line"] == "c c / c"
    for body, field in (
        ({"line": "c c / 8h", "everywhere": True}, "actions"),
        ({"line": "c", "actions": {"c": 0.4}}, "actions"),
        ({"line": "c", "actions": {"zz": 1}}, "actions"),
        ({"line": "c", "actions": {"c": 2, "b200": -1}}, "actions"),
        ({"line": "c", "classes": {"22": {"c": 1}}}, "classes"),
        ({"line": "c", "classes": {"xx": {"c": 1}}}, "classes"),
        ({"line": "c", "classes": {"JJ": {"c": 0.2}}}, "classes.JJ"),
        ({"line": "c c"}, "line"),
        ({"line": "zz"}, "line"),
    ):
        assert page.post(name, body, 422)["field"] == field


def test_solutions_as_files(
    page: Page, solved: dict[str, tuple[Job, SpotSolution]], tmp_path: Path
) -> None:
    job, solution = solved["turn"]
    name = f"/api/jobs/{job['id']}"
    data = page.client.get(f"{name}/solution.es")
    assert "attachment" in data.headers["content-disposition"]
    (tmp_path / "turn.es").write_bytes(data.content)
    assert es.load_solution(tmp_path / "turn.es").value == solution.value
    came = page.client.post("/api/solutions?name=back.es", content=data.content)
    assert came.status_code == 201
    back = came.json()
    assert (back["name"], back["state"], back["has_result"]) == ("back", "done", True)
    mine, theirs = (page.get(f"/api/jobs/{i}/node", line="b200") for i in (job["id"], back["id"]))
    assert mine["classes"] == theirs["classes"]
    assert page.post(f"/api/jobs/{back['id']}/resume", {}, 409)["error"]
    broken = bytearray(data.content)
    broken[-1] ^= 1
    assert page.client.post("/api/solutions", content=bytes(broken)).status_code == 422


def test_nodes_and_spots_as_files(page: Page, solved: dict[str, tuple[Job, SpotSolution]]) -> None:
    job, solution = solved["turn"]
    name = f"/api/jobs/{job['id']}"
    table = page.client.get(f"{name}/node.csv", params={"line": "b200"}).text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["hand"] for row in rows] == [row["hand"] for row in solution.view("b200").rows()]
    node = page.get(f"{name}/node.json", line="b200")
    assert node == json.loads(json.dumps(solution.view("b200").record()))
    everything = page.get(f"{name}/node.json", all="1")
    assert len(everything) == sum(1 for _ in solution.views())
    assert parse_spot(page.get(f"{name}/spot.json")) == parse_spot(TURN)
    assert page.client.get(f"{name}/spot.toml").text == parse_spot(TURN).dump()
    assert page.client.get(f"{name}/node.csv", params={"line": "zz"}).status_code == 422
    left = (page.site.service.store.folder / "jobs").glob("*.part")
    assert not list(left)


def test_a_cached_solution_says_the_same() -> None:
    solution = es.solve(parse_spot(SYMMETRIC_FLOP), iterations=20)
    cached = CachedSolution(solution)
    for line in ("", "c c / 2c", "", "c c / 2c c c / 2s"):
        mine, theirs = cached.use(lambda found, line=line: found.view(line)), solution.view(line)
        assert np.array_equal(mine.strategy, theirs.strategy)
        assert np.array_equal(mine.action_ev, theirs.action_ev, equal_nan=True)
    boards = cached.solution.boards
    assert isinstance(boards, CachedBoards)
    assert boards.behavior(0, 0, 1) is boards.behavior(0, 0, 1)
    assert boards.action_values(0, 0, 1) is boards.action_values(0, 0, 1)
    assert boards.game is solution.game


def test_what_is_remembered_is_limited() -> None:
    kept, made = _Remembered(10), []

    def make(key: int) -> int:
        made.append(key)
        return key

    for key in (1, 2, 3, 1, 4, 2):
        assert kept.get(key, lambda key=key: make(key), lambda _: 3) == key  # type: ignore[misc]
    assert made == [1, 2, 3, 4, 2]
    assert kept.size <= 10
    assert kept.get(5, lambda: make(5), lambda _: 100) == 5  # larger than all: kept alone
    assert kept.size == 100


def test_the_chart_is_the_librarys(page: Page) -> None:
    assert tuple(page.get("/api/about")["classes"]) == class_names()
