"""Links of a review: they open a spot, rake and all, and leave the form its own address."""

import json
import re
from typing import Any
from urllib.parse import quote

from tests.web.browser.needs import RIVER
from tests.web.browser.steps import expect, expect_to_act, solve


def test_a_link_opens_its_spot(page: Any, server: Any) -> None:
    content = RIVER | {"pot": 777, "rake": "5%", "rake_cap": 30}
    page.goto(f"{server.home}#/spot/open/{quote(json.dumps(content), safe='')}")
    expect(page.get_by_label("Pot", exact=True)).to_have_value("777")
    expect(page.get_by_label("Rake", exact=True)).to_have_value("5%")
    expect(page.get_by_label("Rake cap")).to_have_value("30")
    expect(page.get_by_text("Information sets")).to_be_visible()
    expect(page).to_have_url(re.compile(r"#/spot$"))


def test_a_link_leads_to_its_decision_once_solved(page: Any, server: Any) -> None:
    content = RIVER | {"node": "b100"}
    page.goto(f"{server.home}#/spot/open/{quote(json.dumps(content), safe='')}")
    expect(page.get_by_label("Board", exact=True)).to_have_value(RIVER["board"])
    page.get_by_label("Target, % of pot").fill("2")
    solve(page)
    expect_to_act(page, "IP")
    expect(page).to_have_url(re.compile(r"#/result/\w+/b100$"))


def test_a_link_opens_a_spot_with_prizes_and_two_stacks(page: Any, server: Any) -> None:
    content = RIVER | {"stack": [900, 600], "prizes": [50, 30, 20], "others": [700]}
    page.goto(f"{server.home}#/spot/open/{quote(json.dumps(content), safe='')}")
    expect(page.get_by_label("Stack behind")).to_have_value("900 / 600")
    expect(page.get_by_label("Prizes, first place first")).to_have_value("50, 30, 20")
    expect(page.get_by_text("Information sets")).to_be_visible()
    page.get_by_text("Tree limits, rake, prizes").click()
    page.get_by_label("Stacks of the others").fill("700, 0")
    expect(page.get_by_role("alert")).to_contain_text("every player at the table has chips")


def test_a_link_that_holds_no_spot_says_so(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/spot/open/nothing")
    expect(page.get_by_text("The link holds no spot.")).to_be_visible()
