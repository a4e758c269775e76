"""The library in a browser: a report whose flops open solved, names, tags and search."""

import re
from typing import Any

import pytest

from tests.web.browser.needs import RIVER, need
from tests.web.browser.steps import expect, expect_done, open_making
from tests.web.test_library import QUIET

need()


@pytest.fixture(scope="module")
def river(server: Any) -> str:
    """A solve beside the report."""
    body = {"spot": RIVER | {"pot": 202}, "iterations": 2, "name": "a quiet river"}
    return str(server.ask("/api/jobs", body)["id"])


def test_a_report_stores_its_solutions_and_is_found_again(
    page: Any, server: Any, river: str
) -> None:
    page.goto(f"{server.home}#/spot")
    page.evaluate(
        "spot => location.hash = `#/spot/open/${encodeURIComponent(JSON.stringify(spot))}`", QUIET
    )
    expect(page.get_by_label("Board", exact=True)).to_have_value(QUIET["board"])
    expect(page.get_by_text("Information sets")).to_be_visible()
    make = open_making(page, server)
    make.get_by_label("Flops", exact=True).select_option("list")
    make.get_by_label("Flops, with weights or without").fill("Ah 7h 2d, 9s 8s 6s")
    make.get_by_label("Target, % of pot").fill("50")
    expect(make.get_by_label("Store the solutions")).to_be_checked()
    expect(make.get_by_text(re.compile(r"about [\d.]+ MB"))).to_be_visible()
    make.get_by_role("button", name="Make report").click()
    page.locator("tr[data-board='9s 8s 6s'] button").click()
    expect_done(page)
    expect(page).to_have_url(re.compile("#/result/"))

    page.goto(f"{server.home}#/solve")  # boards of a report do not crowd the solves
    expect(page.locator(f"a[href='#/solve/{river}']")).to_be_visible()
    expect(page.get_by_role("list").get_by_text("2 flops, ")).to_have_count(0)

    page.goto(f"{server.home}#/library")
    report = page.locator("tr[data-item]", has_text="2 open solved").first
    report.get_by_role("button", name="Name and tags").click()
    form = page.get_by_role("form", name=re.compile("Name and tags"))
    form.get_by_label("Name").fill("my two flops")
    form.get_by_label("Tags, with commas between").fill("SRP, 100bb")
    form.get_by_role("button", name="Save", exact=True).click()
    named = page.locator("tr[data-item]", has_text="my two flops")
    expect(named).to_contain_text("100bb")
    expect(named).to_contain_text("MB")
    rows = page.locator("tr[data-item]")
    page.get_by_label("Search names, tags, boards").fill("srp two")
    expect(rows).to_have_count(1)
    page.get_by_label("Search names, tags, boards").fill("quiet")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("a quiet river")
    page.get_by_label("Search names, tags, boards").fill("")
    page.get_by_role("group", name="Tags").get_by_role("button", name="SRP").click()
    expect(rows).to_have_count(1)
    named.get_by_role("link", name="my two flops").click()
    expect(page.locator("tr[data-board]")).to_have_count(2)
    expect(page.get_by_role("heading", name="my two flops")).to_be_visible()
