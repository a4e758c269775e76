"""Tables: hands played to the end, legal all the way, told to nobody too early, saved as PHH."""

import random
import time
from pathlib import Path
from typing import Any

import pokerkit
import pytest

from endspiel.agent import Agent
from endspiel.agent.thoughts import Thought
from endspiel.arena.estimators.endgame_value import last_round_root
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State
from endspiel.web.messages import PlayAsked, Refused
from endspiel.web.reviews import Notes
from endspiel.web.spots import read_spot
from endspiel.web.store import ServerFolder
from endspiel.web.table import PlayTable
from endspiel.web.thinking import watch_endgames
from tests.children import PATIENCE
from tests.web.conftest import Page


def await_turn(page: Page, state: dict[str, Any]) -> dict[str, Any]:
    """The table once the agent has acted."""
    end = time.monotonic() + PATIENCE
    while state["turn"] == "agent":
        assert time.monotonic() < end, "the agent never acted"
        time.sleep(0.01)
        state = page.get(f"/api/play/{state['id']}")
    return state


def play_hand(page: Page, state: dict[str, Any], chooser: random.Random) -> dict[str, Any]:
    """Play a hand at random to its end."""
    while (state := await_turn(page, state))["turn"] == "you":
        assert state["agent_hole"] is None
        assert page.client.get(f"/api/play/{state['id']}/review").status_code in (200, 404)
        legal = state["legal"]
        body: dict[str, Any] = {"action": "call"}
        if legal["sizes"] and chooser.random() < 0.3:
            body = {"action": "raise", "to": chooser.choice(legal["sizes"][:3])["to"]}
        state = page.post(f"/api/play/{state['id']}/act", body)
    return state


@pytest.mark.parametrize("agent", ["pot-odds", "random", "always-call"])
def test_hands_are_played_to_the_end(page: Page, agent: str, tmp_path: Path) -> None:
    chooser = random.Random(3)
    state = page.post("/api/play", {"agent": agent, "seed": 8}, 201)
    name, total = f"/api/play/{state['id']}", 0
    for number in range(1, 6):
        assert (state["hand"], state["seat"]) == (number, number % 2)
        state = play_hand(page, state, chooser)
        total += state["result"]["won"]
        assert (state["hands"], state["total"]) == (number, total)
        assert len(state["agent_hole"]) == 2
        assert state["error"] == ""
        review = page.get(f"{name}/review", hand=number)
        assert review["agent_hole"] == state["agent_hole"]
        acted = [entry for entry in state["log"] if entry["who"] == "agent"]
        assert len(review["points"]) == len(acted)
        state = page.post(f"{name}/deal")
    page.post(f"{name}/deal", status=409)
    history = tmp_path / "hands.phhs"
    history.write_bytes(page.client.get(f"{name}/history.phhs").content)
    with history.open("rb") as file:
        hands = list(pokerkit.HandHistory.load_all(file))
    assert len(hands) == 5
    won = 0
    for hand in hands:
        end = list(hand)[-1]
        won += end.stacks[hand.players.index("You")] - 20000
    assert won == total
    assert page.client.delete(name).status_code == 200
    assert page.client.get(name).status_code == 404


def test_the_same_seed_deals_the_same(page: Page) -> None:
    body = {"agent": "always-call", "seed": 11, "seat": "button"}
    first, second = page.post("/api/play", body, 201), page.post("/api/play", body, 201)
    assert first["hole"] == second["hole"]
    assert first["seat"] == 1
    assert page.post("/api/play", {**body, "seat": "blind"}, 201)["seat"] == 0
    assert len(page.get("/api/play")["sessions"]) <= 8


def test_illegal_actions_are_refused(page: Page) -> None:
    state = page.post("/api/play", {"agent": "always-call", "seat": "button", "seed": 1}, 201)
    name = f"/api/play/{state['id']}/act"
    for body, field in (
        ({"action": "jump"}, "action"),
        ({"action": "raise"}, "to"),
        ({"action": "raise", "to": 101}, "to"),
        ({"action": "raise", "to": 99999}, "to"),
        ({"action": "raise", "to": -5}, "to"),
    ):
        assert page.post(name, body, 422)["field"] == field
    page.post(name, {"action": "call"})
    state = await_turn(page, page.get(f"/api/play/{state['id']}"))
    while state["turn"] == "you":
        if not state["legal"]["fold"]:
            assert page.post(name, {"action": "fold"}, 422)["field"] == "action"
        state = await_turn(page, page.post(name, {"action": "call"}))
    page.post(name, {"action": "call"}, 409)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"agent": "nobody"}, "agent"),
        ({"agent": "os:system"}, "agent"),
        ({"agent": "blueprint:/etc/passwd"}, "agent"),
        ({"agent": "acpc"}, "agent"),
        ({"agent": "pot-odds", "technique": "unsafe"}, "technique"),
        ({"agent": "blueprint", "technique": "unsafe,file=/etc/passwd"}, "technique"),
        ({"agent": "pot-odds", "clock": 0}, "clock"),
        ({"agent": "pot-odds", "stack": 5}, "stack"),
        ({"agent": "pot-odds", "blinds": [50, 100]}, "blinds"),
        ({"agent": "pot-odds", "seat": "roof"}, "seat"),
        ({"agent": "pot-odds", "seed": -1}, "seed"),
    ],
)
def test_tables_are_refused_at_their_field(page: Page, body: dict[str, Any], field: str) -> None:
    assert page.post("/api/play", body, 422)["field"] == field


def test_other_stakes(page: Page) -> None:
    state = page.post(
        "/api/play",
        {"agent": "always-call", "stack": 1000, "blinds": [10, 5], "seat": "button"},
        201,
    )
    assert (state["pot"], state["to_call"], state["legal"]["max_to"]) == (15, 5, 1000)
    assert state["legal"]["min_to"] == 20


class Failing(Agent):
    """An agent with a fault."""

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        raise ValueError("a fault")


class Telling(Agent):
    """Checks and calls, and tells why."""

    def begin(self, seed: int) -> None:
        self.told: list[Thought] = []

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        import numpy as np

        share = np.ones((1, NUM_HANDS))
        even = np.full(NUM_HANDS, 0.5)
        self.told.append(
            Thought(state.line, board, hand_index(*hole), "endgame test", "why", (CALL,), share,
                    even, even, 0, 0.1, 0.002)
        )  # fmt: skip
        return CALL

    @property
    def thoughts(self) -> list[Thought]:
        return self.told


def sit(agent: Agent, tmp_path: Path) -> PlayTable:
    asked = PlayAsked(agent="test", seat="button")
    return PlayTable(
        "a" * 12, asked, load_rules("nolimit-holdem"), agent, ServerFolder(tmp_path), 5
    )


def test_a_fault_of_the_agent_does_not_end_the_hand(tmp_path: Path) -> None:
    table = sit(Failing(), tmp_path)
    table.act("call", None)
    table.think()
    assert table.answer().turn == "you"
    assert "a fault" in table.answer().error


def test_thoughts_are_told_after_the_hand(tmp_path: Path) -> None:
    table = sit(Telling(), tmp_path)
    while table.answer().turn != "over":
        if table.agents_turn:
            table.think()
        else:
            table.act("call", None)
    point = table.review(None)["points"][0]
    assert point.endgame == {
        "source": "endgame test",
        "why": "why",
        "exploitability_percent": 0.2,
    }
    assert point.actions == ["check"]
    assert point.range[0] == point.believed[0] == 1.0
    assert (tmp_path / "play" / ("a" * 12 + ".phhs")).exists()


def test_a_range_follows_from_the_policy() -> None:
    from endspiel.agent import make_agent
    from endspiel.rules.acpc import parse_betting

    game = load_rules("nolimit-holdem")
    agent, notes = make_agent("pot-odds", game), Notes()
    hole = (51, 50)
    for line in ("r20000",):
        state = parse_betting(game, line)
        notes.add(agent, state, (hole, ()), (CALL, 0.0))
    later = notes.range_on(())
    assert 0 < later.sum() < NUM_HANDS  # only hands that call all-in are left
    assert later[hand_index(*hole)] == 1


@pytest.mark.parametrize("technique", ["unsafe", "maxmargin", "unsafe-lp"])
def test_an_agent_that_solves_tells_how_and_what(tmp_path: Path, technique: str) -> None:
    from endspiel.agent import make_agent
    from tests.blueprint_fixture import small_blueprint

    game = load_rules("nolimit-holdem")
    file = small_blueprint(tmp_path).path
    spec = f"blueprint+{technique},file={file},iterations=50,bound=100,hand=2000,move=1000"
    table = sit(make_agent(spec, game), tmp_path)
    seen: list[dict[str, Any]] = []
    watch_endgames(table.agent, seen.append)
    while True:
        while table.answer().turn != "over":
            if table.agents_turn:
                table.think()
            else:
                table.act("call", None)
        if table.state.round == 3:
            break
        table.deal()
    answer = table.answer()
    assert answer.error == ""
    points = table.review(None)["points"]
    river = [point for point in points if point.street == "river"]
    assert river
    for point in points:
        assert point.strategy is not None
        assert point.own is not None
        assert sum(point.own) == pytest.approx(1, abs=1e-3)
    assert answer.solves["as planned"] == sum(answer.solves.values()) >= len(river)
    assert answer.gaps["river"]["decisions"] == answer.solves["as planned"]
    assert not answer.fallbacks
    assert river[0].endgame["source"] == f"endgame {technique}"
    assert river[0].believed is not None
    assert river[0].study == (technique != "unsafe-lp")
    if river[0].study:
        spot = read_spot(table.study(table.number, river[0].line))
        root = last_round_root(game, table.state.line)
        assert root is not None
        assert (spot.board, spot.pot) == (table.cards.board, root.pot)
        assert spot.stack == 20000 - root.spent[0]
    with pytest.raises(Refused):
        table.study(table.number, "zz")
    if technique != "unsafe-lp":  # solved in one piece
        assert seen
        assert seen[-1]["iteration"] > 0
        assert seen[-1]["gap_percent"] < 100
