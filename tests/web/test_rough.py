"""Rough handling: bodies of any shape, many asking at once, a fault of the server's own."""

import json
import random
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.solving.spots import RIVER, TURN
from tests.web.conftest import Page

WIDE = {**TURN, "ranges": ["22+,A2s+", "22+,A2s+,KTs+"]}
WORDS = st.one_of(
    st.sampled_from(["AA", "AKs", "c", "b100 c / 8h", "Qs Jh 2h", "50%, a", "x"]), st.text()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(WORDS, part, max_size=3),
    max_leaves=6,
)
KEYS: dict[str, list[str]] = {
    "/api/range": ["text", "set", "board"],
    "/api/spot/check": ["spot", "method", "threads", "storage", "locks"],
    "/api/spot/write": ["spot"],
    "/api/jobs": ["spot", "method", "iterations", "locks"],
    "/api/play": ["agent", "stack", "blinds", "seat", "seed", "clock"],
}
quick = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("path", KEYS)
@quick
@given(data=st.data())
def test_no_body_makes_the_server_fail(page: Page, path: str, data: st.DataObject) -> None:
    keys = KEYS[path]
    body: Any = data.draw(JSON | st.dictionaries(st.sampled_from(keys), JSON, max_size=len(keys)))
    if isinstance(body, dict) and "spot" in body:
        some = st.dictionaries(st.sampled_from(list(RIVER)), JSON, max_size=2)
        body["spot"] = {**RIVER, **data.draw(some)}
        body.pop("iterations", None)
    answer = page.client.post(
        path, content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.json()["error"]
    elif path == "/api/jobs":
        page.client.delete(f"/api/jobs/{answer.json()['id']}")


@quick
@given(line=st.text(max_size=30), named=st.text(max_size=10))
def test_no_line_makes_the_server_fail(page: Page, line: str, named: str) -> None:
    job = next(iter(page.site.service.jobs), None) or page.solve(RIVER, iterations=10)["id"]
    for what in ("node", "hands", "runouts", "node.csv"):
        query = {"line": line, "class": named}
        assert page.client.get(f"/api/jobs/{job}/{what}", params=query).status_code < 500


def test_many_ask_while_solves_come_and_go(page: Page) -> None:
    job = page.post("/api/jobs", {"spot": WIDE, "target_percent": 0}, 201)["id"]
    page.until(job, lambda found: found["has_result"])
    statuses: set[int] = set()

    def ask(seed: int) -> None:
        chooser, mine = random.Random(seed), list[int]()
        while mine.count(200) < 15:
            line = chooser.choice(["", "c", "b200", "c c", "c c / 8h", "c c / 9d b200"])
            what = chooser.choice(["node", "hands", "runouts"])
            answer = page.client.get(f"/api/jobs/{job}/{what}", params={"line": line})
            mine.append(answer.status_code)
        statuses.update(mine)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        page.post(f"/api/jobs/{job}/stop")
        stopped = page.over(job)
        page.post(f"/api/jobs/{job}/resume", {"iterations": stopped["iteration"] + 10_000})
        page.until(job, lambda found: found["has_result"])
    for thread in threads:
        thread.join()
    assert 200 in statuses
    assert statuses <= {200, 409, 422}  # 422: run-outs of a line that deals no card
    page.client.delete(f"/api/jobs/{job}")


def test_a_fault_of_the_server_is_told(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(page.site.service, "list_jobs", fail)
    answer = page.client.get("/api/jobs")
    assert answer.status_code == 500
    assert answer.json()["error"] == "the server failed: RuntimeError"
