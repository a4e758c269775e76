"""Hands reviewed in a browser: uploaded or pasted, assumed ranges stated and changed, studied."""

import re
from pathlib import Path
from typing import Any

from tests.review.test_review import RANGES
from tests.web.browser.needs import need
from tests.web.browser.steps import expect, expect_done

need()

HANDS = Path(__file__).parents[2] / "data" / "hands" / "heads-up.txt"


def open_reviews(page: Any, server: Any) -> Any:
    """The form that takes hands, whether or not there are reviews already."""
    page.goto(f"{server.home}#/review")
    below = page.get_by_text("More hands", exact=True)
    form = page.get_by_role("form", name="Hands")
    expect(below.or_(form).first).to_be_visible()
    if below.count():
        below.click()
    return form


def test_hands_are_reviewed_and_a_mistake_is_studied(page: Any, server: Any) -> None:
    form = open_reviews(page, server)
    form.locator("input[type=file]").set_input_files(HANDS)
    assumed = page.get_by_role("form", name="What is assumed")
    expect(assumed.get_by_text("Single-raised pot, 2 hands")).to_be_visible()
    expect(page.get_by_label("Decisions", exact=True)).to_have_count(0)  # no verdict before
    page.get_by_text("2 hands could not be read").click()
    expect(
        page.get_by_text("unknown words").or_(page.get_by_text("no-limit")).first
    ).to_be_visible()

    assumed.get_by_label("Decisions of").select_option("")
    assumed.get_by_role("button", name="the river").click()
    for side, text in zip(("Out of position", "In position"), RANGES, strict=True):
        assumed.get_by_role("textbox", name=side).fill(text)
    assumed.get_by_role("textbox", name="In position").fill("AKx")
    assumed.get_by_role("button", name="Review 3 hands").click()
    expect(assumed.get_by_role("alert")).to_contain_text("'AKx'")
    assumed.get_by_role("textbox", name="In position").fill(RANGES[1])
    assumed.get_by_role("button", name="Review 3 hands").click()

    result = page.get_by_label("Result", exact=True)
    expect(result.locator("[data-value=assumed]")).to_contain_text("single-raised pot")
    river = page.locator("[data-total=river] td")
    mistakes = int(river.nth(2).inner_text())
    rows = page.locator("tr[data-row]")
    assert 0 < mistakes < int(river.nth(1).inner_text())
    expect(rows).to_have_count(mistakes)  # correct plays are not listed
    page.get_by_role("button", name="All decisions").click()
    expect(rows).to_have_count(int(river.nth(1).inner_text()))
    page.get_by_role("button", name="Mistakes", exact=True).click()
    worst = rows.first
    expect(worst).to_contain_text("7♣6♣")
    expect(worst).to_contain_text("bet 70")
    worst.get_by_role("button").click()
    expect(page).to_have_url(re.compile(r"#/result/\w+/c%20b7000$"))
    expect_done(page)
    expect(page.get_by_text("70bb to call")).to_be_visible()  # not in hundredths

    page.go_back()
    page.goto(f"{server.home}#/review")
    page.get_by_role("button", name="Change what is assumed").click()
    expect(assumed.get_by_role("textbox", name="In position")).to_have_value(RANGES[1])


def test_pasted_text_that_holds_no_hands_is_refused(page: Any, server: Any) -> None:
    form = open_reviews(page, server)
    form.get_by_label("Hands", exact=True).fill("nothing of the kind")
    form.get_by_role("button", name="Read hands").click()
    expect(page.get_by_role("alert")).to_contain_text("pasted hands is neither a history of")
    form.get_by_label("Hands", exact=True).fill(HANDS.read_text())
    form.get_by_role("button", name="Read hands").click()
    expect(page.get_by_role("heading", name="pasted hands")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="pasted hands")).to_have_count(0)
