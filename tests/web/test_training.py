"""Drills: questions where play comes to, the solution's values, and what failed asked again."""

from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import hand_index
from endspiel.cards.removal import conflicts
from endspiel.errors import EndspielError
from endspiel.games.spot import parse_spot
from endspiel.solving.solution import SpotSolution
from endspiel.web.jobs import SolveJob
from endspiel.web.preflop_training import (
    PreflopDrills,
    ask_preflop,
    deal_preflop,
    judge_preflop,
)
from endspiel.web.trainer import AGAIN, DAY, EASE, DrillBook
from endspiel.web.training import Verdict, deal_decision, deal_hands, judge
from tests.solving.spots import RIVER
from tests.web.conftest import Page, open_page
from tests.web.reported import FLOPS, report_json


@pytest.fixture(scope="module")
def river() -> SpotSolution:
    return es.solve(parse_spot(RIVER), iterations=200)


def test_questions_come_as_play_does(river: SpotSolution) -> None:
    dice = np.random.default_rng(1)
    found = [deal_decision(river, 1, dice) for _ in range(300)]
    for line, hand in found[:40]:
        view = river.view(line)
        assert view.player == 1
        assert view.reach[view.chosen(hand)[0]] > 0
    after = [line for line, _ in found if line in ("c", "b100", "b200")]
    first = river.view("")
    for word, share in zip(first.actions, first.frequencies, strict=True):
        told = sum(line == word for line in after) / len(after)
        assert told == pytest.approx(share, abs=0.12)


def test_hands_are_dealt_as_the_ranges_weigh_them(river: SpotSolution) -> None:
    dice = np.random.default_rng(2)
    dealt = np.array([deal_hands(river, dice) for _ in range(600)])
    rare = np.flatnonzero(es.parse_range("T9s"))
    told = np.isin(dealt[:, 1], rare).mean()
    weights = river.spot.weights
    met = weights[1] * (weights[0] @ ~conflicts())
    assert told == pytest.approx(met[rare].sum() / met.sum(), abs=0.03)
    assert not conflicts()[dealt[:, 0], dealt[:, 1]].any()


def test_a_verdict_is_the_solutions(river: SpotSolution) -> None:
    view = river.view("b100")
    for k in (0, len(view.hands) - 1):
        hand = view.name(k)
        evs = view.action_ev[:, k]
        for word, ev in zip(view.actions, evs, strict=True):
            verdict = judge(river, "b100", hand, word)
            assert verdict.lost == pytest.approx(float(evs.max() - ev), abs=1e-5)
            assert verdict.lost_percent == pytest.approx(verdict.lost / 3, abs=1e-5)  # pot 300
            assert verdict.best == view.actions[int(evs.argmax())]
            assert verdict.good == (verdict.lost_percent <= 3)
        assert judge(river, "b100", hand, view.actions[int(evs.argmax())]).grade == 5


def verdict(grade: int) -> Verdict:
    return Verdict("c", "c", ["c"], ["check"], [1.0], [0.0], 1.0, 2.5, grade, grade >= 3)


def test_what_fails_comes_again_and_later_each_time(tmp_path: Path) -> None:
    now = 1000.0
    trainer = DrillBook(tmp_path / "trainer.json", lambda: now)

    def answer(grade: int) -> float | None:
        return trainer.note(trainer.remember("job", "b100", "JdJc"), verdict(grade)).next_seconds

    assert answer(5) is None  # what went well from the start need not come again
    assert trainer.due("job") == []
    assert answer(1) == AGAIN
    assert trainer.due("job") == []
    now += AGAIN
    assert [item.hand for item in trainer.due("job")] == ["JdJc"]
    assert trainer.due("another") == []
    assert answer(4) == 600
    assert answer(4) == DAY
    ease = max(1.3, EASE + 0.1 - 4 * (0.08 + 4 * 0.02))  # SM-2 after grades 1, 4, 4, 4
    assert answer(4) == pytest.approx(DAY * ease)
    trainer = DrillBook(tmp_path / "trainer.json", lambda: now)  # as the file has it
    told = trainer.answer()
    assert (told.total.questions, told.total.good, told.total.lost_percent) == (5, 4, 12.5)
    assert (told.due, told.waiting) == ({}, 1)
    now += 10 * DAY
    assert trainer.answer().due == {"job": 1}
    assert answer(0) == AGAIN
    assert answer(4) == 600  # in a row again from the first
    trainer.forget()
    assert DrillBook(tmp_path / "trainer.json").answer().total.questions == 0


def test_a_drill_over_the_web(page: Page, river: SpotSolution) -> None:
    job = page.solve(RIVER, iterations=200, threads=1)
    asked = page.post("/api/train/question", {"job": job["id"], "player": 1})["question"]
    view = river.view(asked["line"])
    assert [action["word"] for action in asked["actions"]] == list(view.actions)
    assert all(action["frequency"] is None for action in asked["actions"])
    worst = view.actions[int(view.action_ev[:, view.chosen("".join(asked["hand"]))[0]].argmin())]
    told = page.post("/api/train/answer", {"question": asked["id"], "word": worst})
    truth = judge(river, asked["line"], "".join(asked["hand"]), worst)
    assert told["lost"] == pytest.approx(truth.lost, abs=1e-3)
    assert told["strategy"] == pytest.approx(truth.strategy, abs=1e-4)
    progress = page.get("/api/train")
    assert progress["total"]["questions"] == 1
    assert progress["jobs"][job["id"]]["questions"] == 1
    again = {"question": asked["id"], "word": worst}
    assert page.post("/api/train/answer", again, 404)["field"] == "question"
    assert page.post("/api/train/question", {}, 422)["field"] == "job"
    bad = page.post("/api/train/question", {"job": job["id"]})["question"]["id"]
    assert page.post("/api/train/answer", {"question": bad, "word": "x"}, 422)["field"] == "word"


def test_drills_before_the_flop_are_judged_by_charts_of_their_depth() -> None:
    drills, dice = PreflopDrills(), np.random.default_rng(4)
    tree = drills.tree(12)
    for player in (0, 1):
        for _ in range(20):
            line, hand = deal_preflop(tree.charts, player, dice)
            question = ask_preflop(tree, line, hand)
            assert question.player == player
            assert "charts of 12 big blinds" in question.name
            decision = tree.charts.decision(tree.charts.preflop.tree.find(line))
            kind = hand_classes()[hand_index(*es.parse_cards(hand))]
            reach = tree.charts.reach(decision.seqs[player], player)[kind]
            assert reach > 0  # it comes here by its own play
    told = judge_preflop(tree, "", "AsAh", "f")
    assert told.judged
    assert told.lost > told.error > 0
    assert (told.by, told.ranges) == ("charts of 12 big blinds", ["random", "random"])
    assert told.strategy[told.words.index("f")] == 0
    unsure = {line: 1.1 * error * told.lost / told.error for line, error in tree.errors.items()}
    again = judge_preflop(tree._replace(errors=unsure), "", "AsAh", "f")
    assert not again.judged
    assert judge_preflop(tree, "", "AsAh", told.best).judged  # nothing is lost
    with pytest.raises(EndspielError, match="charts are of"):
        drills.tree(1000)


def test_an_answer_that_is_not_judged_counts_for_nothing(tmp_path: Path) -> None:
    book, unsure = DrillBook(tmp_path / "trainer.json"), verdict(0)
    unsure.judged = False
    name = book.remember("preflop 12", "", "AsAh")
    assert book.note(name, unsure).next_seconds is None
    assert book.asked(name) is None
    assert (book.answer().total.questions, book.answer().waiting) == (0, 0)


def test_a_drill_before_the_flop_over_the_web(page: Page) -> None:
    asked = page.post("/api/train/question", {"preflop": 12, "player": 0})["question"]
    assert (asked["player"], asked["board"], asked["job"]) == (0, [], "preflop 12")
    assert "/preflop/open/" in asked["link"]
    words = [action["word"] for action in asked["actions"]]
    told = page.post("/api/train/answer", {"question": asked["id"], "word": words[0]})
    assert told["words"] == words
    assert told["by"] == "charts of 12 big blinds"
    bad = page.post("/api/train/question", {"preflop": 5000}, 422)
    assert bad["field"] == "preflop"


def test_a_reports_flops_are_solved_to_be_drilled(tmp_path: Path) -> None:
    for page in open_page(tmp_path):
        answer = page.client.post("/api/reports?name=mine.json", content=report_json())
        body = {"report": answer.json()["id"]}
        waited = page.post("/api/train/question", body)
        assert waited["question"] is None
        page.over(waited["solving"])
        job = page.get(f"/api/jobs/{waited['solving']}")
        assert job["limits"]["target_percent"] == 0.5
        for _ in range(12):  # then there is always something to ask, and other flops are solved
            assert page.post("/api/train/question", body)["question"] is not None
            jobs = page.get("/api/jobs")["jobs"]
            assert sum(one["state"] in ("queued", "running") for one in jobs) <= 1
        assert len(page.get("/api/jobs")["jobs"]) > 1


def test_a_flop_that_still_runs_is_not_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it can be looked into: another is asked about, and nobody waits."""
    for page in open_page(tmp_path):
        report = page.client.post("/api/reports?name=mine.json", content=report_json()).json()
        spots = [report["spot"] | {"board": flop} for flop in FLOPS[:2]]
        done, running = (page.solve(spot, iterations=2)["id"] for spot in spots)
        page.wait(lambda page=page: page.site.service.runner.idle)
        record = page.site.service.job(running).record
        monkeypatch.setattr(record, "state", "running")
        monkeypatch.setattr(SolveJob, "live", True)
        assert page.site.service.solved(record.spot) == running
        for seed in range(8):
            monkeypatch.setattr(page.site.training.trainer, "dice", np.random.default_rng(seed))
            asked = page.post("/api/train/question", {"report": report["id"]})
            assert (asked["question"] or {}).get("job") == done
        assert len(page.get("/api/jobs")["jobs"]) == 2  # no other is begun meanwhile
        monkeypatch.undo()
