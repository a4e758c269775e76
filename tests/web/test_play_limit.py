"""Limit hold'em at the page's table: its own bets, strategies that the server was given."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from endspiel.arena.protocol.phh import read_phh
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules
from endspiel.web.messages import SpotText
from endspiel.web.opponents import Opponents
from endspiel.web.spots import read_spot
from tests.blueprint_fixture import small_blueprint
from tests.web.conftest import Page, open_page
from tests.web.test_play import await_turn

LIMIT = {"game": "limit-holdem", "blinds": [10, 5]}


@pytest.fixture(scope="module")
def strategy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_blueprint(tmp_path_factory.getbasetemp(), limit=True).path


@pytest.fixture(scope="module")
def page(strategy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from open_page(tmp_path_factory.mktemp("limit"), [strategy])


def test_strategies_are_offered_for_the_game_they_are_of(page: Page) -> None:
    agents = {agent["spec"]: agent for agent in page.get("/api/about")["agents"]}
    given = agents["file:limit"]
    assert (given["title"], given["games"]) == ("limit", ["limit-holdem"])
    assert given["techniques"] == agents["blueprint"]["techniques"]
    assert "nolimit-holdem" in agents["blueprint"]["games"]
    assert agents["pot-odds"]["games"] == ["nolimit-holdem", "limit-holdem"]


def test_bets_are_those_of_the_street_and_no_others(page: Page, tmp_path: Path) -> None:
    """Raised whenever that is allowed, against a caller: small bets, big bets, the caps."""
    body = {"agent": "always-call", "seat": "button", "seed": 1, **LIMIT}
    state = page.post("/api/play", body, 201)
    assert (state["game"], state["stack"], state["pot"]) == ("limit-holdem", None, 15)
    name, levels = f"/api/play/{state['id']}", []
    assert page.post(f"{name}/act", {"action": "raise", "to": 30}, 422)["field"] == "to"
    while (state := await_turn(page, state))["turn"] == "you":
        legal = state["legal"]
        assert legal["min_to"] == legal["max_to"] == legal["sizes"][0]["to"]
        assert [size["name"] for size in legal["sizes"]] == ["limit"]
        levels.append(legal["min_to"])
        state = page.post(f"{name}/act", {"action": "raise", "to": legal["min_to"]})
    assert levels == [20, 30, 50, 70]  # one bet a street: the caller never raises
    assert abs(state["result"]["won"]) in (0, 70)
    history = tmp_path / "hands.phhs"
    history.write_bytes(page.client.get(f"{name}/history.phhs").content)
    (record,) = read_phh(load_rules("limit-holdem"), history)
    assert record.shown.state.line == "rc/crc/crc/crc"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"agent": "file:limit"}, "agent"),  # at no limit
        ({"agent": "file:other", **LIMIT}, "agent"),
        ({"agent": "pot-odds", "game": "omaha"}, "game"),
        ({"agent": "file:limit", "game": "limit-holdem", "blinds": [10, 2]}, "agent"),
        ({"agent": "pot-odds", "game": "limit-holdem", "blinds": [10**9, 5]}, "blinds"),
    ],
)
def test_other_tables_are_refused(page: Page, body: dict[str, Any], field: str) -> None:
    assert page.post("/api/play", body, 422)["field"] == field


def test_an_agent_of_another_game_is_told_so(page: Page) -> None:
    refused = page.post("/api/play", {"agent": "file:limit"}, 422)
    assert "file:limit does not play nolimit-holdem, but limit-holdem" in str(refused)


def test_a_river_that_was_solved_opens_as_the_limit_game_it_was(page: Page) -> None:
    body = {"agent": "file:limit", "technique": "unsafe", "clock": 100, "seat": "blind", **LIMIT}
    state = page.post("/api/play", {**body, "seed": 3}, 201)
    name, points = f"/api/play/{state['id']}", []
    while not points:
        while (state := await_turn(page, state))["turn"] == "you":
            state = page.post(f"{name}/act", {"action": "call"})
        assert state["error"] == ""
        points = [p for p in page.get(f"{name}/review")["points"] if p["study"]]
        if not points:
            state = page.post(f"{name}/deal")
    found = page.get(f"{name}/study", hand=state["hand"], line=points[0]["line"])["spot"]
    assert (found["river"]["bet"], found["max_raises"], found["stack"]) == ("20c", 4, 80)
    words = [read_spot_words(found, line) for line in ("", "b20", "b20 r40 r60 r80")]
    assert words == [["c", "b20"], ["f", "c", "r40"], ["f", "c"]]


def read_spot_words(text: dict[str, Any], line: str) -> list[str]:
    tree = read_spot(msgspec.convert(text, SpotText)).tree()
    return tree.words(tree.find(line))


def test_names_of_strategies_are_told_apart(strategy: Path, tmp_path: Path) -> None:
    with pytest.raises(EndspielError, match="two strategies are called limit"):
        Opponents([strategy, tmp_path / "limit.blueprint"])
    with pytest.raises(EndspielError, match="has a comma in its name"):
        Opponents([tmp_path / "a,b.blueprint"])
    with pytest.raises(EndspielError, match="there is no strategy file"):
        Opponents([tmp_path / "none.blueprint"])
