"""From an empty page to a solved river, with the numbers that the library finds."""

from typing import Any

import pytest

import endspiel as es
from endspiel.cards.classes import class_names, grid
from endspiel.games.spot import parse_spot
from tests.web.browser.steps import (
    RIVER,
    TARGET,
    action_cells,
    clear,
    expect,
    expect_to_act,
    number,
    open_result,
    solve,
    write_river,
)


@pytest.fixture(scope="module")
def truth() -> Any:
    return es.solve(parse_spot(RIVER), target=float(TARGET) / 100)


def test_newcomer_solves_a_river(page: Any, truth: Any) -> None:
    clear(page)
    expect(page.get_by_text("appear here once the spot is complete")).to_be_visible()
    write_river(page)
    solve(page)

    view = truth.view("")
    for word, frequency, ev in zip(
        view.actions, view.frequencies, (view.strategy * view.action_ev) @ view.weight, strict=True
    ):
        shown = action_cells(page, word)
        assert shown[0] == pytest.approx(100 * frequency, abs=0.051)
        assert shown[2] == pytest.approx(ev / frequency, abs=0.0051)
    for player, ev in ((0, view.mean(view.ev)), (1, 200 - view.mean(view.ev))):
        cell = page.locator(f"tr[data-player='{player}'] [data-part=ev]")
        assert number(cell.inner_text()) == pytest.approx(ev, abs=0.0051)


def test_chart_and_combos_show_the_strategy(
    page: Any, server: Any, solved: str, truth: Any
) -> None:
    open_result(page, server, solved)
    view = truth.view("")
    cell = class_names().index("KTs")
    page.locator("[data-class=KTs]").click()
    expect(page.locator("tr[data-hand]")).to_have_count(4)
    for row in page.locator("tr[data-hand]").all():
        hand = row.get_attribute("data-hand")
        cells = [text.splitlines() for text in row.locator("td.num").all_inner_texts()]
        shown = [number(first) for first, *_ in cells]
        wanted = truth.strategy("", hand)
        assert shown[: len(wanted)] == pytest.approx([100 * p for p in wanted.values()], abs=0.051)
        k = view.chosen(hand)[0]
        under = [number(lines[1]) for lines in cells[: len(wanted)]]
        assert under == pytest.approx(view.action_ev[:, k].tolist(), abs=0.0051)
        assert shown[len(wanted)] == pytest.approx(truth.ev("", hand), abs=0.0051)
    equity = page.get_by_role("group", name="View").get_by_role("button", name="Equity")
    equity.click()
    expect(equity).to_have_attribute("aria-pressed", "true")
    mean = grid(view.by_hand(view.equity), view.by_hand(view.weight)).ravel()[cell]
    assert number(page.locator("[data-class=KTs] i").inner_text()) == pytest.approx(
        100 * mean, abs=0.51
    )


def test_walk_down_the_tree_and_back(page: Any, server: Any, solved: str, truth: Any) -> None:
    open_result(page, server, solved)
    page.locator("tr[data-action=b100] a").click()
    expect_to_act(page, "IP")
    expect(page.get_by_text("100 to call")).to_be_visible()
    shown = action_cells(page, "c")[0]
    assert shown == pytest.approx(100 * truth.view("b100").summary()["actions"]["c"], abs=0.051)
    page.locator("tr[data-action=f] a").click()
    expect(page.get_by_text("OOP takes the pot of 300")).to_be_visible()
    page.go_back()
    expect_to_act(page, "IP")
    page.get_by_role("navigation", name="Way to this node").get_by_text("Bet 100").click()
    expect_to_act(page, "OOP")
