"""The hands of a table: the list, step by step, as text, judged, and how they went in all."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from endspiel.arena.protocol.room_text import SavedHand, history_text
from endspiel.review.played import PlayedHand
from endspiel.review.sources import read_hands, read_record
from endspiel.rules.acpc import parse_betting, view
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import deals
from endspiel.rules.log import Record
from endspiel.web.judging import YOU, HandJudge
from endspiel.web.opponents import LEVELS
from endspiel.web.play import make_game
from endspiel.web.table_hands import rate_of
from tests.web.conftest import Page
from tests.web.test_play import await_turn

LINES = ("f", "r300f", "cc/cc/cc/cc", "r300c/cr600c/r2000f", "r20000c///", "r300r900c/cc/r1500c/cc")


def record_of(line: str, number: int = 1, depth: int = 200, you: int = 1) -> Record:
    game = make_game("nolimit-holdem", 100 * depth, (100, 50))
    state, deal = parse_betting(game, line), next(deals(game, number))
    names = (YOU, "bot") if you == 0 else ("bot", YOU)
    return Record(view(state, deal, number), state.payoffs(deal), names)


def test_hands_as_text_are_read_back(tmp_path: Path) -> None:
    """By the reader of rooms' histories: the same chips, cards and actions."""
    records = [record_of(line, at) for at, line in enumerate(LINES, 1)]
    file = tmp_path / "hands.txt"
    file.write_text(history_text([SavedHand(one, 1.8e9) for one in records], "T", YOU))
    read = list(read_hands(file))
    assert len(read) == len(records)
    for record, found in zip(records, read, strict=True):
        assert isinstance(found, PlayedHand), found
        replayed = read_record(record, 1)
        assert isinstance(replayed, PlayedHand)
        own = replayed.players.index(YOU)
        assert found.players == replayed.players
        assert found.board == replayed.board
        assert found.holes[own] == replayed.holes[own]
        assert bool(found.holes[1 - own]) == record.shown.state.showdown
        assert [a.chips if a.chips < 0 else a.chips / 100 for a in found.actions] == [
            a.chips for a in replayed.actions
        ]
    text = file.read_text()
    assert "You: raises 200 to 300" in text
    assert "Uncalled bet (200) returned to You" in text
    assert "calls 19900 and is all-in" in text


def test_limit_hands_have_a_text() -> None:
    game = load_rules("limit-holdem")
    state, deal = parse_betting(game, "rc/rc/cc/cc"), next(deals(game, 3))
    record = Record(view(state, deal, 1), state.payoffs(deal), ("bot", YOU))
    text = history_text([SavedHand(record, 0.0)], "T", YOU)
    assert "Hold'em Limit (10/20)" in text
    assert "*** SHOW DOWN ***" in text


def test_the_rate_has_an_interval() -> None:
    game = load_rules("nolimit-holdem")
    assert rate_of(game, []).bb_per_100 is None
    one = record_of("f")
    assert (rate_of(game, [one]).bb_per_100, rate_of(game, [one]).half_width) == (-50, None)
    won = record_of("f", you=0)
    both = rate_of(game, [one, won])
    assert both.bb_per_100 == 0
    assert both.half_width == pytest.approx(12.706 * 50, rel=1e-4)  # Student, one degree


def test_a_judged_hand_says_what_each_decision_lost() -> None:
    judge = HandJudge()
    judge.settings = replace(judge.settings, target=0.05)
    try:
        folded = judge.judge(record_of("f", 31, depth=10))
        assert [one.street for one in folded.decisions] == ["preflop"] * len(folded.decisions)
        counted = [one.lost for one in folded.decisions if one.mistake]
        assert folded.lost == pytest.approx(sum(counted), abs=1e-4)
        odd = record_of("r500c/cr1000f", 5, depth=10)  # the charts never open so
        flop = judge.judge(odd)
        assert flop.state == "judged"
        assert flop.decisions[-1].street == "flop"
        assert all(one.mistake == (one.lost > max(0.01, one.error)) for one in flop.decisions)
        assert flop.lost == sum(one.lost for one in flop.decisions if one.mistake)
        assert "charts of 10 big blinds" in flop.decisions[-1].by
        assert "#/spot/open/" in flop.decisions[-1].link
        limit = load_rules("limit-holdem")
        state, deal = parse_betting(limit, "f"), next(deals(limit, 1))
        found = judge.judge(Record(view(state, deal, 1), state.payoffs(deal), ("bot", YOU)))
        assert "is not heads-up no-limit hold'em" in found.reasons[0]
    finally:
        judge.close()


def test_hands_are_listed_replayed_and_judged(page: Page) -> None:
    state = page.post(
        "/api/play", {"agent": "always-call", "stack": 1000, "seat": "button", "seed": 4}, 201
    )
    one = f"/api/play/{state['id']}"
    assert page.client.get(f"{one}/history.txt").status_code == 409
    assert state["rate"] == {"bb_per_100": None, "half_width": None}
    shoved = await_turn(page, page.post(f"{one}/act", {"action": "raise", "to": 1000}))
    assert shoved["turn"] == "over"
    page.post(f"{one}/deal")
    page.post(f"{one}/act", {"action": "fold"})
    fold, shove = page.get(f"{one}/hands")["hands"]
    assert (fold["hand"], fold["how"], fold["won"], fold["judged"]["state"]) == (
        2,
        "fold",
        -50,
        "unasked",
    )
    assert (shove["how"], len(shove["board"]), shove["line"]) == ("showdown", 5, "r1000c///")
    steps = page.get(f"{one}/hands/1")["steps"]
    assert [(s["street"], s["who"], s["text"], s["pot"], len(s["board"])) for s in steps[:4]] == [
        ("preflop", "dealer", "", 150, 0),
        ("preflop", "you", "raises to 1000", 1100, 0),
        ("preflop", "agent", "calls", 2000, 0),
        ("flop", "dealer", " ".join(shove["board"][:3]), 2000, 3),
    ]
    assert (steps[-1]["turn"], steps[-1]["board"]) == ("over", shove["board"])
    judged = page.post(f"{one}/hands/2/judge")
    assert judged["state"] == "waiting"
    end = time.monotonic() + 300
    while judged["state"] == "waiting":
        assert time.monotonic() < end
        time.sleep(0.05)
        judged = page.post(f"{one}/hands/2/judge")
    assert judged["state"] == "judged"
    own = page.get(one)["own"]
    assert (own["hands"], own["waiting"], own["decisions"]) == (1, 0, len(judged["decisions"]))
    assert own["lost"] == judged["lost"]
    text = page.client.get(f"{one}/history.txt")
    assert text.headers["content-type"].startswith("text/plain")
    assert text.text.count("PokerStars Hand #") == 2
    page.post(f"{one}/hands/9/judge", status=404)
    assert page.client.get(f"{one}/hands/x").status_code == 422


def test_opponents_are_offered_by_what_they_are(page: Page) -> None:
    agents = {agent["spec"]: agent for agent in page.get("/api/about")["agents"]}
    usual = [spec for spec, agent in agents.items() if agent["usual"]]
    assert usual == list(LEVELS)
    assert all("nolimit-holdem" in agents[spec]["games"] for spec in usual)
    assert agents["calls-too-much"]["games"] == ["nolimit-holdem"]
    state: dict[str, Any] = page.post(
        "/api/play", {"agent": "calls-too-much", "stack": 5000, "seat": "button", "seed": 2}, 201
    )
    state = await_turn(page, page.post(f"/api/play/{state['id']}/act", {"action": "call"}))
    assert state["error"] == ""
