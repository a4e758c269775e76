"""Whole hands of a solved spot: decisions judged as they are made, and what they cost by street."""

from typing import Any

from tests.web.browser.steps import expect, number, open_result


def test_play_hands_of_a_solved_spot(page: Any, server: Any, solved: str) -> None:
    before = part(server, "river")
    open_result(page, server, solved)
    page.get_by_role("link", name="Drill").click()
    page.get_by_role("group", name="Ask for").get_by_text("Whole hands").click()
    page.get_by_role("group", name="Decisions of").get_by_text("OOP").click()
    hand = page.get_by_role("region", name="Hand", exact=True)
    expect(hand.get_by_text("Your hand, OOP")).to_be_visible()
    decided, total = hand.locator("tr[data-decision]"), 0
    for _ in range(2):
        count = 0
        while not hand.locator("[data-ending]").count():
            hand.locator("[data-answer]").first.click()
            count += 1
            expect(decided).to_have_count(count)
            expect(
                hand.locator("[data-ending]").or_(hand.locator("[data-answer]:enabled")).first
            ).to_be_visible()
        lost = [number(row.locator("td").nth(4).inner_text()) for row in decided.all()]
        assert abs(sum(lost) - number(hand.locator("[data-value=lost]").inner_text())) < 0.02
        expect(hand.get_by_text("Its hand")).to_be_visible()
        total += count
        parts = page.get_by_role("group", name="By street and flop")
        expect(parts.locator("tr[data-part=river] td").first).to_have_text(str(before + total))
        hand.get_by_role("button", name="Next hand").click()
        expect(decided).to_have_count(0)
    expect(page.locator("tr[data-when='This visit'] td").first).to_have_text(str(total))
    expect(parts.locator("tr[data-part='two-tone']")).to_be_visible()
    expect(parts.locator("tr[data-part='whole hands']")).to_be_visible()
    shown = hand.locator(".seats .cards").nth(1).locator("[data-card]")
    held = [card.get_attribute("data-card") for card in shown.all()]
    page.reload()  # the hand goes on
    expect(hand.get_by_text("Your hand, OOP")).to_be_visible()
    assert [card.get_attribute("data-card") for card in shown.all()] == held
    page.keyboard.press("1")
    expect(decided).to_have_count(1)
    page.get_by_role("group", name="Ask for").get_by_text("Single decisions").click()
    expect(page.get_by_label("Question").get_by_text("Your hand")).to_be_visible()


def part(server: Any, name: str) -> int:
    """How many decisions of a part are counted so far."""
    days = server.ask("/api/train")["parts"].values()
    return sum(day[name]["questions"] for day in days if name in day)
