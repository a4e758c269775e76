"""Amounts in chips and in big blinds: what is typed, what is sent, what is shown."""

from typing import Any

import pytest

from tests.web.browser.steps import (
    RIVER,
    action_cells,
    expect,
    expect_done,
    expect_to_act,
    number,
    open_result,
    write_river,
)


def choose(page: Any, unit: str) -> None:
    page.get_by_role("group", name="Amounts in").get_by_role("button", name=unit).click()


def test_a_pot_of_five_and_a_half_big_blinds(page: Any, server: Any) -> None:
    write_river(page)
    page.get_by_label("Pot", exact=True).fill("5.5")
    expect(page.locator("#pot-why")).to_contain_text("Choose bb at the top")
    page.get_by_label("Pot", exact=True).fill("200")
    choose(page, "bb")
    expect(page.get_by_label("Pot, bb")).to_have_value("2")  # of the usual 100 chips
    page.get_by_label("Pot, bb").fill("5.5")
    page.get_by_label("Stack behind, bb").fill("9.75")
    page.get_by_label("River bet sizes").fill("50%, 2.5bb")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect_done(page)
    job = server.ask(f"/api/jobs/{page.url.rpartition('/')[2]}")
    spot = job["spot"]
    assert (job["pot"], job["stack"], job["big_blind"]) == (550, 975, 100)
    assert spot["river"]["bet"] == "50%, 250c"
    expect(page.get_by_text("Pot 5.5bb")).to_be_visible()
    expect(page.locator("tr[data-action=b250] a")).to_have_text("Bet 2.5bb")
    expect(page.get_by_label("Chips of a big blind")).to_have_count(0)  # it is known

    page.get_by_role("link", name="Spot", exact=True).click()
    page.reload()
    expect(page.get_by_label("Pot, bb")).to_have_value("5.5")
    choose(page, "chips")
    expect(page.get_by_label("Pot", exact=True)).to_have_value("550")
    expect(page.get_by_label("Stack behind")).to_have_value("975")


def test_a_result_in_big_blinds(page: Any, server: Any, solved: str) -> None:
    open_result(page, server, solved)
    in_chips = action_cells(page, "b100")
    ev = number(page.locator("tr[data-player='0'] [data-part=ev]").inner_text())
    choose(page, "bb")
    page.get_by_label("Chips of a big blind").fill("20")
    page.get_by_label("Chips of a big blind").press("Enter")
    expect(page.get_by_text(f"Pot {RIVER['pot'] // 20}bb")).to_be_visible()
    expect(page.locator("tr[data-action=b100] a")).to_have_text("Bet 5bb")
    shown = action_cells(page, "b100")
    assert shown[:2] == in_chips[:2]  # frequency and combos have no unit
    assert shown[2] == pytest.approx(in_chips[2] / 20, abs=0.0051)
    page.locator("tr[data-action=b100] a").click()
    expect_to_act(page, "IP")
    expect(page.get_by_text("5bb to call")).to_be_visible()
    expect(page.get_by_role("navigation", name="Way to this node")).to_contain_text("Bet 5bb")
    page.reload()
    expect(page.get_by_text("5bb to call")).to_be_visible()  # the unit is remembered
    choose(page, "chips")
    page.go_back()
    expect_to_act(page, "OOP")
    own = page.locator("tr[data-player='0'] [data-part=ev]")
    assert number(own.inner_text()) == ev
