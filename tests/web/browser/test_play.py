"""Hands played to the end."""

import re
from pathlib import Path
from typing import Any

from tests.web.browser.steps import expect, number


def sit_down(page: Any, server: Any, agent: str, technique: str = "") -> None:
    open_more(page, server)
    page.get_by_label("Game", exact=True).select_option("nolimit-holdem")
    sit_down_here(page, agent, technique)


def open_more(page: Any, server: Any) -> None:
    """Go to the form of a table, and unfold what few change."""
    page.goto(f"{server.home}#/play")
    more = page.locator("details.more")
    expect(more).to_have_count(1)
    more.evaluate("(one) => { one.open = true; }")


def sit_down_here(page: Any, agent: str, technique: str = "") -> None:
    page.get_by_label(agent).check()
    if technique:
        page.get_by_label("Endgame technique").select_option(technique)
        page.get_by_label("Seconds a decision").fill("60")  # more than it wants, however busy
    page.get_by_label("Judge my decisions").set_checked(False)  # which takes processors
    page.get_by_label("Your seat").select_option("button")
    page.get_by_role("button", name="Deal", exact=True).click()
    expect(page.get_by_role("region", name="Table")).to_be_visible()


def test_play_a_hand_to_the_showdown(page: Any, server: Any, tmp_path: Path) -> None:
    sit_down(page, server, "Always calls")
    expect(page.locator("[data-value=pot]")).to_have_text("150")
    # a refused amount says why and loses nothing
    page.locator("#amount").fill("7")
    page.get_by_role("button", name="Raise to").click()
    expect(page.locator("#amount-why")).to_be_visible()
    page.locator("#amount").fill("300")
    page.get_by_role("button", name="Raise to 300").click()
    expect(page.locator("[data-value=pot]")).to_have_text("600")
    # reload in the middle of the hand
    page.reload()
    expect(page.locator("[data-value=pot]")).to_have_text("600")
    page.get_by_role("button", name="100%").click()
    page.get_by_role("button", name="Bet 600").click()
    expect(page.locator("[data-value=pot]")).to_have_text("1,800")
    for cards in (5, 5):
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_label("Board").locator("[data-card]")).to_have_count(cards)
    expect(page.get_by_role("button", name="Next hand")).to_be_visible()
    total = number(page.locator(".over b").inner_text())
    assert total in (-900, 0, 900)

    expect(page.get_by_role("region", name="Review")).to_be_visible()
    expect(page.get_by_label("Its range and strategy")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Hands as PHH").click()
    history = Path(waiting.value.path()).read_text()
    assert "cbr 300" in history
    assert "variant = 'NT'" in history.replace('"', "'")

    page.get_by_role("button", name="Next hand").click()
    expect(page.get_by_text("Hand 2")).to_be_visible()
    page.get_by_role("button", name="Fold").press("f")
    expect(page.get_by_role("button", name="Next hand")).to_be_visible()
    assert number(page.locator(".over b").inner_text()) == -50


def test_a_click_is_taken_though_the_answer_to_the_last_one_is_late(page: Any, server: Any) -> None:
    """The next state comes as an event, too, and may be the first to come."""
    sit_down(page, server, "Always calls")
    late: list[tuple[Any, Any]] = []
    page.route("**/act", lambda route: late.append((route, route.fetch())))
    board = page.get_by_label("Board").locator("[data-card]")
    for name, cards in (("Call 50", 3), ("Check", 4), ("Check", 5)):
        page.get_by_role("button", name=name).click()
        expect(board).to_have_count(cards)
    for route, answer in late:
        route.fulfill(response=answer)
    page.unroute("**/act")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("button", name="Next hand")).to_be_visible()


def test_bad_stakes_are_refused_at_their_fields(page: Any, server: Any) -> None:
    open_more(page, server)
    refused = (
        ("Depth, big blinds", "1"),
        ("Depth, big blinds", "x"),
        ("Big blind, chips", "x"),
        ("Seconds a decision", "-1"),
    )
    for label, text in refused:
        field = page.get_by_label(label)
        good = field.input_value()
        field.fill(text)
        page.get_by_role("button", name="Deal", exact=True).click()
        expect(field).to_have_attribute("aria-invalid", "true")
        field.fill(good)


def test_an_endgame_that_the_agent_solved_opens_as_a_spot(page: Any, server: Any) -> None:
    """Called down until a river is solved; then its endgame is on the spot's page."""
    sit_down(page, server, "Blueprint", "unsafe")
    ready = page.locator("button:enabled", has_text=re.compile("^(Next hand|Check|Call)"))
    said, following = page.locator(".log li"), page.get_by_role("button", name="Next hand")
    opened = page.get_by_role("button", name="Open this endgame as a spot")
    for hand in range(1, 20):
        expect(page.get_by_role("heading", name=f"Hand {hand}", exact=True)).to_be_visible()
        expect(ready.first).to_be_visible()
        while not following.is_visible():
            before = said.count()
            ready.first.click()
            expect(said).not_to_have_count(before)
            expect(ready.first).to_be_visible()
        expect(page.get_by_role("region", name="Review")).to_be_visible()
        if opened.is_visible():  # its last decision is the one shown
            opened.click()
            page.wait_for_url("**/#/spot")
            expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()
            return
        following.click()
    raise AssertionError("no hand came to a river that was solved")


def test_limit_is_one_button_a_bet(page: Any, server: Any) -> None:
    """No stacks to choose and no sizes; the key r raises."""
    open_more(page, server)
    page.get_by_label("Game", exact=True).select_option("limit-holdem")
    expect(page.get_by_label("Depth, big blinds")).to_have_count(0)
    sit_down_here(page, "Always calls")
    page.get_by_role("button", name="Raise to 200").click()
    expect(page.locator("[data-value=pot]")).to_have_text("400")
    expect(page.locator("#amount")).to_have_count(0)
    page.get_by_role("button", name="Bet 100").press("r")
    expect(page.locator("[data-value=pot]")).to_have_text("600")
    page.get_by_role("button", name="Bet 200").click()
    expect(page.locator("[data-value=pot]")).to_have_text("1,000")
