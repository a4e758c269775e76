"""What a reader does on the page, by the names that are written there."""

import csv
import re
from pathlib import Path
from typing import Any

from tests.web.browser.needs import PATIENCE, RIVER, TARGET, need

need()

from playwright.sync_api import expect  # noqa: E402  (only where it is installed)

expect.set_options(timeout=PATIENCE)
REPORTS = "/api/reports"


def open_result(page: Any, server: Any, job: str) -> None:
    """Go to the result of a job and wait for it."""
    page.goto(f"{server.home}#/result/{job}")
    expect_done(page)


def expect_done(page: Any) -> None:
    """Wait until the result of a solve is on the screen, and no longer one on the way to it."""
    expect(page.locator(".job-link")).to_have_text(re.compile(r"\d iterations\s*$"))
    expect(page.get_by_role("grid")).to_have_count(1)
    expect(page.get_by_label("Actions")).to_be_visible()


def expect_to_act(page: Any, side: str) -> None:
    """Wait until the node on the screen is a player's decision, IP's or OOP's."""
    here = page.get_by_role("navigation", name="Way to this node").locator(".here")
    expect(here).to_have_text(f"{side} to act")


def clear(page: Any) -> None:
    """Begin with an empty spot instead of the example."""
    page.get_by_role("button", name="Clear", exact=True).last.click()
    expect(page.get_by_label("Board", exact=True)).to_have_value("")


def write_river(page: Any) -> None:
    """Describe the river spot by hand on an empty page: cards clicked, fields typed."""
    clear(page)
    for card in RIVER["board"].split():
        page.locator(f".deck [data-card='{card}']").click()
    page.get_by_label("Pot", exact=True).fill(str(RIVER["pot"]))
    page.get_by_label("Stack behind").fill(str(RIVER["stack"]))
    for player, text in enumerate(RIVER["ranges"]):
        page.locator(f"#range-{player}-text").fill(text)
    for kind, text in RIVER["river"].items():
        page.get_by_label(f"River {kind} sizes").fill(text)
    page.get_by_label("Target, % of pot").fill(TARGET)


def solve(page: Any) -> None:
    """Press the button once the spot's size is told, and wait for the result."""
    expect(page.get_by_text("Information sets")).to_be_visible()
    page.get_by_role("button", name="Solve", exact=True).click()
    expect_done(page)


def number(text: str) -> float:
    """The number that a cell shows."""
    return float(re.sub(r"[^\d.\-−]", "", text).replace("−", "-"))


def action_cells(page: Any, word: str) -> list[float]:
    """Frequency in percent, combos and EV of an action, as shown."""
    cells = page.locator(f"tr[data-action='{word}'] td.num")
    return [number(text) for text in cells.all_inner_texts()]


def saved_rows(page: Any, button: Any) -> list[dict[str, str]]:
    """The rows of the CSV file that a button offers."""
    with page.expect_download() as waiting:
        button.click()
    with Path(waiting.value.path()).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def open_making(page: Any, server: Any) -> Any:
    """The form that makes a report, whether or not there are reports already."""
    page.goto(f"{server.home}#/reports")
    below = page.get_by_text("Make a report", exact=True)  # a list of reports, folded
    form = page.get_by_role("form", name="Make a report")
    expect(below.or_(form).first).to_be_visible()
    if below.count():
        below.click()
    return form


def choose_report(page: Any, server: Any, file: Path) -> None:
    """Choose a file of five flops at once, whatever reports there are, and see it shown."""
    page.goto(f"{server.home}#/reports")
    with page.expect_response(
        lambda answer: answer.request.method == "POST" and f"{REPORTS}?" in answer.url
    ):
        page.locator("input[type=file]").set_input_files(file)
    newest = server.ask(REPORTS)["reports"][0]["id"]
    expect(page).to_have_url(f"{server.home}#/reports/{newest}")
    expect(page.locator("tr[data-board]")).to_have_count(5)
