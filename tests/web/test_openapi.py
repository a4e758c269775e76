"""Every route is described, and what it answers is as described: checked by JSON Schema itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Mount, Route

from endspiel.web.openapi import OPERATIONS, document
from tests.solving.spots import RIVER, TURN
from tests.web.conftest import Page, open_page
from tests.web.reported import FLOPS, SPOT, report_json
from tests.web.test_hand_reviews import ASKED, HANDS

STREAM = ("GET", "/api/events")  # it never ends; its events are tested elsewhere


class Described:
    """A client whose every answer is compared with its description."""

    def __init__(self, page: Page) -> None:
        self.page, self.seen = page, set[tuple[str, str]]()
        self.content = json.loads(document())

    def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The answer to a request; `path` is as described, its names given with the rest."""
        names = {name: more.pop(name) for name in list(more) if f"{{{name}}}" in path}
        operation = self.content["paths"][path][method.lower()]
        asked: dict[str, Any] = {"params": more}
        if isinstance(body, bytes):
            asked["content"] = body
        elif body is not None:
            self.check(operation["requestBody"]["content"]["application/json"]["schema"], body)
            asked["json"] = body
        told = {parameter["name"] for parameter in operation.get("parameters", [])}
        assert {*names, *more} <= told
        answer = self.page.client.request(method, path.format(**names), **asked)
        ((status, good),) = [p for p in operation["responses"].items() if p[0] != "default"]
        assert answer.status_code == int(status), answer.text
        ((media, schema),) = good["content"].items()
        assert answer.headers["content-type"].partition(";")[0] == media
        self.seen.add((method, path))
        if "schema" not in schema:
            return answer.content
        self.check(schema["schema"], answer.json())
        return answer.json()

    def check(self, schema: Any, content: Any) -> None:
        """Refuse what is not as the schema says."""
        whole = schema | {"components": self.content["components"]}
        Draft202012Validator(whole).validate(content)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    for page in open_page(tmp_path_factory.mktemp("described")):
        yield Described(page)


def test_every_route_is_described(ask: Described) -> None:
    inner: Any = ask.page.site.app(frozenset({"127.0.0.1:1"}), "token").app
    routes = [route for route in inner.routes if not isinstance(route, Mount)]
    found = {
        (method, route.path)
        for route in routes
        if isinstance(route, Route) and route.path != "/"
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert found == set(OPERATIONS)


def test_every_answer_is_as_described(ask: Described, tmp_path: Path) -> None:
    assert ask("GET", "/openapi.json")["info"]["title"] == "Endspiel"
    _look_around(ask)
    job = ask("POST", "/api/jobs", {"spot": TURN, "iterations": 20})["id"]
    other = ask("POST", "/api/jobs", {"spot": RIVER, "iterations": 20})["id"]
    ask.page.over(other)
    _look_at(ask, job, other)
    _study(ask, job)
    _play(ask)
    _review(ask)
    ask("DELETE", "/api/jobs/{id}", id=other)
    assert ask.seen == set(OPERATIONS) - {STREAM}


def _look_around(ask: Described) -> None:
    ask("GET", "/api/about")
    papers = ask("GET", "/api/papers")["papers"]
    figure = next(figure["name"] for paper in papers for figure in paper["figures"])
    ask("GET", "/api/papers/figures/{name}", name=figure)
    ask("POST", "/api/range", {"text": "QQ+", "set": {"AKo": 0.5}})
    ask("GET", "/api/range/combos", **{"text": "AKs", "class": "AKs"})
    ask("POST", "/api/spot/check", {"spot": RIVER})
    ask("POST", "/api/spot/fit", {"spot": RIVER})
    ask("POST", "/api/spot/tree", {"spot": RIVER, "line": "c", "add": "33%"})
    written = ask("POST", "/api/spot/write", {"spot": RIVER})
    ask("POST", "/api/spot/read", written["text"].encode(), name=written["name"])
    ask("POST", "/api/equity", {"ranges": ["QQ", "AKs"], "board": "Qs Jh 2h"})
    kept = ask("POST", "/api/ranges", {"name": "mine", "text": "QQ"})["id"]
    ask("GET", "/api/ranges")
    ask("DELETE", "/api/ranges/{id}", id=kept)


def _look_at(ask: Described, job: str, other: str) -> None:
    one = "/api/jobs/{id}"
    ask("POST", f"{one}/rename", {"name": "a turn"}, id=job)
    ask("GET", "/api/jobs")
    ask("GET", one, id=job)
    for line in ("", "c", "c c", "c c / 8h", "b200 f"):
        ask("GET", f"{one}/node", id=job, line=line)
    ask("GET", f"{one}/hands", id=job, line="c", **{"class": "random"})
    ask("GET", f"{one}/hands", id=job, line="c", player="0")
    passing = {"made": "set,overpair", "draws": "open-ended", "suits": "hx", "holds": "K Js"}
    for file in ("node", "hands", "equity"):
        ask("GET", f"{one}/{file}", id=job, line="c", **passing)
    for player in ("", "0"):
        ask("GET", f"{one}/kinds", id=job, line="c", player=player)
    ask("GET", f"{one}/next", id=job, line="")
    ask("GET", f"{one}/runouts", id=job, line="c c")
    ask("GET", f"{one}/equity", id=job, line="c")
    ask("GET", f"{one}/blockers", id=job, line="c")
    first = ask("GET", f"{one}/node", id=job)["actions"][0]["word"]
    ask("POST", f"{one}/lock", {"line": "", "actions": {first: 1.0}}, id=job)
    for file in ("spot.toml", "spot.json", "node.csv", "node.json"):
        ask("GET", f"{one}/{file}", id=job)
    solution = ask("GET", f"{one}/solution.es", id=job)
    ask("POST", "/api/solutions", solution, name="again.es")
    ask("GET", "/api/compare", first=job, second=other)
    ask("GET", "/api/compare", first=job, second=job, line="c")
    ask("POST", f"{one}/resume", {"iterations": 1_000_000}, id=job)
    ask("POST", f"{one}/stop", id=job)
    ask.page.over(job)


def _study(ask: Described, job: str) -> None:
    report = ask("POST", "/api/reports", report_json(), name="five.json")["id"]
    push = {"stack": 6, "opens": "a", "max_raises": 1, "limp": False}
    ask("POST", "/api/preflop", push)
    ask("POST", "/api/preflop/run", push)
    ask.page.wait(lambda: ask("GET", "/api/preflop/run")["state"] == "done")
    ask("GET", "/api/preflop/run/charts")
    ask("DELETE", "/api/preflop/run")
    asked = {"spot": SPOT, "flops": "Ks 7h 2d, 9s 8s 7s", "target_percent": 50}
    ask("POST", "/api/reports/run", asked)
    ask("DELETE", "/api/reports/run")
    ask.page.wait(lambda: ask("GET", "/api/reports/run")["state"] != "running")
    ask("GET", "/api/reports")
    ask("GET", "/api/library")
    ask("POST", "/api/library", {"kind": "report", "id": report, "tags": ["mine"]})
    ask("GET", "/api/reports/{id}", id=report)
    ask("GET", "/api/reports/{id}/spot", id=report, board=FLOPS[0])
    question = ask("POST", "/api/train/question", {"job": job})["question"]
    answer = {"question": question["id"], "word": question["actions"][0]["word"]}
    ask("POST", "/api/train/answer", answer)
    hand = ask("POST", "/api/train/hands", {"job": job, "player": 0})
    ask("GET", "/api/train/hands/{id}", id=hand["id"])
    ask("POST", "/api/train/hands/{id}/act", {"word": hand["actions"][0]["word"]}, id=hand["id"])
    ask("GET", "/api/train")
    ask("DELETE", "/api/train")
    ask("DELETE", "/api/reports/{id}", id=report)


def _play(ask: Described) -> None:
    one = "/api/play/{id}"
    table = {"agent": "pot-odds", "seat": "button", "seed": 3}
    name = ask("POST", "/api/play", table)["id"]
    ask("GET", "/api/play")
    ask("GET", one, id=name)
    ask("POST", f"{one}/act", {"action": "fold"}, id=name)
    ask("GET", f"{one}/review", id=name)
    ask("GET", f"{one}/hands", id=name)
    ask("GET", f"{one}/hands/{{hand}}", id=name, hand="1")
    ask("POST", f"{one}/hands/{{hand}}/judge", id=name, hand="1")
    ask("GET", f"{one}/history.phhs", id=name)
    ask("GET", f"{one}/history.txt", id=name)
    ask("POST", f"{one}/deal", id=name)
    ask("DELETE", one, id=name)
    ask.seen.add(("GET", f"{one}/study"))  # it needs an endgame: asked for in test_play.py


def _review(ask: Described) -> None:
    one = "/api/reviews/{id}"
    name = ask("POST", "/api/reviews", HANDS, name="hands.txt")["id"]
    ask("GET", "/api/reviews")
    ask("POST", f"{one}/run", ASKED, id=name)
    ask.page.wait(lambda: ask("GET", "/api/reviews/run")["state"] == "done")
    ask("DELETE", "/api/reviews/run")
    ask("GET", one, id=name)
    ask("POST", f"{one}/study", {"decision": 0}, id=name)
    ask("DELETE", one, id=name)


def test_a_refusal_is_as_described(ask: Described) -> None:
    answer = ask.page.client.post("/api/spot/check", json={"spot": RIVER | {"pot": 0}})
    schema = ask.content["paths"]["/api/spot/check"]["post"]["responses"]["default"]
    ask.check(schema["content"]["application/json"]["schema"], answer.json())
    assert answer.status_code == 422
