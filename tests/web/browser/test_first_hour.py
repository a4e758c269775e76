"""A newcomer's script, from the first page to ten reviewed hands, in at most 40 clicks."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from endspiel.arena.protocol.room_text import SavedHand, history_text
from endspiel.cards.deck import hand_index
from endspiel.cards.ranges import parse_range
from endspiel.rules.log import Record
from endspiel.web.judging import YOU
from endspiel.web.presets import POT_RANGES, preset
from tests.web.browser.needs import need
from tests.web.browser.steps import expect, expect_done, expect_to_act
from tests.web.test_table_hands import record_of

need()

MOST_CLICKS = 40
PLAYED = "r250c/cr415c/cc/cr700c"  # a raised pot, a bet on the flop and one on the river


class Newcomer:
    """A reader who clicks; a field that is typed into is clicked first."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    def click(self, place: Any) -> None:
        self.clicks += 1
        place.click()

    def type(self, place: Any, text: str) -> None:
        self.click(place)
        place.fill(text)

    def press(self, name: str, within: Any = None) -> None:
        self.click((within or self.page).get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).last)


def ten_hands() -> list[Record]:
    """Hands that the usual ranges of a raised pot have, on both sides."""
    blind, button = (parse_range(preset(name)) for name in POT_RANGES["single-raised pot"])
    found: list[Record] = []
    number = 0
    while len(found) < 10:
        number += 1
        record = record_of(PLAYED, number, depth=100)
        places = [hand_index(*hole) for hole in record.shown.holes]
        if np.all([blind[places[0]], button[places[1]]]):
            found.append(record)
    return found


def test_the_first_hour_takes_few_clicks(page: Any, tmp_path: Path) -> None:
    reader = Newcomer(page)
    # solve the example that the page opens with
    reader.type(page.get_by_label("Target, % of pot"), "2")
    reader.press("Solve")
    expect_done(page)
    # flush draws alone
    reader.press("Filter")
    reader.click(page.locator("[data-kind='flush draw'] input"))
    expect(page.locator("tr[data-row]").first).to_contain_text("flush draw")
    # an opponent who never raises and always folds to a bet
    reader.click(page.locator("tr[data-action=b150] a"))
    expect_to_act(page, "IP")
    reader.press("Lock")
    reader.click(
        page.get_by_role("group", name="All hands").get_by_role("button", name="Only").first
    )
    reader.press("Lock this node")
    first = page.url
    reader.press("Re-solve with 1 lock")
    expect(page).not_to_have_url(first)
    expect_done(page)
    reader.follow("Compare")
    expect(page).to_have_url(re.compile(r"#/compare/\w+\+\w+"))
    expect(page.get_by_role("grid").first).to_be_visible()
    page.go_back()
    reader.clicks += 1
    expect_done(page)
    # three decisions of the new solve
    reader.follow("Drill")
    for _ in range(3):
        expect(page.locator("[data-answer]:enabled").first).to_be_visible()
        reader.click(page.locator("[data-answer]").first)
        expect(page.locator("[data-grade]")).to_be_visible()
        reader.press("Next")
    # ten hands of last night
    file = tmp_path / "last night.txt"
    file.write_text(history_text([SavedHand(one, 1.8e9) for one in ten_hands()], "T", YOU))
    reader.follow("Review")
    reader.clicks += 1
    page.locator("input[type=file]").set_input_files(file)
    assumed = page.get_by_role("form", name="What is assumed")
    expect(assumed.get_by_text("Single-raised pot, 10 hands")).to_be_visible()
    reader.press("the river", assumed)
    reader.press("Review 10 hands", assumed)
    result = page.get_by_label("Result", exact=True)
    expect(result.locator("[data-value=assumed]")).to_contain_text("single-raised pot")
    judged = page.locator("[data-total=river] td").nth(1)
    assert int(judged.inner_text()) >= 10
    assert reader.clicks <= MOST_CLICKS
