"""The tree of a spot, node by node: sizes added and removed, and what each branch costs."""

from typing import Any

import pytest

from endspiel.games.spot import parse_spot
from tests.solving.spots import RIVER, TURN
from tests.web.conftest import Page

PATH = "/api/spot/tree"


def test_a_node_shows_its_actions_and_their_cost(page: Page) -> None:
    root = page.post(PATH, {"spot": TURN})
    assert (root["line"], root["kind"], root["player"], root["street"]) == (
        "",
        "decision",
        0,
        "turn",
    )
    assert root["pot"] == TURN["pot"]
    assert sum(action["share"] for action in root["actions"]) < 1
    whole = parse_spot(TURN).tree().counts().decisions
    assert sum(action["decisions"] for action in root["actions"]) == whole - 1
    below = page.post(PATH, {"spot": TURN, "line": "c c"})
    assert (below["kind"], below["least"], below["player"]) == ("deal", None, None)
    assert [step["name"] for step in below["path"]] == ["check", "check"]
    later = page.post(PATH, {"spot": TURN, "line": "c c /"})
    assert (later["street"], later["player"]) == ("river", 0)


def test_sizes_are_added_and_removed_and_the_size_follows(page: Page) -> None:
    before = page.post("/api/spot/check", {"spot": RIVER})["decisions"]
    words = [action["word"] for action in page.post(PATH, {"spot": RIVER, "line": "c"})["actions"]]
    bet = next(word for word in words if word[0] == "b")
    less = page.post(PATH, {"spot": RIVER, "line": "c", "remove": bet})
    assert less["edits"] == [f"c: -{bet[1:]}"]
    assert less["removed"] == [f"bet {bet[1:]}"]
    spot = RIVER | {"edits": less["edits"]}
    assert page.post("/api/spot/check", {"spot": spot})["decisions"] < before
    more = page.post(PATH, {"spot": spot, "line": "c", "add": "10%, 7c"})
    pot = RIVER["pot"]
    assert more["edits"] == [f"c: +7 +{pot // 10} -{bet[1:]}"]
    added = [action for action in more["actions"] if action["added"]]
    assert [action["percent"] for action in added] == pytest.approx([700 / pot, 10])
    back = page.post(
        PATH, {"spot": RIVER | {"edits": more["edits"]}, "line": "c", "add": f"{bet[1:]}c"}
    )
    assert back["edits"] == [f"c: +7 +{pot // 10}"]
    none = RIVER | {"edits": back["edits"]}
    for word in ("b7", f"b{pot // 10}"):
        none["edits"] = page.post(PATH, {"spot": none, "line": "c", "remove": word})["edits"]
    assert none["edits"] == []
    page.solve(spot, iterations=2)


def test_a_removed_bet_takes_the_edits_below_it_along(page: Page) -> None:
    spot = RIVER | {"edits": []}
    spot["edits"] = page.post(PATH, {"spot": spot, "add": "10%"})["edits"]
    word = f"b{RIVER['pot'] // 10}"
    spot["edits"] = page.post(PATH, {"spot": spot, "line": word, "add": "3x"})["edits"]
    assert len(spot["edits"]) == 2
    assert page.post(PATH, {"spot": spot, "remove": word})["edits"] == []


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        ({"line": "b3"}, "line", "no 'b3'"),
        ({"add": "50"}, "add", "50"),
        ({"add": "2x"}, "add", "2x"),
        ({"remove": "c"}, "remove", "is no bet or raise"),
        ({"line": "c c", "add": "50%"}, "line", "no player decides"),
        ({"spot": RIVER | {"edits": ["c: +1000000"]}}, "edits", "no bet of 1000000"),
        ({"spot": RIVER | {"lines": ["0 0"], "edits": []}}, "edits", "line by line"),
    ],
)
def test_what_cannot_be_edited_is_refused(
    page: Page, asked: dict[str, Any], field: str, words: str
) -> None:
    answer = page.client.post(PATH, json={"spot": RIVER} | asked)
    assert answer.status_code == 422, answer.text
    assert answer.json()["field"] == field, answer.text
    assert words in answer.json()["error"]


def test_an_edit_that_no_longer_fits_is_said_at_its_field(page: Page) -> None:
    answer = page.client.post("/api/spot/check", json={"spot": RIVER | {"edits": ["b3: +9"]}})
    assert (answer.status_code, answer.json()["field"]) == (422, "edits")
