"""Solves: the library's own numbers, stop and resume, the queue, restarts, news."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import endspiel as es
from endspiel.games.spot import parse_spot
from endspiel.solving.solution_files import save_solution
from endspiel.solving.task import prepare
from endspiel.web.events import WAITING, Hub
from endspiel.web.runner import Runner
from tests.solving.spots import CLAIRVOYANT, RIVER, SYMMETRIC_TURN, TURN
from tests.web.conftest import Page, open_page

LONG: dict[str, Any] = {"target_percent": 0.0}  # never reached
WIDE = {**TURN, "ranges": ["22+,A2s+,KTs+", "22+,A2s+,K9s+"]}


def test_a_solve_finds_what_the_library_finds(page: Page) -> None:
    job = page.solve(RIVER, iterations=200, name="a river")
    found = es.solve(parse_spot(RIVER), iterations=200)
    assert (job["state"], job["stopped"], job["name"]) == ("done", "iterations", "a river")
    assert job["exploitability_percent"] == pytest.approx(100 * found.exploitability)
    assert job["value"][0] == pytest.approx(200 * (0.5 + found.value))
    assert sum(job["value"]) == pytest.approx(200)
    curve = [(i, e) for i, _, e in job["curve"]]
    assert curve == [(p.iteration, 100 * p.exploitability) for p in found.trace]


def test_the_hand_solved_game(page: Page) -> None:
    # A pot-sized bet, nuts or air: half as many bluffs as value bets, called half the time.
    job = page.solve(CLAIRVOYANT, target_percent=0.001)
    called = page.get(f"/api/jobs/{job['id']}/node", line="b100")
    assert called["actions"][1]["frequency"] == pytest.approx(0.5, abs=0.01)
    bluffs = page.get(f"/api/jobs/{job['id']}/hands", line="", **{"class": "43s"})["hands"]
    betting = sum(hand["strategy"][1] for hand in bluffs)
    assert betting == pytest.approx(0.5, abs=0.01)
    assert job["stopped"] == "target"


@pytest.mark.parametrize("method", ["lp", "egt", "pcfr+"])
def test_other_methods(page: Page, method: str) -> None:
    job = page.solve(CLAIRVOYANT, method=method, target_percent=0.1)
    assert job["state"] == "done"
    assert job["exploitability_percent"] < 0.11
    if method == "lp":
        page.post(f"/api/jobs/{job['id']}/resume", {}, 409)


def test_stop_and_resume_come_to_the_same(page: Page) -> None:
    job = page.post("/api/jobs", {"spot": WIDE, "iterations": 100_000, "threads": 1}, 201)
    name = f"/api/jobs/{job['id']}"
    page.until(job["id"], lambda found: found["iteration"] >= 10)
    ordered = page.post(f"{name}/stop")
    assert ordered["stopping"] or ordered["state"] == "stopped"
    stopped = page.over(job["id"])
    assert (stopped["state"], stopped["stopped"]) == ("stopped", "interrupted")
    assert not stopped["stopping"]
    assert stopped["has_result"]
    target = stopped["iteration"] + 30
    page.post(f"{name}/resume", {"iterations": target})
    done = page.over(job["id"])
    assert (done["state"], done["iteration"]) == ("done", target)
    found = es.solve(parse_spot(WIDE), iterations=target)
    assert done["value"][0] == pytest.approx(200 * (0.5 + found.value), rel=1e-6)
    assert done["curve"][0][0] == 10
    page.post(f"{name}/stop", status=409)
    page.client.delete(name)


def test_one_runs_and_others_wait(page: Page) -> None:
    first, second, third = (
        page.post("/api/jobs", {"spot": WIDE, **LONG}, 201)["id"] for _ in range(3)
    )
    page.until(first, lambda found: found["state"] == "running")
    assert page.get(f"/api/jobs/{second}")["ahead"] == 1
    assert page.get(f"/api/jobs/{third}")["ahead"] == 2
    page.post(f"/api/jobs/{second}/stop")
    assert page.get(f"/api/jobs/{second}")["state"] == "stopped"
    page.post(f"/api/jobs/{first}/stop")
    page.until(third, lambda found: found["state"] == "running")
    assert page.client.delete(f"/api/jobs/{third}").status_code == 200
    assert page.client.get(f"/api/jobs/{third}").status_code == 404
    names = [job["id"] for job in page.get("/api/jobs")["jobs"]]
    assert third not in names
    assert {first, second} <= set(names)
    for name in (first, second):
        page.client.delete(f"/api/jobs/{name}")
    kept = [path.name for path in (page.site.service.store.folder / "jobs").iterdir()]
    assert not any(name.startswith((first, second, third)) for name in kept)


@pytest.mark.parametrize("how", ["runs", "waits"])
def test_who_waits_is_told_when_the_queue_moves(
    page: Page, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    service = page.site.service
    page.wait(lambda: service.runner.idle)
    first, second, third = (
        page.post("/api/jobs", {"spot": WIDE, **LONG}, 201)["id"] for _ in range(3)
    )
    page.until(first, lambda found: found["state"] == "running")
    told: list[int] = []

    def publish(name: str, news: Any) -> None:
        if name == "job" and news.id == third and news.state == "queued":
            told.append(news.ahead)

    monkeypatch.setattr(service.hub, "publish", publish)
    page.post(f"/api/jobs/{first if how == 'runs' else second}/stop")
    page.wait(lambda: told == [1])  # it was 2
    monkeypatch.undo()
    for name in (third, second, first):
        page.client.delete(f"/api/jobs/{name}")


def test_a_file_that_is_being_written_is_waited_for(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, asked = page.site.service.runner, threading.Event()

    def wait(*given: Any) -> bool:
        asked.set()
        return Runner.wait(runner, *given)

    def save(path: Path, solution: Any) -> None:
        assert asked.wait(300)
        save_solution(path, solution)

    monkeypatch.setattr(runner, "wait", wait)
    monkeypatch.setattr("endspiel.web.runner.save_solution", save)
    try:
        job = page.solve(RIVER, iterations=10)["id"]
        assert page.client.get(f"/api/jobs/{job}/solution.es").status_code == 200
    finally:
        asked.set()


def test_a_running_solve_can_be_looked_into(page: Page) -> None:
    job = page.post("/api/jobs", {"spot": WIDE, **LONG}, 201)["id"]
    page.until(job, lambda found: found["has_result"])
    node = page.get(f"/api/jobs/{job}/node", line="c")
    assert not node["final"]
    assert node["iteration"] > 0
    assert sum(action["frequency"] for action in node["actions"]) == pytest.approx(1, abs=1e-4)
    answer = page.client.get(f"/api/jobs/{job}/node", params={"line": "zz"})
    assert answer.status_code == 422
    progress = page.site.service.progress()
    assert progress is not None
    assert progress["id"] == job
    page.client.delete(f"/api/jobs/{job}")


@pytest.mark.parametrize("locks", [[], [": random c 1"]])
def test_a_spot_is_built_once_for_a_solve(
    page: Page, monkeypatch: pytest.MonkeyPatch, locks: list[str]
) -> None:
    built = []

    def counted(*given: Any) -> Any:
        built.append(given)
        return prepare(*given)

    monkeypatch.setattr("endspiel.web.spots.prepare", counted)
    page.wait(lambda: page.site.service.runner.idle)  # an earlier solve may still be written down
    job = page.solve(TURN, iterations=1, locks=locks)
    assert len(built) == 1
    found = es.solve(
        parse_spot(TURN), iterations=1, options=es.SpotOptions(threads=1, locks=tuple(locks))
    )
    assert job["exploitability_percent"] == pytest.approx(100 * found.exploitability)


def test_a_lock_that_tells_suits_apart_is_kept(page: Page) -> None:
    lock = "c c / 2c: random c 1"
    job = page.solve(SYMMETRIC_TURN | {"board": "Kh 9h 5h 3h"}, iterations=5, locks=[lock])
    name = f"/api/jobs/{job['id']}/node"
    assert page.get(name, line="c c / 2c")["locked"]
    assert not page.get(name, line="c c / 2s")["locked"]


def test_each_point_of_the_curve_is_told_once(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    service = page.site.service
    told: list[dict[str, Any]] = []
    job = page.post("/api/jobs", {"spot": WIDE, **LONG}, 201)["id"]
    page.until(job, lambda found: found["iteration"] >= 10)
    page.post(f"/api/jobs/{job}/stop")
    page.over(job)
    page.wait(lambda: service.runner.idle)  # the runner has set its own mark for the last time
    kept = service.job(job)
    kept.told, kept.record.state = 0, "running"
    monkeypatch.setattr(service.runner, "running", kept)

    def publish(name: str, news: dict[str, Any]) -> None:
        if name == "progress":  # the runner may still tell of the job's end
            told.append(news)

    monkeypatch.setattr(service.hub, "publish", publish)
    first = service.progress()
    assert first == service.progress()  # to look is not to tell
    service.tell_progress()
    assert told == [first]
    assert first is not None
    assert len(first["points"]) == len(kept.trace)
    service.tell_progress()
    assert told[1]["points"] == []
    monkeypatch.undo()
    kept.record.state = "stopped"
    page.client.delete(f"/api/jobs/{job}")


def test_a_solve_that_runs_knows_its_locks(page: Page) -> None:
    lock = ": random c 1"
    body = {"spot": WIDE, "locks": [lock], **LONG}
    job = page.post("/api/jobs", body, 201)["id"]
    page.until(job, lambda found: found["has_result"])
    service = page.site.service
    assert service.use(service.job(job), lambda solution: solution.locks) == (lock,)
    assert page.get(f"/api/jobs/{job}/node")["locked"]
    page.client.delete(f"/api/jobs/{job}")


def test_refusals(page: Page) -> None:
    assert page.post("/api/jobs", {"spot": RIVER, "target_percent": -1}, 422)["field"] == "target"
    assert page.post("/api/jobs", {"spot": RIVER, "seconds": -1}, 422)["field"] == "seconds"
    assert page.post("/api/jobs", {"spot": RIVER, "based_on": "x"}, 404)["field"] == "id"
    assert page.client.get("/api/jobs/aaaaaaaaaaaa").status_code == 404
    waiting = page.post("/api/jobs", {"spot": WIDE, **LONG}, 201)["id"]
    queued = page.post("/api/jobs", {"spot": RIVER, **LONG}, 201)["id"]
    assert page.client.get(f"/api/jobs/{queued}/node").status_code == 409
    assert page.client.get(f"/api/jobs/{queued}/solution.es").status_code == 409
    page.post(f"/api/jobs/{queued}/resume", {}, 409)
    page.post(f"/api/jobs/{queued}/rename", {"name": " "}, 422)
    assert page.post(f"/api/jobs/{queued}/rename", {"name": "x"})["name"] == "x"
    for name in (queued, waiting):
        page.client.delete(f"/api/jobs/{name}")


def test_solves_survive_a_restart(tmp_path: Path) -> None:
    for page in open_page(tmp_path):
        done = page.solve(RIVER, iterations=50)["id"]
        before = page.get(f"/api/jobs/{done}/node", line="c")
        running = page.post("/api/jobs", {"spot": WIDE, **LONG}, 201)["id"]
        page.until(running, lambda found: found["iteration"] >= 10)
        waiting = page.post("/api/jobs", {"spot": RIVER, **LONG}, 201)["id"]
    (tmp_path / "jobs" / "aaaaaaaaaaaa.json").write_text("not a job")
    (tmp_path / "jobs" / "readme.json").write_text("{}")
    for page in open_page(tmp_path):
        states = {job["id"]: job["state"] for job in page.get("/api/jobs")["jobs"]}
        assert states == {done: "done", running: "stopped", waiting: "stopped"}
        assert page.get(f"/api/jobs/{done}/node", line="c") == before
        halted = page.get(f"/api/jobs/{running}")
        assert halted["has_result"]
        assert halted["iteration"] >= 10
        page.post(f"/api/jobs/{running}/resume", {"iterations": halted["iteration"] + 5})
        assert page.over(running)["iteration"] == halted["iteration"] + 5


def test_news_reach_every_page() -> None:
    with ThreadPoolExecutor(1) as pool:  # browser tests keep a loop in the main thread
        pool.submit(asyncio.run, spread_news()).result()


async def spread_news() -> None:
    hub = Hub(lambda: {"jobs": []})
    hub.start(asyncio.get_running_loop())
    first, second = hub.listen(), hub.listen()
    assert (await anext(first)).startswith(b"event: jobs\n")
    assert (await anext(second)).startswith(b"event: jobs\n")
    hub.publish("job", {"id": "x"})
    for page in (first, second):
        event, data = (await anext(page)).decode().strip().split("\n")
        assert event == "event: job"
        assert json.loads(data.removeprefix("data: ")) == {"id": "x"}
    for number in range(2 * WAITING):  # a page that does not read is told afresh, not for ever
        hub.publish("job", {"id": str(number)})
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (await anext(first)).startswith(b"event: jobs\n")
    hub.close()
    rest = [event async for event in second]
    assert len(rest) <= WAITING + 2
    assert rest[-1].startswith(b"event: bye\n")
    await first.aclose()  # type: ignore[attr-defined]
    assert hub.listeners == 0


def test_a_default_target_is_one_that_the_floats_can_reach(page: Page) -> None:
    deep = RIVER | {"pot": 1, "stack": 10**9}
    job = page.post("/api/jobs", {"spot": deep, "method": "dcfr"}, 201)
    page.post(f"/api/jobs/{job['id']}/stop", {})
    assert job["limits"]["target_percent"] == pytest.approx(2 * 100 * 3e-12 * 10**9)
    usual = page.post("/api/jobs", {"spot": RIVER}, 201)
    assert usual["limits"] == {"target_percent": 0.1, "iterations": None, "seconds": None}
