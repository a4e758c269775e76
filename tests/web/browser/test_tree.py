"""The tree editor: a size added and one removed at single nodes, the size of the spot beside it."""

import json
import re
from typing import Any
from urllib.parse import quote

from tests.web.browser.needs import RIVER, need
from tests.web.browser.steps import expect, expect_to_act, solve

need()


def test_single_nodes_are_edited_and_solved(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/spot/open/{quote(json.dumps(RIVER), safe='')}")
    expect(page.get_by_label("Board", exact=True)).to_have_value(RIVER["board"])
    page.get_by_role("link", name="Edit single nodes…").click()
    actions = page.get_by_label("Actions here")
    expect(actions.locator("tr[data-action]")).to_have_count(3)
    size = page.get_by_label("Size of the tree")
    expect(size).to_contain_text("decisions")
    before = size.inner_text()
    actions.get_by_role("link", name="Check").click()
    expect(page).to_have_url(re.compile(r"#/tree/at/c$"))
    expect(page.get_by_label("Way to this node")).to_contain_text("IP to act")

    form = page.get_by_role("form", name="Add a size")
    form.get_by_role("textbox").fill("25")
    form.get_by_role("button", name="Add").click()
    expect(form.get_by_role("alert")).to_contain_text("25")
    form.get_by_role("textbox").fill("25%")
    form.get_by_role("button", name="Add").click()
    expect(actions.locator("tr[data-action=b50]")).to_contain_text("added")
    expect(size).not_to_have_text(before)
    actions.get_by_role("button", name="Remove bet 200").click()
    expect(actions.locator("tr[data-action=b200]")).to_have_count(0)
    expect(actions).to_contain_text("Removed here: bet 200")
    expect(page.locator("[data-edit]")).to_contain_text("Check: with 50, without 200")

    page.get_by_role("link", name="Back to the spot").click()
    expect(page.get_by_text("1 node changed")).to_be_visible()
    page.wait_for_function("() => localStorage.getItem('endspiel.spot').includes('+50')")
    page.reload()
    expect(page.get_by_text("1 node changed")).to_be_visible()
    page.get_by_label("Target, % of pot").fill("2")
    solve(page)
    page.locator("tr[data-action=c] a").click()
    expect_to_act(page, "IP")
    expect(page.locator("tr[data-action=b50]")).to_be_visible()
    expect(page.locator("tr[data-action=b200]")).to_have_count(0)


def test_an_edit_that_no_longer_fits_is_said_and_undone(page: Any, server: Any) -> None:
    content = RIVER | {"edits": ["b70: +300"]}
    page.goto(f"{server.home}#/spot/open/{quote(json.dumps(content), safe='')}")
    expect(page.get_by_text("no 'b70' at the start").first).to_be_visible()
    page.get_by_role("button", name="Undo all").click()
    expect(page.get_by_text("Information sets")).to_be_visible()
    expect(page.get_by_text("no 'b70' at the start")).to_have_count(0)
