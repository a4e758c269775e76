"""Ranges and spots as the page edits them: text and chart, sizes, mistakes at their fields."""

import json
import tomllib
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.classes import class_names
from endspiel.cards.ranges import parse_range
from endspiel.games.spot import parse_spot
from endspiel.solving.spots import card_game
from endspiel.web.messages import RangeAsked, Refused, SpotText, decode
from endspiel.web.ranges import answer_range, read_weights
from endspiel.web.spots import read_spot, spot_text
from tests.solving.spots import FLOP, RIVER, TURN
from tests.web.conftest import Page

WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 1.0])
EDITS = st.dictionaries(st.sampled_from(class_names()), WEIGHTS, max_size=12)


@settings(max_examples=25, deadline=None)
@given(EDITS)
def test_an_edited_chart_reads_back_from_its_text(edits: dict[str, float]) -> None:
    answer = answer_range(RangeAsked(text="QQ+,AhKh:0.3", set=edits))
    again = answer_range(RangeAsked(text=answer.text))
    assert again == answer
    for name, weight in edits.items():
        assert answer.weights[class_names().index(name)] == weight


def test_a_range_counts_what_the_board_leaves() -> None:
    answer = answer_range(RangeAsked(text="AA,AhKh:0.5", board="Ah 7d 2c"))
    assert (answer.combos, answer.live) == (6.5, 3.0)
    assert answer.mixed == [1]
    assert answer.weights[1] == pytest.approx(0.5 / 4)


def test_an_empty_range_is_one() -> None:
    answer = answer_range(RangeAsked())
    assert (answer.text, answer.combos) == ("", 0.0)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (RangeAsked(text="AKx"), "text"),
        (RangeAsked(set={"AA": 2.0}), "set"),
        (RangeAsked(set={"ZZ": 1.0}), "set"),
        (RangeAsked(board="Ah Ah 2c"), "board"),
    ],
)
def test_a_range_is_refused_at_its_field(asked: RangeAsked, field: str) -> None:
    with pytest.raises(Refused) as refused:
        answer_range(asked)
    assert refused.value.problems[0].field == field


def test_combos_of_a_class(page: Page) -> None:
    hands = page.get("/api/range/combos", text="AKs:0.5,AhKh", **{"class": "AKs"})["hands"]
    assert {hand["hand"]: hand["weight"] for hand in hands} == {
        "AcKc": 0.5,
        "AdKd": 0.5,
        "AhKh": 1.0,
        "AsKs": 0.5,
    }


def text(**changes: Any) -> SpotText:
    return decode(json.dumps({**RIVER, **changes}).encode(), SpotText)


@pytest.mark.parametrize("content", [RIVER, TURN, FLOP])
def test_the_page_reads_spots_as_files_are_read(content: dict[str, Any]) -> None:
    spot = read_spot(decode(json.dumps(content).encode(), SpotText))
    assert spot == parse_spot(content)
    assert read_spot(spot_text(spot)) == spot


DONKS: list[dict[str, str]] = [{}, {"donk": ""}, {"donk": "33%"}]


def donk_spot(donk: dict[str, str]) -> dict[str, Any]:
    """A turn after which donk bets are the bets, none at all, or others."""
    return TURN | {"river": TURN["river"] | donk}


def test_no_donk_bets_are_not_the_bets(page: Page) -> None:
    sizes = [page.post("/api/spot/check", {"spot": donk_spot(donk)}) for donk in DONKS]
    as_bets, none, own = (size["decisions"] for size in sizes)
    assert none < as_bets == own


@pytest.mark.parametrize(
    "changes",
    [
        *({"river": TURN["river"] | donk} for donk in DONKS),
        {"max_raises": 0},
        {"river": {"bet": ["", "50%"], "raise": ["60%", ""]}},
        {"turn": {"bet": "", "raise": ""}},
        {"add_allin_threshold": 0.0, "merging_threshold": 0.5},
    ],
)
def test_an_empty_field_is_not_one_left_out(page: Page, changes: dict[str, Any]) -> None:
    """What is empty, zero or left out comes back as it was from every file that is written."""
    spot = TURN | changes
    job = page.solve(spot, iterations=1, threads=1)
    toml = page.client.get(f"/api/jobs/{job['id']}/spot.toml").text
    as_json = page.client.get(f"/api/jobs/{job['id']}/spot.json").text
    written = page.post("/api/spot/write", {"spot": spot})["text"]
    for name, data in (("a.toml", toml), ("a.json", as_json), ("b.toml", written)):
        answer = page.client.post(f"/api/spot/read?name={name}", content=data.encode())
        assert read_spot(msgspec.convert(answer.json()["spot"], SpotText)) == parse_spot(spot)


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({"board": "Qs Jh"}, ["board"]),
    ({"board": "Qs Qs 2h 4c 7d"}, ["board"]),
    ({"pot": 0}, ["pot"]),
    ({"stack": -5}, ["stack"]),
    ({"ranges": ["", "AA"]}, ["ranges.0"]),
    ({"ranges": ["AA", "QsQh,QsJh"]}, ["ranges.1"]),
    ({"ranges": ["AhKh", "AhKh"]}, ["ranges"]),
    ({"river": {"bet": "2x"}}, ["river.bet"]),
    ({"river": {"bet": "50%", "raise": "x"}}, ["river.raise"]),
    ({"river": {"bet": "50%", "donk": "?"}}, ["river.donk"]),
    ({"river": None}, ["river.bet"]),
    ({"max_raises": -1}, ["max_raises"]),
    ({"add_allin_threshold": -1, "pot": -1}, ["pot", "add_allin_threshold"]),
    ({"pot": 0, "ranges": ["xx", "yy"], "board": ""}, ["board", "pot", "ranges.0", "ranges.1"]),
]


@pytest.mark.parametrize(("changes", "fields"), BAD)
def test_every_mistake_is_told_at_its_field(
    page: Page, changes: dict[str, Any], fields: list[str]
) -> None:
    answer = page.post("/api/spot/check", {"spot": {**RIVER, **changes}}, 422)
    assert [problem["field"] for problem in answer["errors"]] == fields
    assert answer["field"] == fields[0]
    assert all(problem["error"] and "\n" not in problem["error"] for problem in answer["errors"])


@pytest.mark.parametrize(
    ("spot", "field", "words"),
    [
        ({**RIVER, "pot": ""}, "pot", "pot must be a whole number, not text"),
        ({**RIVER, "pot": None}, "pot", "pot must be a whole number, not empty"),
        ({**RIVER, "ranges": ["AA"]}, "ranges", ""),
        ({**RIVER, "ranges": ["AA", 7]}, "ranges.1", "must be text"),
        ({"board": "Qs Jh 2h"}, "pot", "pot is missing"),
        ({**RIVER, "ranges_file": "/etc/passwd"}, "", "ranges_file"),
    ],
)
def test_a_message_of_the_wrong_shape(
    page: Page, spot: dict[str, Any], field: str, words: str
) -> None:
    answer = page.post("/api/spot/check", {"spot": spot}, 422)
    assert words in answer["error"]
    assert answer["field"] in (field, "spot")


def test_sizes_are_those_of_the_game(page: Page) -> None:
    answer = page.post("/api/spot/check", {"spot": TURN, "threads": 1})
    game = card_game(parse_spot(TURN))
    counts = game.betting.counts(game.tree.num_boards)
    assert answer["decisions"] == counts.decisions
    assert answer["infosets"] == game.num_infosets
    assert answer["memory_bytes"] == game.memory(1)
    assert answer["boards"] == [1, 48]
    assert answer["fits"]
    assert answer["opening"] == [
        {"word": "c", "name": "check"},
        {"word": "b200", "name": "bet 200"},
    ]


def test_the_time_is_told_of_every_limit(page: Page) -> None:
    def seconds(spot: dict[str, Any] = TURN, **limits: Any) -> Any:
        return page.post("/api/spot/check", {"spot": spot, "threads": 1, **limits})["seconds"]

    assert 0 < seconds(target_percent=1) < seconds() == seconds(target_percent=0.1)
    assert seconds(RIVER) < seconds()
    assert seconds(iterations=200) == pytest.approx(2 * seconds(iterations=100))
    assert seconds(seconds=1e-9) == 1e-9
    assert seconds(target_percent=0) is None
    assert seconds(method="lp") is None
    body = {"spot": TURN, "target_percent": -1, "iterations": -1}
    refused = page.post("/api/spot/check", body, 422)
    assert [problem["field"] for problem in refused["errors"]] == ["target", "iterations"]


def test_a_spot_too_large_is_made_smaller_step_by_step(page: Page) -> None:
    menu = {"bet": "33%, 75%, 150%", "raise": "60%"}
    spot = TURN | {"turn": menu, "river": menu | {"bet": ["50%, 100%", "75%, a"]}, "stack": 4000}

    def size(spot: dict[str, Any]) -> int:
        asked = {"spot": spot, "storage": 32}
        return int(page.post("/api/spot/check", asked)["memory_bytes"])

    wanted = [
        ["no donk bets"],
        ["no donk bets", "at most 3 bets and raises a street"],
        ["no donk bets", "at most 2 bets and raises a street"],
        ["no donk bets", "at most 2 bets and raises a street", "one bet size on the river"],
    ]
    service, found = page.site.service, []
    most = size(spot) - 1
    try:
        for changes in wanted:
            service.memory = most
            answer = page.post("/api/spot/fit", {"spot": spot, "storage": 32})
            assert answer["changes"] == changes
            service.memory = None
            assert answer["size"]["memory_bytes"] == size(answer["spot"]) <= most
            most = answer["size"]["memory_bytes"] - 1
            found.append(answer["spot"])
        service.memory = 1000
        none = page.post("/api/spot/fit", {"spot": spot})
    finally:
        service.memory = None
    assert none == {"spot": None, "changes": [], "size": None}
    assert found[0]["river"]["donk"] == ""
    assert "donk" not in found[0]["turn"]
    assert [one.get("max_raises") for one in found] == [None, 3, 2, 2]
    assert found[3]["river"]["bet"] == ["50%", "75%"]
    assert found[3]["turn"]["bet"] == menu["bet"]
    refused = page.post("/api/spot/fit", {"spot": spot | {"pot": 0}}, 422)
    assert refused["field"] == "pot"


def test_a_spot_is_stored_in_16_bits_where_32_do_not_fit(page: Page) -> None:
    service = page.site.service

    def check(**more: Any) -> Any:
        return page.post("/api/spot/check", {"spot": TURN, **more})

    whole, half = check(), check(storage=16)
    assert (whole["storage"], half["storage"]) == (32, 16)
    assert half["memory_bytes"] < 0.8 * whole["memory_bytes"]
    service.memory = whole["memory_bytes"] - 1
    try:
        answer = check()
        assert (answer["fits"], answer["storage"]) == (True, 16)
        assert not check(storage=32)["fits"]
        job = page.solve(TURN, iterations=5)["id"]
        assert service.job(job).record.storage == 16
    finally:
        service.memory = None
    assert page.post("/api/spot/check", {"spot": TURN, "storage": 8}, 422)["field"] == "storage"
    refused = page.post("/api/spot/check", {"spot": RIVER, "method": "lp", "storage": 16}, 422)
    assert refused["field"] == "method"


def test_a_spot_too_large_says_so_before_it_is_solved(page: Page) -> None:
    page.site.service.memory = 1000
    try:
        answer = page.post("/api/spot/check", {"spot": TURN})
        assert not answer["fits"]
        assert "1e+03 bytes" in answer["why"] or "1 KB" in answer["why"]
        refused = page.post("/api/jobs", {"spot": TURN}, 422)
        assert refused["field"] == "spot"
    finally:
        page.site.service.memory = None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"method": "magic"}, "method"),
        ({"threads": 0}, "threads"),
        ({"locks": ["zz: c 1"]}, "locks"),
        ({"locks": [" = /etc/passwd"]}, "locks"),
        ({"locks": [": c 1"], "method": "lp"}, "method"),
    ],
)
def test_a_solve_is_refused_at_its_field(page: Page, body: dict[str, Any], field: str) -> None:
    assert page.post("/api/spot/check", {"spot": RIVER, **body}, 422)["field"] == field


def test_spot_files_come_and_go(page: Page) -> None:
    written = page.post("/api/spot/write", {"spot": TURN})
    assert written["name"] == "QsJh2h4c.toml"
    assert parse_spot(tomllib.loads(written["text"])) == parse_spot(TURN)
    for name, data in (("a.toml", written["text"]), ("b.json", json.dumps(TURN))):
        answer = page.client.post(f"/api/spot/read?name={name}", content=data.encode())
        assert read_spot(
            decode(json.dumps(answer.json()["spot"]).encode(), SpotText)
        ) == parse_spot(TURN)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.toml", b"board ="),
        ("a.json", b"[1]"),
        ("a.json", b"\xff\xfe"),
        ("a.exe", b""),
        ("a.json", b'{"ranges_file": "/etc/passwd"}'),
        ("a.txt", b"nonsense"),
        ("a.json", b"[" * 100_000),
    ],
)
def test_a_bad_file_is_refused(page: Page, name: str, data: bytes) -> None:
    answer = page.client.post(f"/api/spot/read?name={name}", content=data)
    assert answer.status_code == 422
    assert answer.json()["field"] == "file"


def test_presets_can_be_read(page: Page) -> None:
    presets = page.get("/api/about")["presets"]
    assert len(presets) > 5
    for preset in presets:
        weights = read_weights(preset["text"])
        assert np.all(weights <= 1)
        assert preset["name"] == "Nothing" or parse_range(preset["text"]).any()


def test_prizes_and_two_stacks_are_read_and_written(page: Page) -> None:
    prized = RIVER | {"stack": [900, 600], "prizes": [50, 30, 20], "others": [700]}
    size = page.post("/api/spot/check", {"spot": prized})
    assert size["fits"]
    written = page.post("/api/spot/write", {"spot": prized})
    read = page.client.post("/api/spot/read?name=x.toml", content=written["text"].encode())
    spot = read.json()["spot"]
    assert {key: spot[key] for key in ("stack", "prizes", "others")} == {
        "stack": [900, 600], "prizes": [50, 30, 20], "others": [700]
    }  # fmt: skip
    assert page.post("/api/spot/check", {"spot": RIVER | {"stack": [900, 600]}})["fits"]
    for wrong, field in (
        ({"prizes": [20, 50]}, "prizes"),
        ({"others": [5]}, "prizes"),
        ({"prizes": [50], "rake": "5%"}, "prizes"),
        ({"prizes": ["x"]}, "prizes"),
        ({"stack": [900, 0]}, "stack"),
        ({"stack": [900]}, "stack"),
    ):
        refused = page.post("/api/spot/check", {"spot": RIVER | wrong}, 422)
        assert refused["field"].partition(".")[0] == field, refused
    job = page.solve(prized, iterations=5)
    assert job["stack"] == 600
    node = page.get(f"/api/jobs/{job['id']}/node")
    assert node["kind"] == "decision"
