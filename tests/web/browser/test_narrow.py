"""The page on a phone, and with the keyboard alone."""

from collections.abc import Callable
from typing import Any

from tests.web.browser.needs import RIVER
from tests.web.browser.steps import clear, expect, expect_done

FITS = "document.documentElement.scrollWidth <= window.innerWidth"
CUT = """() => [...document.querySelectorAll('.tabs a, .segmented button')].filter((one) => {
  const { left, right } = one.getBoundingClientRect();
  return left < 0 || right > innerWidth || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.textContent)"""
PANELS = (("Lock", "All hands"), ("Files", "All hands (.json)"))


def test_every_view_fits_a_phone(open_tab: Callable[..., Any], server: Any, solved: str) -> None:
    page = open_tab(390, 844, has_touch=True)
    expect(page.get_by_role("grid")).to_have_count(2)
    assert page.evaluate(FITS)
    clear(page)
    page.get_by_role("grid").first.locator("[data-class=AKs]").tap()
    expect(page.locator("#range-0-text")).to_have_value("AKs")
    page.goto(f"{server.home}#/result/{solved}")
    expect_done(page)
    assert page.evaluate(FITS)
    page.locator("[data-class=KTs]").tap()
    expect(page.locator("tr[data-hand]")).to_have_count(4)
    assert page.evaluate(FITS)
    for name, sign in PANELS:
        page.get_by_role("button", name=name, exact=True).tap()
        expect(page.get_by_text(sign).first).to_be_visible()
        assert page.evaluate(FITS)
    other = server.ask("/api/jobs", {"spot": RIVER | {"rake": "5%"}, "target_percent": 1})["id"]
    page.goto(f"{server.home}#/result/{other}")
    expect_done(page)
    page.goto(f"{server.home}#/compare/{solved}+{other}")
    expect(page.locator("tr[data-player]")).to_have_count(2)
    assert page.evaluate(FITS)
    views = ("Solve", ".facts"), ("Play", ".setup"), ("Papers", ".paper"), ("Preflop", ".panel")
    for name, sign in (*views, ("Library", "tr[data-item]"), ("Review", ".panel")):
        page.get_by_role("link", name=name, exact=True).tap()
        expect(page.locator(sign).first).to_be_visible()
        assert page.evaluate(FITS), name
        assert page.evaluate(CUT) == [], name


def test_dark_is_remembered(page: Any) -> None:
    page.get_by_role("button", name="Change between light and dark").click()
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == theme == "dark"
