"""Bet menus: what a field shows is what is sent, written to files and remembered."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from endspiel.games.spot import parse_spot
from tests.web.browser.needs import RIVER
from tests.web.browser.steps import expect

TURN: dict[str, Any] = RIVER | {
    "board": "Qs Jh 2h 4c",
    "turn": {"bet": "50%", "raise": "60%"},
    "river": {"bet": ["75%", ""], "raise": ["", "60%"]},
    "max_raises": 0,
    "add_allin_threshold": 1.5,
}
DONKS = [None, "", "33%"]  # the bet sizes, no bet at all, sizes of their own


def with_donk(donk: str | None) -> dict[str, Any]:
    own = {} if donk is None else {"donk": donk}
    return TURN | {"river": TURN["river"] | own}


def load(page: Any, spot: dict[str, Any]) -> None:
    """Open a spot as a file, and wait until it is there."""
    expect(page.get_by_text("Examples…")).to_be_attached()
    page.locator("input[type=file]").set_input_files(
        {"name": "a.json", "mimeType": "application/json", "buffer": json.dumps(spot).encode()}
    )
    expect(page.get_by_label("Stack behind")).to_have_value("400")
    expect_donk(page, spot["river"].get("donk"))


def expect_donk(page: Any, donk: str | None) -> None:
    """Expect the river's donk sizes to be shown as a spot file has them."""
    expect(page.get_by_label("River donk sizes are the bet sizes")).to_be_checked(
        checked=donk is None
    )
    if donk is None:
        expect(page.locator("#river-donk")).to_have_count(0)
    else:
        expect(page.locator("#river-donk")).to_have_value(donk)


def saved(page: Any) -> Any:
    """The spot that the page writes to a file."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save file").click()
    return parse_spot(tomllib.loads(Path(waiting.value.path()).read_text()))


@pytest.mark.parametrize("donk", DONKS)
def test_a_spot_comes_back_from_files_and_reloads(page: Any, donk: str | None) -> None:
    spot = with_donk(donk)
    load(page, spot)
    assert saved(page) == parse_spot(spot)
    page.reload()
    expect(page.locator("#river-bet-ip")).to_have_value("")
    expect_donk(page, donk)
    assert saved(page) == parse_spot(spot)


def test_donk_sizes_that_are_none_are_sent(page: Any) -> None:
    load(page, with_donk(None))
    as_bets = page.get_by_label("River donk sizes are the bet sizes")
    with page.expect_request(lambda request: sent_donk(request) == ""):
        as_bets.uncheck()
    with page.expect_request(lambda request: sent_donk(request) is None):
        as_bets.check()


def sent_donk(request: Any) -> str | None:
    """The river's donk sizes in a check of the spot; None where there are none of its own."""
    if not request.url.endswith("/api/spot/check"):
        return "not a check"
    return request.post_data_json["spot"]["river"].get("donk")


def test_a_copied_menu_leaves_the_donk_sizes_that_it_does_not_show(page: Any) -> None:
    load(page, with_donk("33%"))
    page.get_by_role("button", name="Copy to later streets").click()
    expect(page.locator("#river-bet-ip")).to_have_value("50%")
    expect_donk(page, "33%")


def test_a_file_leaves_how_to_solve_as_it_was(page: Any) -> None:
    page.get_by_label("Target, % of pot").fill("")
    page.get_by_label("Iterations").fill("50")
    expect(page.get_by_label("Target, % of pot")).to_have_attribute("placeholder", "no target")
    load(page, with_donk(None))
    expect(page.get_by_label("Target, % of pot")).to_have_value("")
    expect(page.get_by_label("Iterations")).to_have_value("50")


@pytest.mark.parametrize(("text", "donk"), [("33%", "33%"), ("", None)])
def test_a_spot_kept_before_donk_sizes_could_be_none(
    page: Any, text: str, donk: str | None
) -> None:
    """It comes back as it was solved then: an empty text meant the bet sizes."""
    menu = {"bet": ["75%", "75%"], "raise": ["60%", "60%"], "donk": text}
    kept = {
        **{key: TURN[key] for key in ("board", "ranges")},
        **{"pot": "200", "stack": "400"},
        "menus": dict.fromkeys(("flop", "turn", "river"), menu),
    }
    page.add_init_script(f"sessionStorage.setItem('endspiel.spot', '{json.dumps(kept)}')")
    page.reload()
    expect(page.get_by_label("Stack behind")).to_have_value("400")
    expect_donk(page, donk)
