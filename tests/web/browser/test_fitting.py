"""A flop that solves: bets to begin with, the reason for a refusal, and the change that fits."""

import json
from typing import Any

from tests.web.browser.steps import RIVER, clear, expect

FLOP: dict[str, Any] = RIVER | {
    "board": "Ks 7h 2d",
    "stack": 4000,
    **{name: {"bet": "33%, 75%", "raise": "60%"} for name in ("flop", "turn", "river")},
}


def bets(page: Any, street: str) -> Any:
    return page.get_by_label(f"{street} bet sizes", exact=True)


def test_bets_to_begin_with_follow_the_board_until_they_are_touched(page: Any) -> None:
    clear(page)
    board = page.get_by_label("Board", exact=True)
    board.fill("Ks 7h 2d")
    expect(bets(page, "Flop")).to_have_value("33%, 75%")
    expect(bets(page, "River")).to_have_value("75%")
    expect(page.get_by_text("At most 2 bets and raises a street")).to_be_visible()
    board.fill("Ks 7h 2d 3c")
    expect(bets(page, "River")).to_have_value("50%, 100%")
    expect(page.get_by_text("At most 2 bets and raises")).to_have_count(0)
    bets(page, "River").fill("66%")
    board.fill("Ks 7h 2d")
    expect(bets(page, "River")).to_have_value("66%")


def test_a_spot_too_large_is_refused_beside_the_button_with_the_change_that_fits(
    page: Any, server: Any
) -> None:
    whole = server.ask("/api/spot/check", {"spot": FLOP})

    def small(route: Any) -> None:
        """The answer of a machine with half of the memory that the spot needs."""
        answer = route.fetch().json()
        most = whole["memory_bytes"] // 2
        fits = answer["memory_bytes"] <= most
        route.fulfill(json=answer | {"memory_limit_bytes": most, "fits": fits, "why": "too large"})

    lean = FLOP | {"max_raises": 2} | {name: {"bet": "75%"} for name in ("turn", "river")}
    size = server.ask("/api/spot/check", {"spot": lean})
    assert size["memory_bytes"] < whole["memory_bytes"] // 2
    page.route("**/api/spot/check", small)
    changes = ["at most 2 bets and raises a street", "one bet size on the turn"]
    fit = {"spot": lean, "changes": changes, "size": size}
    page.route("**/api/spot/fit", lambda route: route.fulfill(json=fit))
    page.locator("input[type=file]").set_input_files(
        {"name": "a.json", "mimeType": "application/json", "buffer": json.dumps(FLOP).encode()}
    )
    start = page.locator(".start")
    expect(start.get_by_role("alert")).to_contain_text("It needs")
    expect(start.get_by_role("alert")).to_contain_text(f"With {', '.join(changes)} it fits")
    solve = page.get_by_role("button", name="Solve", exact=True)
    expect(solve).to_be_disabled()
    start.get_by_role("button", name="Use these bets").click()
    expect(solve).to_be_enabled()
    expect(start.get_by_role("alert")).to_have_count(0)
    expect(bets(page, "Turn")).to_have_value("75%")
    expect(bets(page, "Flop")).to_have_value("33%, 75%")
    expect(page.get_by_label("Most raises a street")).to_have_value("2")
    expect(page.get_by_label("Pot", exact=True)).to_have_value(str(FLOP["pot"]))


def test_what_is_wrong_stands_beside_the_button(page: Any) -> None:
    clear(page)
    page.get_by_label("Board", exact=True).fill("Ks 7h")
    page.get_by_role("button", name="Solve", exact=True).click()
    refused = page.locator("[data-value=refused]")
    expect(refused).to_have_text("Pot is missing")
    page.get_by_label("Pot", exact=True).fill("0")
    page.get_by_label("Stack behind").fill("0")
    expect(refused).to_contain_text("more)")
    expect(refused).to_contain_text("A board has 0, 3, 4 or 5 cards")


def test_the_first_flop_of_a_player_fits_into_a_small_machine(page: Any, server: Any) -> None:
    page.get_by_label("Example spots").select_option("Flop, button against big blind")
    expect(page.get_by_label("Board", exact=True)).to_have_value("Ks 7h 2d")
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()
    with page.expect_request("**/api/spot/check") as asked:
        page.get_by_label("Target, % of pot").fill("0.5")
    sent = json.loads(asked.value.post_data)
    assert sent["spot"]["big_blind"] == 100
    size = server.ask("/api/spot/check", sent)
    assert size["memory_bytes"] < 4e9
