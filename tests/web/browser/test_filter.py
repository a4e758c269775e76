"""The table of all hands, the filter of hands, and what the chart shows over the strategy."""

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.web.browser.steps import (
    RIVER,
    action_cells,
    expect,
    expect_to_act,
    number,
    open_result,
    saved_rows,
)


@pytest.fixture(scope="module")
def turn(server: Any) -> str:
    """Number of a turn that is solved: there are draws."""
    streets = {"turn": {"bet": "75%"}, "river": {"bet": "75%"}}
    spot = RIVER | streets | {"board": "Qs Jh 2h 4c"}
    return str(server.ask("/api/jobs", {"spot": spot, "target_percent": 2})["id"])


def ask(server: Any, job: str, what: str, **query: str) -> Any:
    return server.ask(f"/api/jobs/{job}/{what}?{urlencode({'line': ''} | query)}")


def table(page: Any) -> Any:
    return page.get_by_label("All hands", exact=True)


def check(page: Any, kind: str) -> None:
    page.locator(f"[data-kind='{kind}'] input").check()


def test_all_hands_sort_scroll_and_are_saved(page: Any, server: Any, turn: str) -> None:
    open_result(page, server, turn)
    hands = {row["hand"]: row for row in ask(server, turn, "hands")["hands"]}
    rows = table(page).locator("tr[data-row]")
    expect(table(page)).to_contain_text(f"{len(hands)} hands")
    best = max(hands.values(), key=lambda row: row["ev"])
    first = rows.first.locator("td")
    assert number(first.nth(-3).inner_text()) == pytest.approx(best["ev"], abs=0.0051)
    named = hands[rows.first.get_attribute("data-row")]
    assert first.nth(1).inner_text().lower() == named["made"]
    shown = [number(text) for text in first.all_inner_texts()[4:8]]
    (check, bet), (of_check, of_bet) = named["strategy"], named["action_ev"]
    assert shown == pytest.approx([100 * check, of_check, 100 * bet, of_bet], abs=0.051)

    assert rows.count() < len(hands)  # the others are drawn when they come into sight
    least = min(row["equity"] for row in hands.values())
    page.get_by_role("region", name="Hands, scroll").evaluate("at => at.scrollTop = 1e6")
    table(page).get_by_role("button", name="Equity").click()
    table(page).get_by_role("button", name="Equity").click()
    head = table(page).locator("th[aria-sort=ascending]")
    expect(head).to_have_text("Equity")
    expect(rows.first.locator("[data-column=equity]")).to_have_text(f"{100 * least:.1f}")
    page.get_by_role("region", name="Hands, scroll").evaluate("at => at.scrollTop = 1e6")
    most = max(row["equity"] for row in hands.values())
    expect(rows.last.locator("[data-column=equity]")).to_have_text(f"{100 * most:.1f}")

    saved = saved_rows(page, table(page).get_by_role("button", name="CSV"))
    assert {row["Hand"] for row in saved} == set(hands)
    for row in saved:
        hand = hands[row["Hand"]]
        assert float(row["EV of bet 150"]) == hand["action_ev"][1]
        assert row["Draws"] == ", ".join(hand["draws"])


def test_a_filter_acts_on_chart_actions_table_and_graph(page: Any, server: Any, turn: str) -> None:
    open_result(page, server, turn)
    whole = action_cells(page, "c")
    page.get_by_role("button", name="Filter", exact=True).click()
    check(page, "flush draw")
    check(page, "set")
    page.get_by_role("combobox", name="Suits").select_option("hx")
    wanted = ask(server, turn, "node", draws="flush draw", made="set", suits="hx")["filtered"]
    assert wanted["combos"][0] == 0  # no set draws to a flush in hearts, which has two on board
    expect(page.locator(".tag.filtered")).to_contain_text("0.0 combos")
    page.locator("[data-kind=set] input").uncheck()
    expect(page.locator(".tag.filtered")).not_to_contain_text("0.0 combos")
    wanted = ask(server, turn, "node", draws="flush draw", suits="hx")["filtered"]
    expect(page.locator(".tag.filtered")).to_contain_text(f"{wanted['combos'][0]:.1f} combos")
    shown = action_cells(page, "c")
    assert shown[0] == pytest.approx(100 * wanted["frequencies"][0], abs=0.051)
    assert shown[1] == pytest.approx(wanted["action_combos"][0], abs=0.051)
    assert shown != whole
    hands = ask(server, turn, "hands", draws="flush draw", suits="hx")["hands"]
    expect(table(page)).to_contain_text(f"{len(hands)} hands")
    held = {row["hand"][::2] for row in hands}
    for cell in page.locator("[data-cell]:not([aria-label*='not held'])").all():
        name = cell.get_attribute("data-class")[:2]
        assert name in held
    page.get_by_role("button", name="Graph", exact=True).click()
    expect(page.locator("tr[data-side=OOP] td").first).to_have_text(f"{len(hands):.0f}.0")

    page.locator("tr[data-action=c] a").click()  # the filter goes along
    expect_to_act(page, "IP")
    expect(page.locator(".tag.filtered")).to_contain_text("flush draw")
    page.locator(".tag.filtered").get_by_role("button", name="Clear filter").click()
    expect(page.locator(".tag.filtered")).to_have_count(0)
    page.go_back()
    expect_to_act(page, "OOP")
    expect(page.locator("tr[data-action=c] td.num").first).to_have_text(f"{whole[0]:.1f}%")


def test_cards_held_are_asked_for_once_they_read(page: Any, server: Any, turn: str) -> None:
    open_result(page, server, turn)
    page.get_by_role("button", name="Filter", exact=True).click()
    holds = page.get_by_label("Holds one of")
    holds.fill("ah 1")
    expect(holds).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".tag.filtered")).to_have_count(0)
    holds.fill("ah 10")
    expect(page.locator(".tag.filtered")).to_contain_text("holds Ah T")
    hands = ask(server, turn, "hands", holds="Ah T")["hands"]
    expect(table(page)).to_contain_text(f"{len(hands)} hands")


def test_evs_and_single_suits_over_the_strategy(page: Any, server: Any, turn: str) -> None:
    open_result(page, server, turn)
    node = ask(server, turn, "node")
    cell = page.locator("[data-class=QQ]")
    at = int(cell.get_attribute("data-cell"))
    expect(cell.locator("i")).to_have_count(0)
    page.get_by_label("EV in cells").check()
    expect(cell.locator("i")).to_have_text(f"{node['classes']['ev'][at]:.0f}")
    page.get_by_label("Single suits").check()
    fields = "cell => cell.style.backgroundImage.split('linear-gradient').length - 1"
    combos = sum(row["hand"][::2] == "QQ" for row in ask(server, turn, "hands")["hands"])
    assert combos == 3
    page.wait_for_function(f"({fields})(document.querySelector('[data-class=QQ]')) === 3")
