"""Locks, files, and the cards that can come."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import endspiel as es
from endspiel.games.spot import parse_spot
from tests.web.browser.needs import RIVER, TARGET
from tests.web.browser.steps import (
    action_cells,
    expect,
    expect_done,
    expect_to_act,
    number,
    open_result,
)


def test_lock_a_node_and_solve_again(page: Any, server: Any, solved: str) -> None:
    open_result(page, server, solved)
    page.locator("tr[data-action=b100] a").click()
    expect_to_act(page, "IP")
    page.get_by_role("button", name="Lock", exact=True).click()
    # a player who folds too much: everything but the jacks
    page.get_by_role("group", name="All hands").get_by_role("button", name="Only").first.click()
    page.locator("[data-class=JJ]").click()
    page.get_by_label("JJ: call, percent").fill("100")
    page.get_by_label("JJ: call, percent").press("Enter")
    expect(page.locator("[data-class=JJ]")).to_have_attribute(
        "aria-label", "JJ: fold 0%, call 100%, raise to 340 0%"
    )
    page.get_by_role("button", name="Lock this node").click()
    said = "IP vs bet 100: fold 100%; JJ call 100%"
    expect(page.locator("[data-value=pending]")).to_have_text(f"Locked next: {said}")
    expect(page.locator(".locks li")).to_contain_text(said)
    expect(page.locator("[data-class=JJ]")).to_have_class(re.compile("pending"))
    expect(page.locator("[data-class=JJ]")).to_have_attribute(  # as it will be
        "aria-label", "JJ: fold 0%, call 100%, raise to 340 0%"
    )
    page.get_by_role("button", name="Re-solve with 1 lock").click()
    expect(page).to_have_url(re.compile(rf"#/result/(?!{solved}).*/b100$"))
    expect_done(page)
    expect_to_act(page, "IP")  # at the node that was locked
    expect(page.locator(".locks li")).to_contain_text(said)
    page.get_by_role("navigation", name="Way to this node").get_by_text("Bet 100").click()
    expect_to_act(page, "OOP")

    options = es.SpotOptions(locks=("b100: random f 1, JJ c 1",))
    truth = es.solve(parse_spot(RIVER), target=float(TARGET) / 100, options=options)
    for word, frequency in truth.view("").summary()["actions"].items():
        assert action_cells(page, word)[0] == pytest.approx(100 * frequency, abs=0.051)
    page.locator("tr[data-action=b100] a").click()
    expect(page.get_by_text("Locked", exact=True)).to_be_visible()


def test_shares_of_all_hands_are_reached_or_the_page_says_why(
    page: Any, server: Any, solved: str
) -> None:
    page.goto(f"{server.home}#/result/{solved}/b100")
    expect_done(page)
    page.get_by_role("button", name="Lock", exact=True).click()
    folds = page.get_by_label("All hands: fold, percent")
    folds.fill("60")
    folds.press("Enter")
    page.get_by_role("button", name="All together").click()
    page.get_by_role("button", name="Lock this node").click()
    asked = page.locator("[data-value=pending]").inner_text()
    assert asked.startswith("Locked next: IP vs bet 100: fold 60%, call ")
    assert asked.endswith(" in all")
    page.get_by_role("button", name="Re-solve with 1 lock").click()
    expect(page).to_have_url(re.compile(rf"#/result/(?!{solved}).*/b100$"))
    expect_done(page)
    off = [abs(action_cells(page, "f")[0] - 60)]
    why = page.locator("[data-value=fitted]")
    expect(why).to_contain_text("Asked: fold 60%")
    expect(why).to_contain_text(f"Got: fold {action_cells(page, 'f')[0]:g}%")
    assert off[0] > 0.05

    page.get_by_role("button", name="Fit to the play as it is now").click()
    once = page.url.split("/")[-2]
    page.get_by_role("button", name="Re-solve with 1 lock").click()
    expect(page).to_have_url(re.compile(rf"#/result/(?!{once}).*/b100$"))
    expect_done(page)
    expect_to_act(page, "IP")
    expect(page.locator("[data-value=pending]")).to_have_count(0)
    off.append(abs(action_cells(page, "f")[0] - 60))
    assert off[1] < off[0]


def test_a_lock_that_comes_late_keeps_what_was_typed_since(
    page: Any, server: Any, solved: str
) -> None:
    open_result(page, server, solved)
    page.get_by_role("button", name="Lock", exact=True).click()
    late: list[Any] = []
    page.route("**/lock", lambda route: late.append(route))
    with page.expect_request("**/lock"):
        page.get_by_role("button", name="Lock this node as solved").click()
    page.locator("tr[data-action=b100] a").click()
    expect_to_act(page, "IP")
    folded = page.get_by_label("All hands: fold, percent")
    folded.fill("70")
    folded.press("Enter")
    (route,) = late
    route.continue_()
    expect(page.get_by_role("button", name="Re-solve with 1 lock")).to_be_visible()
    expect(folded).to_have_value("70.0")


def test_a_solve_with_locks_that_is_late_leaves_another_ones_locks(
    page: Any, server: Any, solved: str
) -> None:
    other = str(server.ask("/api/jobs", {"spot": RIVER, "target_percent": 5.0})["id"])
    open_result(page, server, solved)
    page.get_by_role("button", name="Lock", exact=True).click()
    page.get_by_role("button", name="Lock this node as solved").click()
    late: list[Any] = []
    page.route("**/api/jobs", lambda route: late.append(route))
    with page.expect_request("**/api/jobs"):
        page.get_by_role("button", name="Re-solve with 1 lock").click()
    open_result(page, server, other)
    page.get_by_role("button", name="Lock this node as solved").click()
    again = page.get_by_role("button", name="Re-solve with 1 lock")
    expect(again).to_be_visible()
    (route,) = late
    route.continue_()
    page.wait_for_function(f"() => !localStorage.getItem('endspiel.locks.{solved}')")  # answered
    expect(again).to_be_visible()
    expect(page).to_have_url(re.compile(rf"#/result/{other}"))


def test_save_and_load_a_solution(page: Any, server: Any, solved: str, tmp_path: Path) -> None:
    open_result(page, server, solved)
    shown = [action_cells(page, word) for word in ("c", "b100", "b200")]
    page.get_by_role("button", name="Files").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Everything, to open again").click()
    saved = tmp_path / "river.es"
    waiting.value.save_as(saved)
    page.get_by_role("link", name="Solve", exact=True).click()
    page.locator("input[type=file]").set_input_files(saved)
    expect(page).to_have_url(re.compile(rf"#/result/(?!{solved})"))
    expect_done(page)
    assert [action_cells(page, word) for word in ("c", "b100", "b200")] == shown


def test_a_file_of_every_node_says_how_large_it_is(page: Any, server: Any, solved: str) -> None:
    open_result(page, server, solved)
    page.get_by_role("button", name="Files").click()
    size = server.ask("/api/spot/check", {"spot": RIVER})["infosets"]
    said = page.locator("[data-value=rows]").inner_text()
    assert said.startswith(f"{size:,} hands in all nodes: about ")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="All hands of all nodes (.csv)").click()
    found = Path(waiting.value.path()).stat().st_size
    told = float(re.findall(r"about ([\d.]+) kB", said)[0]) * 1000
    assert 0.5 < told / found < 2


def test_download_a_node(page: Any, server: Any, solved: str, tmp_path: Path) -> None:
    open_result(page, server, solved)
    page.get_by_role("button", name="Files").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="All hands as a table (.csv)").click()
    with Path(waiting.value.path()).open() as lines:
        rows = list(csv.DictReader(lines))
    with page.expect_download() as waiting:
        page.get_by_role("link", name="All hands (.json)").click()
    content = json.loads(Path(waiting.value.path()).read_text())
    assert len(rows) == len(content["hands"]) > 30
    assert {row["hand"] for row in rows} == {hand["hand"] for hand in content["hands"]}


def test_every_river_card(page: Any, server: Any) -> None:
    turn = {"bet": "75%"}
    spot = RIVER | {"board": "Qs Jh 2h 4c", "turn": turn, "river": turn}
    job = server.ask("/api/jobs", {"spot": spot, "target_percent": 1})["id"]
    open_result(page, server, job)
    page.locator("tr[data-action=c] a").click()
    expect_to_act(page, "IP")
    page.locator("tr[data-action=c] a").click()
    expect(page.get_by_text("River cards")).to_be_visible()
    cards = page.locator(".runouts .deck button:enabled")
    expect(cards).to_have_count(48)
    shown = number(page.locator(".deck [data-card='8h'] small").inner_text())
    page.locator(".deck [data-card='8h']").click()
    expect_to_act(page, "OOP")
    assert "/%208h" in page.url.replace("%2F", "/")
    ev = number(page.locator("tr[data-player='0'] [data-part=ev]").inner_text())
    assert shown == pytest.approx(ev, abs=0.51)
