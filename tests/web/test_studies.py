"""Reports, comparisons, equity graphs, blockers, locks by frequency: against plain arithmetic."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import endspiel as es
from endspiel.batch.boards import flop_subset
from endspiel.cards.deck import hand_cards
from endspiel.games.spot import parse_spot
from endspiel.solving.solution import SpotSolution
from endspiel.web.comparing import counterpart
from endspiel.web.graphs import answer_blockers
from endspiel.web.locks import moved_to
from endspiel.web.messages import SpotText
from endspiel.web.server import static_folder
from endspiel.web.spots import read_spot
from tests.solving.spots import RIVER, TURN
from tests.web.conftest import Page, open_page
from tests.web.reported import FLOPS, SPOT, report_json, rows


@pytest.fixture(scope="module")
def river() -> SpotSolution:
    return es.solve(parse_spot(RIVER), iterations=60)


def test_a_report_is_kept_and_its_boards_are_spots(tmp_path: Path) -> None:
    for page in open_page(tmp_path):
        answer = page.client.post("/api/reports?name=mine.json", content=report_json())
        assert answer.status_code == 201
        kept = page.get(f"/api/reports/{answer.json()['id']}")
        assert kept["name"] == "mine"
        assert [row["board"] for row in kept["rows"]] == FLOPS
        assert [row["evs"] for row in kept["rows"]] == [row["evs"] for row in rows()]
        assert kept["actions"] == ["check", "bet 150"]
        spot = page.get(f"/api/reports/{kept['id']}/spot", board=FLOPS[1])
        assert spot["job"] is None
        made = read_spot(msgspec.convert(spot["spot"], SpotText))
        assert made.dump() == parse_spot(SPOT | {"board": FLOPS[1]}).dump()
        job = page.solve(spot["spot"], iterations=1)
        assert page.get(f"/api/reports/{kept['id']}/spot", board=FLOPS[1])["job"] == job["id"]
    for page in open_page(tmp_path):  # another server on the same folder
        (entry,) = page.get("/api/reports")["reports"]
        assert (entry["boards"], entry["kind"]) == (5, "flop")
        assert page.client.delete(f"/api/reports/{entry['id']}").status_code == 200
        assert page.get("/api/reports")["reports"] == []


def broken() -> list[tuple[bytes, str]]:
    whole = json.loads(report_json())
    odd = json.loads(report_json())
    odd["flops"][1]["frequencies"] = {"c": 1.0}
    short = json.loads(report_json())
    short["flops"][0]["board"] = "Ks 7h"
    return [
        (b"{", "no report"),
        (b"[]", "no report"),
        (json.dumps(whole | {"flops": []}).encode(), "no rows"),
        (json.dumps(odd).encode(), "other actions"),
        (json.dumps(short).encode(), "cards"),
    ]


LISTED = {"spot": SPOT, "flops": "Ks 7h 2d 3, 9s 8s 7s 1", "target_percent": 20, "name": "two"}


def finished(page: Page) -> dict[str, Any]:
    """The report in the making, once it is over."""
    page.wait(lambda: page.get("/api/reports/run")["state"] != "running")
    run: dict[str, Any] = page.get("/api/reports/run")
    return run


def test_a_report_is_made_from_the_page(page: Page) -> None:
    begun = page.post("/api/reports/run", LISTED, 201)
    assert (begun["name"], begun["boards"]) == ("two", 2)
    run = finished(page)
    assert (run["state"], run["finished"], run["error"]) == ("done", 2, "")
    made = page.get(f"/api/reports/{run['report']}")
    rows = {row["board"]: row for row in made["rows"]}
    assert {name: row["weight"] for name, row in rows.items()} == {"Ks 7h 2d": 3, "9s 8s 7s": 1}
    assert made["missing"] == 0
    for board, row in rows.items():
        alone = es.solve(parse_spot(SPOT | {"board": board}), target=0.2)
        view = alone.view("")
        assert row["evs"] == pytest.approx(alone.evs_at(view), abs=1.0)
        assert list(row["frequencies"]) == list(view.actions)
        assert row["exploitability"] <= 0.2
    page.client.delete(f"/api/reports/{run['report']}")


def test_a_report_that_is_stopped_keeps_what_is_done(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after its first board, in the middle of the second."""
    runs = page.site.studies.runs
    halt = runs.halt

    def stop_after_one(iteration: int, seconds: float) -> bool:
        if runs.state().finished:
            runs.stop()
        return halt(iteration, seconds)

    monkeypatch.setattr(runs, "halt", stop_after_one)
    page.post("/api/reports/run", LISTED, 201)
    run = finished(page)
    assert (run["state"], run["finished"], run["stopping"]) == ("stopped", 1, False)
    made = page.get(f"/api/reports/{run['report']}")
    assert (len(made["rows"]), made["missing"]) == (1, 1)
    page.client.delete(f"/api/reports/{run['report']}")


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"flops": "26"}, "flops", "there is no set of 26 flops"),
        ({"flops": "Ks 7h"}, "flops", "a flop has three cards"),
        ({"flops": "/etc/passwd"}, "flops", "the flops, line 1"),
        ({"flops": ""}, "flops", "names no flop"),
        ({"target_percent": 0}, "target", "over 0"),
        ({"node": "c / 8h"}, "node", "before any card is dealt"),
        ({"spot": SPOT | {"pot": 0}}, "pot", "pot is 0"),
    ],
)
def test_a_report_that_cannot_be_made_is_refused(
    page: Page, wrong: dict[str, Any], field: str, said: str
) -> None:
    refused = page.post("/api/reports/run", LISTED | wrong, 422)
    assert refused["field"] == field
    assert said in refused["error"]


def test_what_is_no_report_is_refused(page: Page) -> None:
    for body, said in broken():
        answer = page.client.post("/api/reports?name=x.json", content=body)
        assert answer.status_code == 422
        assert said in answer.json()["error"]


def test_ranges_are_kept_by_name(tmp_path: Path) -> None:
    for page in open_page(tmp_path):
        page.post("/api/ranges", {"name": "open", "text": "22,33,44+"}, 201)
        page.post("/api/ranges", {"name": "open", "text": "AA,KK"}, 201)
        page.post("/api/ranges", {"name": "call", "text": "QQ"}, 201)
        assert page.post("/api/ranges", {"name": " ", "text": "QQ"}, 422)["field"] == "name"
        assert page.post("/api/ranges", {"name": "x", "text": "Q?"}, 422)["field"] == "text"
    for page in open_page(tmp_path):
        kept = page.get("/api/ranges")["ranges"]
        assert [(one["name"], one["text"]) for one in kept] == [("call", "QQ"), ("open", "KK+")]


@pytest.mark.parametrize("board", ["", "Qs Jh 2h 4c", "Qs Jh 2h 4c 9d"])
def test_the_graph_is_the_ranges_equity(page: Page, board: str) -> None:
    texts = ["QQ-99,AQs,87s", "JJ-88,AJs,76s:0.5"]
    graph = page.post("/api/equity", {"ranges": texts, "board": board})
    cards = es.parse_cards(board) if board else []
    first, second = (es.parse_range(text) for text in texts)
    truth = es.range_equity(first, second, cards).equity
    assert graph["equity"] == pytest.approx([truth, 1 - truth], abs=2e-6)
    for curve in graph["curves"]:
        assert len(curve) == 101
        assert curve == sorted(curve, reverse=True)
    best = es.equities(second, cards)[(first > 0)]
    assert graph["curves"][0][0] == pytest.approx(np.nanmax(best), abs=1e-6)
    assert graph["curves"][0][100] == pytest.approx(np.nanmin(best), abs=1e-6)


def test_blockers_are_counted_pair_by_pair(river: SpotSolution) -> None:
    view = river.view("b100")
    other = river.range_at(river.node("b100"), 1 - view.player)
    answer = answer_blockers(river, "b100")
    told = {one.card: one for one in answer.cards}
    hands = hand_cards()
    held = [(o, set(hands[o].tolist())) for o in np.flatnonzero(other)]
    for name in ("Ad", "Jc", "8s"):
        (card,) = es.parse_cards(name)
        mass, taken = 0.0, np.zeros(len(view.actions))
        for k, hand in enumerate(view.hands.tolist()):
            own = set(hands[hand].tolist())
            met = sum(other[o] for o, cards in held if card in cards and not cards & own)
            mass += met * view.reach[k]
            taken += met * view.reach[k] * view.strategy[:, k]
        assert told[name].frequencies == pytest.approx((taken / mass).tolist(), abs=2e-6)
        change = np.array(told[name].frequencies) - view.frequencies
        assert told[name].change == pytest.approx(change.tolist(), abs=3e-6)


def test_a_node_is_moved_to_frequencies(page: Page, river: SpotSolution) -> None:
    view = river.view("b100")
    wanted = np.array([0.6, 0.3, 0.1])
    moved = moved_to(view, wanted)
    assert moved.sum(axis=0) == pytest.approx(np.ones(len(view.hands)))
    assert moved @ view.weight == pytest.approx(wanted, abs=1e-5)
    lost = view.action_ev.max(axis=0) - (moved * view.action_ev).sum(axis=0)
    alike = view.action_ev.max(axis=0) - wanted @ view.action_ev
    assert view.weight @ lost < 0.9 * (view.weight @ alike)  # cheaper than every hand alike
    more = moved_to(view, 0.9 * view.frequencies + 0.1 * np.eye(3)[0])  # folds more
    never = np.flatnonzero((view.strategy[0] < 0.01) & (view.weight > 0))
    by_loss = never[np.argsort((view.action_ev.max(axis=0) - view.action_ev[0])[never])]
    assert more[0, by_loss[0]] > 2 * more[0, by_loss[-1]]  # what loses least by it first
    same = moved_to(view, view.frequencies)
    assert np.abs(same - view.strategy)[:, view.weight > 0].max() < 0.05

    job = page.solve(RIVER, iterations=60)
    body = {"line": "b100", "frequencies": dict(zip(view.actions, wanted, strict=True))}
    lock = page.post(f"/api/jobs/{job['id']}/lock", body)
    locked = page.solve(RIVER, iterations=60, locks=[lock["text"]], based_on=job["id"])
    node = page.get(f"/api/jobs/{locked['id']}/node", line="b100")
    assert node["locked"]
    assert sum(node["classes"]["frequency"]) == pytest.approx(1, abs=1e-4)
    bad = page.post(f"/api/jobs/{job['id']}/lock", body | {"frequencies": {"f": 0.4}}, 422)
    assert "sum to 0.4" in bad["error"]

    both = page.get("/api/compare", first=job["id"], second=locked["id"], line="b100")
    assert both["first"] == page.get(f"/api/jobs/{job['id']}/node", line="b100")
    assert both["second"] == node
    assert (both["why"], both["near"]) == ("", [])


def test_the_nearest_bet_stands_for_another(page: Page, river: SpotSolution) -> None:
    other = counterpart(river, "b120 r300")
    assert other.line == "b100 r340"
    assert other.near == [("b120", "b100"), ("r300", "r340")]
    first, second = page.solve(RIVER, iterations=5), page.solve(TURN, iterations=5)
    apart = page.get("/api/compare", first=first["id"], second=second["id"])
    assert apart["second"] is None
    assert "another board" in apart["why"]
    lost = page.get("/api/compare", first=first["id"], second=first["id"], line="c c")
    assert lost["first"]["kind"] == "end"


def test_rake_and_menus_are_compared(page: Page) -> None:
    plain = page.solve(RIVER, target_percent=0.05)
    raked = page.solve(RIVER | {"rake": "10%"}, target_percent=0.05)
    both = page.get("/api/compare", first=plain["id"], second=raked["id"])
    pot, left = (sum(side["ev"] for side in both[name]["ranges"]) for name in ("first", "second"))
    assert pot == pytest.approx(200, abs=0.01)
    assert 200 - left == pytest.approx(es.solve(
        parse_spot(RIVER | {"rake": "10%"}), target=0.0005).rake, abs=0.2)  # fmt: skip
    assert both["near"] == []
    other = RIVER | {"river": {"bet": "75%", "raise": "60%"}}
    menus = page.solve(other, target_percent=0.5)
    both = page.get("/api/compare", first=plain["id"], second=menus["id"], line="b100")
    assert both["near"] == [["b100", "b150"]]
    assert both["second"] == page.get(f"/api/jobs/{menus['id']}/node", line="b150")


PUSH = {"stack": 8, "opens": "a", "max_raises": 1, "limp": False}


def test_a_tree_before_the_flop_is_solved(page: Page) -> None:
    found = page.post("/api/preflop", PUSH)
    exact = es.solve(es.games.push_fold(stack=8), "lp")
    assert found["value"] == pytest.approx(exact.value, abs=2e-3)
    assert [chart["line"] for chart in found["charts"]] == ["", "r800"]
    raked = page.post("/api/preflop", PUSH | {"rake": "5%", "rake_cap": 0.3})
    assert 0.01 < raked["rake"] < 0.3


def test_flops_of_a_tree_are_played_or_sketched(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("endspiel.web.preflops.SECONDS", 0.0)  # one round is always played
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:1])
    tree = {"stack": 30, "opens": "2x", "max_raises": 1, "limp": False}
    played = page.post("/api/preflop", tree | {"flops_by": "net"})
    charted = page.post("/api/preflop", tree)
    assert "that come with the package" in charted["flop_value"]["by"]
    refused = page.post("/api/preflop", tree | {"flops_by": "charts", "ante": 0.1}, 422)
    assert (refused["field"], "without antes" in refused["error"]) == ("flops_by", True)
    assert played["flop_value"]["model"] == "play"
    assert [line["line"] for line in played["flop_value"]["lines"]] == ["r200 c"]
    assert played["error_bb"] > 0
    sketched = page.post("/api/preflop", tree | {"flops_by": "model"})
    assert sketched["flop_value"]["model"] == "equity realization"
    assert sketched["error_bb"] is None


def test_push_or_fold_is_solved_exactly(page: Page) -> None:
    for stack in (1, 8):
        found = page.post("/api/preflop", {"stack": stack, "push_fold": True, "ante": 0.1})
        exact = es.solve(es.games.push_fold(stack=stack, ante=0.1), "lp")
        assert found["value"] == pytest.approx(exact.value, abs=1e-9)
        assert (found["method"], found["flops"]) == ("lp", [])
        assert found["flop_value"]["model"] == "none"
        assert [chart["player"] for chart in found["charts"]] == ["button", "big blind"]
    refused = page.post("/api/preflop", {"stack": 8, "push_fold": True, "rake": "5%"}, 422)
    assert (refused["field"], refused["error"]) == (
        "rake", "this is of whole trees, not of push or fold",
    )  # fmt: skip
    for stack in (0.5, 1e9, -1):
        refused = page.post("/api/preflop", {"stack": stack, "push_fold": True}, 422)
        assert refused["field"] == "stack"


def test_every_table_of_the_page_is_saved_as_csv() -> None:
    for script in static_folder().rglob("js/**/*.js"):
        text = script.read_text(encoding="utf-8")
        tables = text.count("<table")
        saved = text.count("<${Exported}") + text.count("<${CsvButton}")
        assert bool(tables) <= bool(saved), script
        assert tables <= saved or script.name == "hands.js", script  # two kinds of one table there


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"stack": 0.5}, "stack", "nothing to raise"),
        ({"stack": 1e9}, "stack", "0 to 10000 big blinds"),
        ({"opens": "2.5y"}, "opens", "2.5y"),
        ({"opens": "2x, 2.2x, 2.5x, 3x, 4x", "reraises": "2x, 2.5x, 3x, 4x", "max_raises": 6,
          "stack": 200}, "opens", "more than 400"),
        ({"rake": "abc"}, "rake", "a rake is written"),
        ({"prizes": [5], "rake": "5%"}, "prizes", "a rake or prizes"),
        ({"others": [5]}, "prizes", "give prizes"),
        ({"max_raises": 99}, "max_raises", "max_raises is at most 8"),
        ({"max_raises": -1}, "max_raises", "max_raises is at least 0"),
        ({"stacks": [1, 2, 3]}, "stacks", "stacks has at most 2 parts"),
    ],
)  # fmt: skip
def test_a_tree_that_cannot_be_solved_is_refused(
    page: Page, wrong: dict[str, Any], field: str, said: str
) -> None:
    refused = page.post("/api/preflop", PUSH | wrong, 422)
    assert refused["field"] == field, refused
    assert said in refused["error"]


def test_a_tree_is_solved_in_rounds_stopped_and_gone_on_with(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:1])
    monkeypatch.setattr("endspiel.preflop.solving.LEAST_ROUNDS", 10_000)  # only a stop ends it
    tree = {"stack": 30, "opens": "2x", "max_raises": 1, "limp": False, "ante": 0.1}
    assert page.get("/api/preflop/run")["state"] == "none"
    assert "no tree is solved" in page.client.get("/api/preflop/run/charts").json()["error"]
    refused = page.post("/api/preflop/run", tree | {"flops_by": "charts"}, 422)
    assert (refused["field"], "without antes" in refused["error"]) == ("flops_by", True)

    def run() -> dict[str, Any]:
        found: dict[str, Any] = page.get("/api/preflop/run")
        return found

    def stopped(rounds: int) -> dict[str, Any]:
        begun = page.post("/api/preflop/run", tree, 201)
        assert (begun["state"], begun["name"]) == ("running", "30 big blinds, 2x")
        page.wait(lambda: run()["rounds"] >= rounds)
        busy = page.post("/api/preflop/run", tree, 409)
        assert "stop it, or wait" in busy["error"]
        assert page.client.delete("/api/preflop/run").json()["stopping"]
        page.wait(lambda: run()["state"] != "running")
        return run()

    first = stopped(1)
    assert (first["state"], first["charts"], first["error"]) == ("stopped", True, "")
    assert first["gap"] >= 0
    charts = page.get("/api/preflop/run/charts")
    assert [line["line"] for line in charts["flop_value"]["lines"]] == ["r200 c"]
    second = stopped(first["rounds"] + 1)  # its rounds are counted on from the state
    assert second["rounds"] > first["rounds"]
    folder = page.site.studies.trees.folder
    assert len(list(folder.glob("*.es"))) == 1
    monkeypatch.setattr("endspiel.preflop.solving.MOST_ROUNDS", 1)
    page.post("/api/preflop/run", tree | {"ante": 0.0}, 201)  # by charts, of another tree
    page.wait(lambda: run()["state"] != "running")
    assert (run()["state"], run()["rounds"]) == ("done", 0)
    assert "that come with the package" in page.get("/api/preflop/run/charts")["flop_value"]["by"]
    assert len(list(folder.glob("*.es"))) == 1  # the stopped tree can still be gone on with


def test_a_tree_that_is_done_leaves_no_state(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:1])
    monkeypatch.setattr("endspiel.preflop.solving.LEAST_ROUNDS", 1)
    monkeypatch.setattr("endspiel.preflop.solving.SETTLED", 10.0)
    monkeypatch.setattr("endspiel.preflop.solving.TARGET", 10.0)
    tree = {"stack": 30, "opens": "2x", "max_raises": 1, "limp": False, "ante": 0.1}
    page.post("/api/preflop/run", tree, 201)
    page.wait(lambda: page.get("/api/preflop/run")["state"] != "running")
    told = page.get("/api/preflop/run")
    assert (told["state"], told["charts"], told["rounds"] > 0) == ("done", True, True)
    assert list(page.site.studies.trees.folder.glob("*.es")) == []
    assert page.get("/api/preflop/run/charts")["error_bb"] > 0
