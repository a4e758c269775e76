"""Every view, in both themes, by the rules of axe-core: names, roles, order, contrast."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser.needs import PATIENCE, RIVER, need
from tests.web.browser.steps import (
    choose_report,
    expect,
    open_making,
    open_result,
)
from tests.web.browser.test_play import sit_down
from tests.web.reported import report_json
from tests.web.test_hand_reviews import ASKED, HANDS

need()
Axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
).Axe

VIOLATIONS = {"resultTypes": ["violations"]}
CONTRAST = VIOLATIONS | {"runOnly": ["color-contrast"]}  # what a theme changes


@pytest.fixture
def check(page: Any) -> Callable[..., None]:
    """Checks the page, or a part of it: all rules in the light, contrast in the dark."""
    axe = Axe()
    page.emulate_media(reduced_motion="reduce")  # colors change at once

    def check_here(where: str, within: str | None = None) -> None:
        found = []
        for theme, options in (("light", VIOLATIONS), ("dark", CONTRAST)):
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            for broken in axe.run(page, within, options).response["violations"]:
                found += [f"{theme} {broken['id']}: {node['html']}" for node in broken["nodes"]]
        page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
        assert found == [], where

    return check_here


def test_spots_and_solves(page: Any, server: Any, solved: str, check: Any) -> None:
    expect(page.get_by_role("grid")).to_have_count(2)
    check("spot")
    page.get_by_label("Pot", exact=True).fill("x")
    expect(page.get_by_label("Pot", exact=True)).to_have_attribute("aria-invalid", "true")
    check("spot refused")
    page.goto(f"{server.home}#/solve/{solved}")
    expect(page.locator(".facts").first).to_be_visible()
    check("solve")


def test_results(page: Any, server: Any, solved: str, check: Any) -> None:
    open_result(page, server, solved)
    page.locator("[data-class=KTs]").click()
    expect(page.locator("tr[data-hand]")).to_have_count(4)
    check("result")
    for name in ("Lock", "Files"):
        page.get_by_role("button", name=name, exact=True).click()
        check(f"result, {name}", "section.panels")
    other = server.ask("/api/jobs", {"spot": RIVER, "iterations": 20})["id"]
    open_result(page, server, other)
    page.goto(f"{server.home}#/compare/{solved}+{other}")
    expect(page.get_by_role("grid").first).to_be_visible()
    check("compare")
    server.forget(other)


def test_reports_ranges_and_papers(page: Any, server: Any, check: Any, tmp_path: Path) -> None:
    file = tmp_path / "checked.json"
    file.write_bytes(report_json())
    choose_report(page, server, file)
    check("reports")
    open_making(page, server)
    check("make a report")
    page.goto(f"{server.home}#/library")
    expect(page.get_by_role("heading", name="Library")).to_be_attached()
    check("library")
    page.goto(f"{server.home}#/ranges")
    expect(page.get_by_role("grid").first).to_be_visible()
    check("ranges")
    page.goto(f"{server.home}#/papers")
    expect(page.locator(".paper").first).to_be_visible()
    check("papers")


def test_preflop(page: Any, server: Any, check: Any) -> None:
    page.goto(f"{server.home}#/preflop")
    expect(page.get_by_role("button", name="Solve the tree")).to_be_visible()
    check("preflop")


def test_training(page: Any, server: Any, solved: str, check: Any) -> None:
    page.goto(f"{server.home}#/train/{solved}")
    expect(page.get_by_label("Question").get_by_text("Your hand")).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("[data-grade]")).to_be_visible()
    check("train")
    page.get_by_role("group", name="Ask for").get_by_text("Whole hands").click()
    hand = page.get_by_role("region", name="Hand", exact=True)
    while not hand.locator("[data-ending]").count():
        hand.locator("[data-answer]:enabled").first.click()
        ended = hand.locator("[data-ending]").or_(hand.locator("[data-answer]:enabled"))
        expect(ended.first).to_be_visible()
    check("whole hand")


def test_playing(page: Any, server: Any, check: Any) -> None:
    sit_down(page, server, "Always calls")
    check("table")
    page.get_by_role("button", name="Fold").click()
    expect(page.get_by_role("region", name="Hands played", exact=True)).to_be_visible()
    check("hand over")
    page.get_by_role("link", name="Replay hand 1").click()
    expect(page.get_by_role("region", name="Replay")).to_be_visible()
    check("replay")
    page.get_by_role("link", name="Back to the table").click()
    page.get_by_role("button", name="Leave the table").click()
    expect(page.get_by_role("button", name="Deal", exact=True)).to_be_visible()
    check("setup")


def test_reviews_library_and_tree(page: Any, server: Any, solved: str, check: Any) -> None:
    page.goto(f"{server.home}#/tree")
    expect(page.locator("tr[data-action]").first).to_be_visible()
    check("tree")
    page.goto(f"{server.home}#/library")
    row = page.locator(f"tr[data-item='{solved}']")
    row.get_by_role("button", name="Name and tags").click()
    check("library")
    name = reviewed(server)
    page.goto(f"{server.home}#/review/{name}")
    expect(page.locator("[data-total]").first).to_be_visible()
    page.get_by_text("Not judged", exact=True).click()
    check("review")
    page.get_by_role("button", name="Change what is assumed").click()
    check("what a review assumes")


def reviewed(server: Any) -> str:
    """The id of a review of three hands."""
    request = urllib.request.Request(
        f"{server.home}api/reviews?name=hands.txt",
        HANDS,
        {"Authorization": f"Bearer {server.address.rpartition('=')[2]}"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE / 1000) as answer:
        name = str(json.load(answer)["id"])
    server.ask(f"/api/reviews/{name}/run", ASKED)
    return name
