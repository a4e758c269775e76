"""Uploaded hands: read in every format of the command, reviewed with stated ranges, studied."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.review.test_review import RANGES
from tests.web.conftest import Page, open_page

DATA = Path(__file__).parents[1] / "data"
HANDS = (DATA / "hands" / "heads-up.txt").read_bytes()
SINGLE = "single-raised pot"
ASKED: dict[str, Any] = {
    "begins": "river",
    "pots": {SINGLE: list(RANGES)},
    "bet": "50%",
    "raise": "a",
    "target_percent": 0.1,
}
PHH = b"""variant = "NT"
antes = [0, 0]
blinds_or_straddles = [100, 200]
starting_stacks = [10000, 10000]
min_bet = 200
actions = ["d dh p1 AhKd", "d dh p2 7c6c", "p1 cbr 500", "p2 cc", "d db Kc7d2s", "p1 cc", "p2 cc"]
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from open_page(tmp_path_factory.mktemp("reviewed"))


def upload(page: Page, data: bytes, name: str = "hands.txt", status: int = 201) -> Any:
    answer = page.client.post("/api/reviews", params={"name": name}, content=data)
    assert answer.status_code == status, answer.text
    return answer.json()


def reviewed(page: Page, name: str, asked: dict[str, Any]) -> Any:
    page.post(f"/api/reviews/{name}/run", asked, 201)
    page.wait(lambda: page.get("/api/reviews/run")["state"] != "running")
    run = page.get("/api/reviews/run")
    assert (run["state"], run["error"]) == ("done", "")
    return page.get(f"/api/reviews/{name}")["result"]


def test_hands_are_read_and_what_would_be_assumed_is_said(served: Page) -> None:
    found = upload(served, HANDS)
    assert (found["name"], found["hands"], found["result"]) == ("hands.txt", 3, None)
    assert found["players"][0] == {"name": "Ann B", "hands": 3, "known": 3}
    (pot,) = found["pots"]
    assert pot["pot"] == SINGLE
    assert all(pot["ranges"])
    assert found["num_unread"] == len(found["unread"]) > 0


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("hands/ggpoker.txt", "a.txt"),
        ("hands/888poker.txt", "b.txt"),
        ("hands/winamax.txt", "c.txt"),
        ("acpc/dealer-nolimit-seed42.log", "d.log"),
    ],
)
def test_every_format_is_read(served: Page, file: str, name: str) -> None:
    assert upload(served, (DATA / file).read_bytes(), name)["hands"] > 0


@pytest.mark.parametrize("name", ["hand.phh", "pasted hands"])
def test_phh_is_read_by_its_name_or_its_text(served: Page, name: str) -> None:
    assert upload(served, PHH, name)["hands"] == 1


def test_what_is_no_history_is_refused_in_one_sentence(served: Page) -> None:
    for data, words in (
        (b"", "hands.txt is empty"),
        (b"nothing of the kind", "hands.txt is neither a history of"),
        (HANDS[HANDS.index(b"PokerStars Hand #1005") :], "hands.txt has no hand that can be"),
        (b"\x81\x8d\x8f", "hands.txt is not text"),
    ):
        refused = upload(served, data, status=422)
        assert refused["error"].startswith(words), refused
        assert str(served.site.reviews.reviews.folder) not in refused["error"]
    with served.client.stream(
        "POST", "/api/reviews", headers={"Content-Length": "20000001"}, content=b""
    ) as answer:
        assert answer.status_code == 413


def test_a_review_lists_mistakes_alone_and_says_what_it_assumed(served: Page) -> None:
    name = upload(served, HANDS)["id"]
    result = reviewed(served, name, ASKED)
    assert result["assumed"]["pots"] == ASKED["pots"]
    mistakes = [one for one in result["decisions"] if one["mistake"]]
    assert 0 < len(mistakes) < len(result["decisions"])
    assert all(one["big_blinds"] > max(0.01, one["error"]) for one in mistakes)
    (worst,) = (one for one in mistakes if one["big_blinds"] > 10)
    assert (worst["cards"], worst["taken"], worst["best"]) == ("7c6c", "call", "fold")
    (street,) = result["streets"]
    assert (street["name"], street["mistakes"]) == ("river", len(mistakes))
    assert street["big_blinds"] == pytest.approx(sum(one["big_blinds"] for one in mistakes))
    assert sum(total["decisions"] for total in result["kinds"]) == len(result["decisions"])
    assert result["early"] == 1
    assert any("is not in the range stated" in reason for reason in result["reasons"])
    entry = next(one for one in served.get("/api/reviews")["reviews"] if one["id"] == name)
    assert entry["decisions"] == len(result["decisions"])


def test_ranges_change_the_verdict_and_a_player_can_be_chosen(served: Page) -> None:
    name = upload(served, HANDS)["id"]
    first, second = RANGES
    calls = reviewed(served, name, ASKED | {"pots": {SINGLE: [first, "65s,A5s"]}})
    (call,) = (one for one in calls["decisions"] if one["taken"] == "call")
    assert (call["cards"], call["best"], call["mistake"]) == ("7c6c", "call", False)
    ann = reviewed(served, name, ASKED | {"player": "Ann B", "pots": {SINGLE: [first, second]}})
    assert {one["player"] for one in ann["decisions"]} == {"Ann B"}


def test_a_decision_opens_its_study_at_its_node(served: Page) -> None:
    name = upload(served, HANDS)["id"]
    result = reviewed(served, name, ASKED)
    at = max(n for n, one in enumerate(result["decisions"]) if one["cards"] == "7c6c")
    found = served.post(f"/api/reviews/{name}/study", {"decision": at})
    job = served.over(found["job"])
    assert (job["state"], job["name"]) == ("done", "Hand 1001")
    assert job["big_blind"] == 100
    node = served.get(f"/api/jobs/{job['id']}/node", line=found["line"])
    assert [action["word"] for action in node["actions"]] == ["f", "c"]
    again = served.post(f"/api/reviews/{name}/study", {"decision": at})
    assert again["job"] == job["id"]  # not solved twice
    answer = served.client.post(f"/api/reviews/{name}/study", json={"decision": 999})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        ({"pots": {SINGLE: ["AA", "AKx"]}}, f"pots.{SINGLE}.1", "'AKx'"),
        ({"pots": {SINGLE: ["", "AA"]}}, f"pots.{SINGLE}.0", "the range has no hand"),
        ({"pots": {"big pot": ["AA", "KK"]}}, "pots", "is no kind of pot"),
        ({"bet": "50"}, "bet", "50"),
        ({"target_percent": 0}, "target", "over 0"),
        ({"player": "Zoe"}, "player", "is in none of these hands"),
        ({"begins": "showdown"}, "begins", "showdown"),
    ],
)
def test_what_cannot_be_assumed_is_refused_at_its_field(
    served: Page, asked: dict[str, Any], field: str, words: str
) -> None:
    name = upload(served, HANDS)["id"]
    answer = served.client.post(f"/api/reviews/{name}/run", json=asked)
    assert answer.status_code == 422
    assert (answer.json()["field"], words in answer.json()["error"]) == (field, True), answer.text


def test_reviews_survive_the_server_and_are_deleted_with_their_hands(tmp_path: Path) -> None:
    for page in open_page(tmp_path):
        name = upload(page, HANDS)["id"]
        reviewed(page, name, ASKED)
    for page in open_page(tmp_path):
        assert page.get(f"/api/reviews/{name}")["result"]["decisions"]
        assert page.client.delete(f"/api/reviews/{name}").status_code == 200
        assert page.get("/api/reviews")["reviews"] == []
        assert not list((tmp_path / "reviews").iterdir())


def test_a_review_is_stopped_with_what_is_judged(served: Page) -> None:
    name = upload(served, HANDS)["id"]
    whole = {SINGLE: ["random", "random"]}
    slow = {"begins": "flop", "pots": whole, "bet": "33%, 75%", "raise": "60%"}
    served.post(f"/api/reviews/{name}/run", slow | {"target_percent": 0.001}, 201)
    answer = served.client.delete(f"/api/reviews/{name}")
    assert (answer.status_code, "is being reviewed" in answer.json()["error"]) == (409, True)
    assert served.client.post(f"/api/reviews/{name}/run", json=slow).status_code == 409
    served.client.delete("/api/reviews/run")
    served.wait(lambda: served.get("/api/reviews/run")["state"] != "running")
    assert served.get("/api/reviews/run")["state"] == "stopped"
    assert served.get(f"/api/reviews/{name}")["result"]["finished"] is False
