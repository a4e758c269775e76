"""The trainer: a question answered, its verdict beside the server's, what failed asked again."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser.needs import need
from tests.web.browser.steps import choose_report, expect, number, open_making, open_result
from tests.web.reported import FLOPS, report_json

need()


def test_drill_a_solved_spot(page: Any, server: Any, solved: str) -> None:
    before = server.ask("/api/train")["total"]["questions"]  # of other tests on this server
    open_result(page, server, solved)
    page.get_by_role("link", name="Drill").click()
    question = page.get_by_label("Question")
    expect(question.get_by_text("Your hand")).to_be_visible()
    cards = question.locator(".seats .cards").nth(1).locator("[data-card]")
    hand = "".join(card.get_attribute("data-card") or "" for card in cards.all())
    words = [one.get_attribute("data-answer") for one in page.locator("[data-answer]").all()]
    page.keyboard.press("1")
    expect(page.locator("[data-verdict]")).to_have_count(len(words))
    page.get_by_role("link", name="Study this node").click()
    expect(page.get_by_role("navigation", name="Way to this node")).to_be_visible()
    line = page.url.partition(f"result/{solved}")[2].strip("/")  # as an address writes it
    told = server.ask(f"/api/jobs/{solved}/hands?class={hand}&line={line}")
    (row,) = told["hands"]

    page.go_back()  # the verdict is still there
    lost = max(row["action_ev"]) - row["action_ev"][0]
    shown = page.locator(f"[data-verdict='{words[0]}'] td")
    assert number(shown.nth(1).inner_text()) == pytest.approx(100 * row["strategy"][0], abs=0.06)
    assert number(shown.nth(2).inner_text()) == pytest.approx(row["action_ev"][0], abs=0.006)
    if lost > 0.005:
        assert number(shown.nth(3).inner_text()) == pytest.approx(lost, abs=0.006)
    expect(page.locator("tr[data-when='In all'] td").first).to_have_text(str(before + 1))

    for count in range(2, 5):  # the score counts on, and survives a reload
        page.get_by_role("button", name="Next").click()
        expect(page.locator("[data-verdict]")).to_have_count(0)
        page.locator("[data-answer]").last.click()
        expect(page.locator("tr[data-when='This visit'] td").first).to_have_text(str(count))
    page.reload()
    expect(page.locator("tr[data-when='In all'] td").first).to_have_text(str(before + 4))
    expect(page.get_by_label("Question").get_by_text("Your hand")).to_be_visible()
    progress = server.ask("/api/train")
    good = page.locator("tr[data-when='In all'] td").nth(1).inner_text()
    assert number(good) == pytest.approx(100 * progress["total"]["good"] / (before + 4), abs=0.6)


def test_drill_the_flops_of_a_report(page: Any, server: Any, tmp_path: Path) -> None:
    before = jobs_of(server)
    file = tmp_path / "drilled.json"
    file.write_bytes(report_json())
    choose_report(page, server, file)
    page.get_by_role("link", name="Drill these flops").click()
    question = page.get_by_label("Question")
    expect(question.get_by_text("Your hand")).to_be_visible()  # its flop is solved first
    shown = question.locator(".seats .cards").first.locator("[data-card]").all()
    flop = {card.get_attribute("data-card") for card in shown[:3]}
    assert flop in [set(board.split()) for board in FLOPS]
    page.locator("[data-answer]").first.click()
    expect(page.locator("[data-grade]")).to_be_visible()
    for job in jobs_of(server) - before:  # another flop is solved while one is asked about
        server.forget(job)


def jobs_of(server: Any) -> set[str]:
    return {job["id"] for job in server.ask("/api/jobs")["jobs"]}


def test_a_late_list_of_reports_calls_nobody_back(page: Any, server: Any, tmp_path: Path) -> None:
    file = tmp_path / "late.json"
    file.write_bytes(report_json())
    open_making(page, server)  # the first list is there
    held: list[Any] = []
    page.route("**/api/reports", lambda route: take(route, held))
    with page.expect_request(lambda asked: asked.method == "GET" and asked.url.endswith("reports")):
        page.locator("input[type=file]").set_input_files(file)
    page.evaluate("location.hash = '#/papers'")
    expect(page.get_by_role("heading", name="Papers")).to_have_count(1)
    (late,) = held
    with page.expect_response("**/api/reports"):
        late.continue_()
    page.evaluate("new Promise((done) => setTimeout(done, 100))")  # whatever follows the answer
    expect(page).to_have_url(re.compile("#/papers"))


def take(route: Any, held: list[Any]) -> None:
    """Keep a question for the list of reports back, let the others through."""
    if route.request.method == "GET":
        held.append(route)
    else:
        route.continue_()


def test_drill_charts_before_the_flop(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/train")
    page.get_by_label("Drill", exact=True).select_option("preflop 10")
    question = page.get_by_label("Question")
    expect(question.get_by_text("Your hand")).to_be_visible()
    expect(question.get_by_text("charts of 10 big blinds")).to_be_visible()
    words = [one.get_attribute("data-answer") for one in page.locator("[data-answer]").all()]
    page.keyboard.press("1")
    expect(page.locator("[data-verdict]")).to_have_count(len(words))
    expect(page.get_by_text("By charts of 10 big blinds. Big blind:")).to_be_visible()
    page.get_by_role("link", name="Study this node").click()
    expect(page.get_by_role("heading", name="10 big blinds, 2x, 3x, a")).to_be_visible()
