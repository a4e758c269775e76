"""Reports, comparisons, kept ranges, graphs, blockers, locks by frequency and CSV, in a browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import endspiel as es
from endspiel.review.links import page_link
from tests.web.browser.needs import RIVER, need
from tests.web.browser.steps import (
    action_cells,
    choose_report,
    expect,
    expect_done,
    number,
    open_making,
    open_result,
    saved_rows,
)
from tests.web.reported import FLOPS, SPOT, report_json, rows

need()


def saved_table(page: Any, place: Any) -> list[dict[str, str]]:
    """The rows of the CSV file that a table's button offers."""
    return saved_rows(page, place.get_by_role("button", name="CSV"))


def test_a_report_is_started_here(page: Any, server: Any) -> None:
    page.goto(f"{server.home}{page_link(SPOT)}")
    expect(page.get_by_label("Board", exact=True)).to_have_value(SPOT["board"])
    make = open_making(page, server)
    make.get_by_label("Flops").select_option("list")
    typed = make.get_by_label("Flops, with weights or without")
    typed.fill("Ks 7h")
    make.get_by_role("button", name="Make report").click()
    expect(make.get_by_role("alert")).to_contain_text("a flop has three cards")
    typed.fill("Ks 7h 2d, 9s 8s 7s")
    make.get_by_label("Target, % of pot").fill("20")
    make.get_by_role("button", name="Make report").click()
    expect(page.locator("tr[data-board]")).to_have_count(2)
    expect(page.get_by_role("heading", name="2 flops")).to_be_visible()


def test_a_late_answer_does_not_begin_a_report_again(page: Any, server: Any) -> None:
    page.goto(f"{server.home}{page_link(SPOT)}")
    expect(page.get_by_label("Board", exact=True)).to_have_value(SPOT["board"])
    make = open_making(page, server)
    make.get_by_label("Flops").select_option("list")
    make.get_by_label("Flops, with weights or without").fill("Ks 7h 2d")
    make.get_by_label("Target, % of pot").fill("20")
    late: list[tuple[Any, Any]] = []
    run = "**/api/reports/run"
    page.route(
        run,
        lambda route: (
            late.append((route, route.fetch()))
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    make.get_by_role("button", name="Make report").click()
    expect(page.get_by_role("heading", name="1 flops")).to_be_visible()  # the events came first
    ((route, answer),) = late
    with page.expect_event("requestfinished", lambda request: request.method == "POST"):
        route.fulfill(response=answer)
    page.evaluate("() => new Promise((done) => setTimeout(done))")  # the page has read it
    expect(page.get_by_label("Report in the making")).to_have_count(0)


def test_a_report_is_sorted_filtered_drawn_and_studied(
    page: Any, server: Any, tmp_path: Path
) -> None:
    file = tmp_path / "five flops.json"
    content = json.loads(report_json())
    content["stack"] = content["spot"]["stack"] = SPOT["stack"] + 1  # a spot that nobody solves
    file.write_text(json.dumps(content))
    choose_report(page, server, file)
    boards = page.locator("tr[data-board]")
    expect(boards).to_have_count(5)
    page.get_by_role("button", name="EV OOP").click()
    shown = [row.get_attribute("data-board") for row in boards.all()]
    assert shown == [row["board"] for row in sorted(rows(), key=lambda row: -row["evs"][0])]
    page.get_by_role("button", name="EV OOP").click()
    expect(boards.first).to_have_attribute("data-board", shown[-1] or "")

    page.get_by_role("button", name="Flop", exact=True).click()  # from ace high to low
    ranked = sorted(shown, key=lambda board: ["AKQJT98765432".index(c[0]) for c in board.split()])
    assert [row.get_attribute("data-board") for row in boards.all()] == ranked != sorted(shown)
    page.get_by_role("button", name="EV OOP").click()
    page.get_by_role("button", name="EV OOP").click()

    expect(page.locator("circle.point")).to_have_count(5)
    expect(page.locator("g[data-group=monotone] rect")).to_have_count(2)
    for title, kind, left in (
        ("Suits", "monotone", ["9s 8s 7s"]),
        ("Pairs", "paired", ["Ts Th 4d"]),
        ("High card", "A", ["As 9s 3d"]),
    ):
        page.get_by_label(title, exact=True).select_option(kind)
        expect(boards).to_have_count(1)
        expect(boards.first).to_have_attribute("data-board", left[0])
        expect(page.get_by_text("1 of 5 boards")).to_be_visible()
        page.get_by_label(title, exact=True).select_option("")
    table = saved_table(page, page.get_by_label("Boards", exact=True))
    assert [row["Flop"] for row in table[1:]] == shown[::-1]
    mean = sum(row["weight"] * row["evs"][0] for row in rows()) / 15
    assert float(table[0]["EV OOP"]) == pytest.approx(mean)

    page.locator(f"circle[data-point='{FLOPS[2]}']").click()
    expect(page.get_by_label("Board", exact=True)).to_have_value(FLOPS[2])
    expect(page.locator("#range-1-text")).to_have_value(re.compile("AQs"))


def test_locks_are_undone_set_by_frequency_and_compared(
    page: Any, server: Any, solved: str
) -> None:
    open_result(page, server, solved)
    page.get_by_role("button", name="Lock", exact=True).click()
    page.get_by_role("button", name="Lock this node as solved").click()
    expect(page.get_by_role("button", name="Re-solve with 1 lock")).to_be_visible()
    page.locator("tr[data-action=b100] a").click()
    expect(page.get_by_role("navigation", name="Way to this node")).to_contain_text("IP to act")
    page.get_by_label("All hands: fold, percent").fill("70")
    page.get_by_label("All hands: fold, percent").press("Enter")
    page.get_by_role("button", name="All together").click()
    page.get_by_role("button", name="Lock this node").click()
    expect(page.get_by_role("button", name="Re-solve with 2 locks")).to_be_visible()
    page.get_by_role("button", name="Remove").first.click()
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_role("button", name=re.compile("Re-solve"))).to_have_count(0)
    for left in ("1 lock", "2 locks"):
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("button", name=f"Re-solve with {left}")).to_be_visible()
    page.get_by_role("button", name="Remove").first.click()  # the first node's
    page.get_by_role("button", name="Re-solve with 1 lock").click()
    expect(page).to_have_url(re.compile(rf"#/result/(?!{solved})"))
    expect_done(page)
    expect(page).to_have_url(re.compile(r"/b100$"))  # the node that was locked
    locked = page.url.split("/")[-2]
    folds = server.ask(f"/api/jobs/{solved}/node?line=b100")["actions"][0]["frequency"]

    page.get_by_role("link", name="Compare", exact=True).last.click()
    expect(page).to_have_url(re.compile(rf"#/compare/{solved}\+{locked}/b100"))
    row = page.locator("tr[data-action=f] td")
    expect(row.nth(2)).to_be_visible()
    assert number(row.nth(1).inner_text()) == pytest.approx(100 * folds, abs=0.06)
    assert number(row.nth(3).inner_text()) == pytest.approx(
        number(row.nth(2).inner_text()) - number(row.nth(1).inner_text()), abs=0.11
    )
    assert number(row.nth(2).inner_text()) > number(row.nth(1).inner_text())
    expect(page.get_by_role("grid")).to_have_count(3)
    table = saved_table(page, page.get_by_label("Actions", exact=True))
    assert table[0]["Action"] == "Fold"

    page.goto(f"{server.home}#/result/{locked}")
    page.get_by_role("button", name="Unlock").click()
    page.get_by_role("button", name="Re-solve with 1 unlocked").click()
    expect(page).to_have_url(re.compile(rf"#/result/(?!{solved}|{locked})"))
    expect_done(page)
    again = {word: action_cells(page, word)[0] for word in ("c", "b100", "b200")}
    page.goto(f"{server.home}#/result/{solved}")
    expect(page.locator(".job-link")).not_to_contain_text("unlocked")
    for word, shown in again.items():
        assert action_cells(page, word)[0] == pytest.approx(shown, abs=0.11)


def test_graph_blockers_and_kept_ranges(page: Any, server: Any, solved: str) -> None:
    open_result(page, server, solved)
    page.get_by_role("button", name="Graph").click()
    expect(page.locator("polyline[data-curve=OOP]")).to_be_visible()
    first, second = (es.parse_range(text) for text in RIVER["ranges"])
    truth = es.range_equity(first, second, es.parse_cards(RIVER["board"])).equity
    shown = page.locator("tr[data-side=OOP] td").nth(1).inner_text()
    assert number(shown) == pytest.approx(100 * truth, abs=0.06)
    page.get_by_role("button", name="Blockers").click()
    expect(page.locator("tr[data-blocker=Jc]")).to_be_visible()
    told = server.ask(f"/api/jobs/{solved}/blockers?line=")
    (card,) = (one for one in told["cards"] if one["card"] == "Jc")
    table = saved_table(page, page.get_by_label("Details").first)
    (row,) = (row for row in table if row["Card"] == "Jc")
    assert float(row["Check"]) == pytest.approx(100 * card["frequencies"][0], abs=0.06)

    page.goto(f"{server.home}#/ranges")
    page.get_by_placeholder("none: before the flop").fill("")
    page.locator("#range-0-text").fill("AA")
    page.locator("#range-1-text").fill("KK")
    expect(page.locator("tr[data-side=OOP] td").nth(1)).to_have_text(re.compile(r"8[12]\.\d%"))
    page.get_by_label("Name of the range").fill("rockets")
    page.get_by_role("button", name="Keep OOP").click()
    kept = page.locator("tr[data-range=rockets]")
    kept.get_by_role("button", name="IP").click()
    expect(page.locator("#range-1-text")).to_have_value("AA")
    page.reload()
    expect(page.locator("tr[data-range=rockets]")).to_be_visible()
    presets = page.get_by_label("Preset for the range out of position")
    presets.select_option("rockets")
    expect(page.locator("#range-0-text")).to_have_value("AA")
