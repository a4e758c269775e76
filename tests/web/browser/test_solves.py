"""Solves that are stopped, looked at again, resumed, and seen from two tabs."""

import json
from collections.abc import Callable
from typing import Any

from tests.web.browser.needs import RIVER
from tests.web.browser.steps import expect, number, open_result, write_river

TURN = RIVER | {
    "board": "Qs Jh 2h 4c",
    "turn": {"bet": "50%", "raise": "60%"},
    "river": {"bet": "50%", "raise": "60%"},
}


def start_endless(page: Any) -> None:
    """Begin a turn that would take very long to its target."""
    page.locator("input[type=file]").set_input_files(
        {"name": "turn.json", "mimeType": "application/json", "buffer": json_bytes(TURN)}
    )
    expect(page.get_by_label("Board", exact=True)).to_have_value(TURN["board"])
    page.get_by_label("Target, % of pot").fill("0.000001")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()


def json_bytes(content: Any) -> bytes:
    return json.dumps(content).encode()


def iteration(page: Any) -> float:
    return number(page.locator("[data-fact=iteration]").inner_text())


def test_solves_of_one_board_are_told_apart(page: Any, server: Any, solved: str) -> None:
    server.ask("/api/jobs", {"spot": RIVER, "iterations": 3, "method": "cfr+"})
    page.goto(f"{server.home}#/solve/{solved}")
    told = page.locator(".jobs [data-value=when]")
    expect(told.filter(has_text="cfr+").first).to_be_visible()
    expect(page.locator(".jobs a.chosen [data-value=when]")).to_contain_text("dcfr, target 0.05%")
    expect(page.locator(".jobs a.chosen [data-value=when]")).to_contain_text("today, ")


def test_messages_close(page: Any, server: Any) -> None:
    page.clock.install()
    page.goto(f"{server.home}#/preflop")
    page.reload()
    page.locator("input[type=file]").set_input_files(
        {"name": "no.json", "mimeType": "application/json", "buffer": b"{}"}
    )
    expect(page.locator(".toast")).to_contain_text("has no charts")
    page.clock.fast_forward(5000)
    expect(page.locator(".toast")).to_be_visible()  # there is something to read
    page.clock.fast_forward(11000)
    expect(page.locator(".toast")).to_have_count(0)


def test_views_keep_their_place(page: Any, server: Any, solved: str) -> None:
    open_result(page, server, solved)
    page.evaluate("() => { document.body.style.minHeight = '3000px'; scrollTo(0, 300); }")
    place = page.locator("html")
    expect(place).to_have_js_property("scrollTop", 300)
    page.get_by_role("link", name="Spot", exact=True).click()
    expect(page.get_by_role("grid")).to_have_count(2)
    expect(place).to_have_js_property("scrollTop", 0)
    page.get_by_role("link", name="Result", exact=True).click()
    expect(place).to_have_js_property("scrollTop", 300)


def test_stop_reload_and_resume(page: Any) -> None:
    start_endless(page)
    expect(page.locator(".curve .line")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator(".curve .line")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").get_by_text("Stopped")).to_be_visible()
    page.reload()
    expect(page.get_by_role("status").get_by_text("Stopped")).to_be_visible()
    expect(page.locator(".curve .line")).to_be_visible()
    done = iteration(page)
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.wait_for_function(
        "done => Number(document.querySelector('[data-fact=iteration]').textContent"
        ".replace(/,/g, '')) > done",
        arg=done,
    )
    page.get_by_role("link", name="Open result").click()
    expect(page.get_by_text("iterations so far")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").get_by_text("Stopped")).to_be_visible()


def test_an_answer_that_comes_late_does_not_undo_an_event(page: Any, server: Any) -> None:
    job = server.ask("/api/jobs", {"spot": RIVER, "iterations": 1})["id"]
    rename = f"/api/jobs/{job}/rename"
    page.goto(f"{server.home}#/solve/{job}")
    expect(page.get_by_role("link", name="Open result")).to_be_visible()
    title = page.get_by_role("region", name="Solve").get_by_role("heading")

    def hold_back(route: Any) -> None:
        """Deliver the answer with the first name once the page was told of a second one."""
        answer = route.fetch()
        server.ask(rename, {"name": "second"})
        expect(title).to_have_text("second")
        route.fulfill(response=answer)

    page.route(f"**{rename}", hold_back)
    page.on("dialog", lambda dialog: dialog.accept("first"))
    with page.expect_event(
        "requestfinished", lambda request: request.url.endswith(rename)
    ) as finished:
        page.get_by_role("button", name="Rename").click()
    assert finished.value.response().json()["name"] == "first"
    page.evaluate("() => new Promise((done) => setTimeout(done))")  # the page has read it
    expect(title).to_have_text("second")


def test_two_tabs_see_the_same_solves(open_tab: Callable[..., Any]) -> None:
    first, second = open_tab(), open_tab()
    start_endless(first)
    second.get_by_role("link", name="Solving").click()
    expect(second.locator(".curve .line")).to_be_visible()
    # the second tab's own spot waits its turn behind the first's
    second.get_by_role("link", name="Spot").click()
    write_river(second)
    expect(second.get_by_text("Information sets")).to_be_visible()
    second.get_by_role("button", name="Solve", exact=True).click()
    expect(second.get_by_role("status").get_by_text("Waiting, 1 ahead")).to_be_visible()
    expect(first.get_by_label("Stack behind")).to_have_count(0)
    first.get_by_role("button", name="Stop").click()
    expect(second.get_by_label("Actions")).to_be_visible()
    # and each tab keeps its own spot
    first.get_by_role("link", name="Spot").click()
    expect(first.get_by_label("Board", exact=True)).to_have_value(TURN["board"])
