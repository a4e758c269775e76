"""A session at the table: an opponent by what it is, hands judged, listed, replayed and saved."""

import re
from pathlib import Path
from typing import Any

from tests.web.browser.steps import expect, number
from tests.web.browser.test_play import open_more, sit_down


def test_a_session_is_judged_listed_and_replayed(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/play")
    opponents = page.get_by_role("group", name="Opponent", exact=True)
    expect(opponents.get_by_role("radio")).to_have_count(4)
    expect(page.get_by_label("Seconds a decision")).to_be_hidden()  # folded away
    opponents.get_by_label("Calls too much").check()
    page.get_by_role("group", name="Usual depths").get_by_text("10 bb", exact=True).click()
    page.get_by_label("Your seat").select_option("button")
    page.get_by_label("Judge my decisions").set_checked(True)
    late: list[Any] = []
    page.route("**/api/play", lambda route: late.append(route))
    page.get_by_role("button", name="Deal", exact=True).click()
    expect(page.get_by_role("button", name="Getting ready")).to_be_disabled()
    expect(page.get_by_text("The opponent is getting ready")).to_be_visible()
    late[0].continue_()
    page.unroute("**/api/play")
    expect(page.get_by_role("region", name="Table")).to_be_visible()
    expect(page.locator(".seat.you .behind")).to_have_text("950")

    page.get_by_role("button", name="Fold").click()
    own = page.get_by_role("region", name="Your decisions")
    expect(own.locator("[data-judged]")).to_be_visible()
    facts = page.get_by_role("region", name="Hand", exact=True)
    expect(facts.locator("[data-value=rate]")).to_have_text("−50.0")
    page.get_by_role("button", name="Next hand").click()
    page.get_by_role("button", name="all-in").click()
    page.get_by_role("button", name="Raise to 1,000").click()
    expect(page.get_by_role("button", name="Next hand")).to_be_visible()
    expect(facts.locator("[data-value=rate]")).to_contain_text("±")

    rows = page.get_by_label("All hands played").locator("tr[data-row]")
    expect(rows).to_have_count(2)
    expect(rows.last.locator("[data-column=won]")).to_have_text("−0.5")
    won = number(page.locator(".over b").inner_text())
    assert number(rows.first.locator("[data-column=won]").inner_text()) == won / 100

    page.get_by_role("link", name="Replay hand 2").click()
    replay = page.get_by_role("region", name="Replay")
    expect(replay.get_by_role("status").first).to_have_text("The blinds are posted.")
    expect(replay.locator("[data-value=pot]")).to_have_text("150")
    replay.get_by_role("button", name="Forward").click()
    expect(replay.get_by_text(re.compile("You\\s+raise to 1000"))).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(replay.locator("[data-value=pot]")).to_have_text("150")
    replay.get_by_role("button", name="Last").click()
    expect(replay.locator("[data-value=pot]")).to_have_text(re.compile("2,000|1,100"))
    replay.get_by_role("link", name="Back to the table").click()
    expect(page.get_by_role("button", name="Next hand")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Hands as text").click()
    text = Path(waiting.value.path()).read_text()
    assert text.count("PokerStars Hand #") == 2
    assert "You: raises 900 to 1000 and is all-in" in text


def test_a_hand_is_judged_on_request(page: Any, server: Any) -> None:
    open_more(page, server)
    page.get_by_label("Always calls").check()
    page.get_by_role("group", name="Usual depths").get_by_text("10 bb", exact=True).click()
    page.get_by_label("Judge my decisions").set_checked(False)
    page.get_by_label("Your seat").select_option("button")
    page.get_by_role("button", name="Deal", exact=True).click()
    page.get_by_role("button", name="Fold").click()
    own = page.get_by_role("region", name="Your decisions")
    own.get_by_role("button", name="Judge my decisions").click()
    expect(own.locator("[data-judged=judged]")).to_be_visible()


def test_amounts_at_the_table_follow_the_unit(page: Any, server: Any) -> None:
    sit_down(page, server, "Always calls")
    unit = page.get_by_role("group", name="Amounts in")
    amount = page.locator("#amount")
    expect(amount).to_have_value("200")
    unit.get_by_text("bb", exact=True).click()
    expect(page.locator("[data-value=pot]")).to_have_text("1.5bb")
    expect(amount).to_have_value("2")
    amount.fill("x")
    page.get_by_role("button", name="Raise to").click()
    expect(page.locator("#amount-why")).to_have_text("'x' is no number of big blinds")
    amount.fill("2.5")
    unit.get_by_text("chips", exact=True).click()
    expect(amount).to_have_value("250")
    unit.get_by_text("bb", exact=True).click()
    page.get_by_role("button", name="Raise to 2.5bb").click()
    expect(page.locator("[data-value=pot]")).to_have_text("5bb")
    expect(page.locator(".log li").first).to_have_text(re.compile("You\\s+raise to 2.5bb"))
    unit.get_by_text("chips", exact=True).click()
    expect(page.locator("[data-value=pot]")).to_have_text("500")
