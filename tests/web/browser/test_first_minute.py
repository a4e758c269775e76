"""A page that nobody has used yet: an example is ready, and the result goes on by itself."""

from typing import Any

import pytest

from tests.web.browser.needs import RIVER
from tests.web.browser.steps import clear, expect, expect_done, expect_to_act, open_result

EXAMPLE = "Qs Jh 2h 4c"
QUIET_TURN: dict[str, Any] = RIVER | {
    "board": EXAMPLE,
    "turn": {"bet": ""},
    "river": {"bet": "75%"},
}


def board(page: Any) -> Any:
    return page.get_by_label("Board", exact=True)


def test_a_new_page_is_solved_by_one_click(page: Any) -> None:
    steps = page.locator(".steps li b")
    expect(steps).to_have_text(["Describe the spot", "Solve", "Look and lock"])
    expect(page.get_by_text("An example is ready")).to_be_visible()
    expect(board(page)).to_have_value(EXAMPLE)
    expect(page.locator("[data-value=cost]")).to_contain_text("decisions")
    button = page.get_by_role("button", name="Solve", exact=True)
    expect(button).to_be_in_viewport(ratio=1)
    page.get_by_label("Target, % of pot").fill("2")
    expect(page.get_by_text("An example is ready")).to_be_visible()  # how closely is no change
    button.click()
    expect_done(page)
    expect(page.get_by_label("What comes next").locator("[data-next]")).to_have_count(2)


def test_a_reader_who_comes_back_finds_what_was_there(page: Any) -> None:
    page.get_by_label("Pot", exact=True).fill("321")
    expect(page.get_by_text("An example is ready")).to_have_count(0)
    page.wait_for_function("() => localStorage.getItem('endspiel.spot')?.includes('321')")
    page.reload()
    expect(page.get_by_label("Pot", exact=True)).to_have_value("321")
    clear(page)
    page.wait_for_function("() => !localStorage.getItem('endspiel.spot').includes('321')")
    page.reload()
    expect(page.get_by_text("appear here once the spot is complete")).to_be_visible()
    expect(board(page)).to_have_value("")


def test_a_node_with_one_action_shows_where_it_leads(page: Any, server: Any) -> None:
    job = server.ask("/api/jobs", {"spot": QUIET_TURN, "target_percent": 2})["id"]
    open_result(page, server, job)
    after = page.get_by_label("What comes next")
    expect(after.locator("[data-next=c]")).to_contain_text("IP to act")
    after.get_by_role("link").click()
    expect_to_act(page, "IP")
    expect(after.locator("[data-next=c]")).to_contain_text("River card")
    expect(after.locator(".deck button:enabled")).to_have_count(48)
    after.locator(".deck [data-card='8h']").click()
    expect_to_act(page, "OOP")
    expect(after.locator("[data-next]")).to_have_count(2)
    expect(after.locator(".deck")).to_have_count(0)


@pytest.mark.parametrize("width", [1440, 390])
def test_the_button_is_in_sight_on_every_screen(open_tab: Any, width: int) -> None:
    page = open_tab(width, 844)
    button = page.get_by_role("button", name="Solve", exact=True)
    expect(button).to_be_in_viewport(ratio=1)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(button).to_be_in_viewport(ratio=1)
