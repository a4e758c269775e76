"""Charts before the flop: shown, followed, and handed on to a spot."""

import json
from pathlib import Path
from typing import Any

from endspiel.review.links import tree_link
from tests.web.browser.needs import need
from tests.web.browser.steps import expect, saved_rows

need()

NAMES = ("AA", "AKs", "72o")
CHARTS: dict[str, Any] = {
    "stack": 40,
    "charts": [
        {
            "line": "",
            "player": "button",
            "pot": 1.5,
            "to_call": 0.5,
            "reach": 1.0,
            "actions": ["f", "c", "r250"],
            "names": ["fold", "call", "raise to 2.5"],
            "frequencies": [0.2, 0.3, 0.5],
            "classes": {"AA": [0, 0.1, 0.9], "AKs": [0, 0, 1], "72o": [1, 0, 0]},
            "weights": dict.fromkeys(NAMES, 1.0),
            "evs": {"AA": 3.2, "AKs": 1.5, "72o": 0.0},
        },
        {
            "line": "r250",
            "player": "big blind",
            "pot": 3.5,
            "to_call": 1.5,
            "reach": 0.5,
            "actions": ["f", "c"],
            "names": ["fold", "call"],
            "frequencies": [0.4, 0.6],
            "classes": {"AA": [0, 1], "AKs": [0, 1], "72o": [1, 0]},
            "weights": {"AA": 1.0, "AKs": 0.5, "72o": 1.0},
            "evs": {"AA": 4.0, "AKs": 2.0, "72o": None},
        },
    ],
    "flops": [
        {"line": "r250 c", "pot": 5.0, "stack": 37.5, "reach": 0.3, "ranges": ["22+,AK", "AA,AKs"]}
    ],
}


def test_charts_lead_to_a_flop(page: Any, server: Any, tmp_path: Path) -> None:
    page.goto(f"{server.home}#/preflop")
    (tmp_path / "other.json").write_text("{}")
    page.locator("input[type=file]").set_input_files(tmp_path / "other.json")
    expect(page.get_by_text("has no charts")).to_be_visible()
    (tmp_path / "forty.json").write_text(json.dumps(CHARTS))
    page.locator("input[type=file]").set_input_files(tmp_path / "forty.json")
    expect(page.locator("[data-class=AA]")).to_have_attribute(
        "aria-label", "AA: fold 0%, call 10%, raise to 2.5 90%"
    )
    expect(page.locator("tr[data-action=r250] td").nth(1)).to_have_text("50.0%")
    page.locator("[data-class=AA]").click()
    expect(page.locator("[data-told=class]")).to_contain_text("Limp 10.0%")
    expect(page.locator("[data-told=class]")).to_contain_text("Raise to 2.5bb 90.0%")
    page.get_by_role("link", name="What follows").click()
    expect(page.get_by_text("BB decides after BTN raises 2.5bb")).to_be_visible()
    page.get_by_role("button", name="EV", exact=True).click()
    expect(page.locator("[data-class=AKs]")).to_have_attribute("aria-label", "AKs: EV 2.00 bb")
    rows = saved_rows(page, page.get_by_role("button", name="Chart as CSV"))
    assert (len(rows), rows[0]) == (
        169, {"Class": "AA", "Weight": "1", "fold": "0", "call": "1", "EV": "4"},
    )  # fmt: skip
    page.reload()  # the file is remembered
    page.locator("tr[data-action=c]").get_by_role("button", name="Open a flop").click()
    expect(page.get_by_label("Pot", exact=True)).to_have_value("500")
    expect(page.get_by_label("Stack behind")).to_have_value("3750")
    expect(page.locator("#range-0-text")).to_have_value("22+,AK")


def test_a_tree_is_solved_here(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/preflop")
    form = page.get_by_role("form", name="Solve a tree before the flop")
    form.get_by_role("button", name="Flops by a formula, a sketch").click()
    for label, text in (
        ("Stack, the smaller", "8"),
        ("Ante of each", "0.1"),
        ("First raises", "2x"),
        ("Most raises", "1"),
        ("Prizes, first place first", "20, 50"),
        ("Stacks of blind and button", "15 / 8"),
    ):
        form.get_by_label(label).fill(text)
    form.get_by_role("button", name="Solve the tree").click()
    expect(form.get_by_role("alert")).to_contain_text("first place's first and largest")
    form.get_by_label("Prizes, first place first").fill("50, 20")
    form.get_by_role("button", name="Solve the tree").click()
    expect(page.get_by_role("heading", name="8 big blinds, 2x")).to_be_visible()
    page.locator("tr[data-flop='r200 c']").get_by_role("button", name="Open a flop").click()
    expect(page.get_by_label("Pot", exact=True)).to_have_value("420")
    expect(page.get_by_label("Stack behind")).to_have_value("1290 / 590")


def test_charts_of_any_depth_are_here_at_once(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/preflop")
    form = page.get_by_role("form", name="Solve a tree before the flop")
    form.get_by_label("Stack, the smaller").fill("37")
    form.get_by_role("button", name="Solve the tree").click()
    expect(page.get_by_role("heading", name="37 big blinds, 2x, 3x, a")).to_be_visible()
    expect(page.locator("[data-told=value]")).to_contain_text("that come with the package")
    expect(page.locator('[data-class="72o"]')).to_be_visible()


def test_a_tree_whose_flops_are_played_is_stopped_with_its_charts(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/preflop")
    form = page.get_by_role("form", name="Solve a tree before the flop")
    for label, text in (
        ("Stack, the smaller", "30"),
        ("Ante of each", "0.1"),
        ("Most raises", "1"),
    ):
        form.get_by_label(label).fill(text)
    form.get_by_role("button", name="Solve the tree").click()
    status = page.get_by_role("status", name="Tree being solved")
    expect(status).to_contain_text("30 big blinds, 2x, 3x, a")
    page.reload()  # the server goes on, and the page finds it
    expect(form.get_by_role("button", name="Solving…")).to_be_disabled()
    status.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("heading", name="30 big blinds, 2x, 3x, a, stopped")).to_be_visible()
    expect(page.locator("[data-told=value]")).to_contain_text("a value net at the end of the flop")


def test_push_or_fold_is_solved_here_exactly(page: Any, server: Any) -> None:
    page.goto(f"{server.home}#/preflop")
    form = page.get_by_role("form", name="Solve a tree before the flop")
    form.get_by_role("button", name="Push or fold, exactly").click()
    expect(form.get_by_label("First raises")).to_have_count(0)
    form.get_by_label("Stack, the smaller").fill("0.3")
    form.get_by_role("button", name="Solve push or fold").click()
    expect(form.get_by_role("alert")).to_contain_text("nothing to decide")
    form.get_by_label("Stack, the smaller").fill("10")
    form.get_by_role("button", name="Solve push or fold").click()
    expect(page.get_by_role("heading", name="10 big blinds, push or fold")).to_be_visible()
    expect(page.locator("[data-told=value]")).to_contain_text("wins -0.0454 bb a hand")
    expect(page.locator("[data-told=value]")).to_contain_text("nothing here is a model")
    expect(page.locator("tr[data-action=r1000] td").nth(1)).to_have_text("58.3%")
    page.get_by_role("link", name="What follows").click()
    expect(page.locator("tr[data-action=c] td").nth(1)).to_have_text(
        "36.6%"
    )  # of hands that meet a push


def test_a_link_opens_its_tree_and_node(page: Any, server: Any) -> None:
    tree = {"stack": 8, "small_blind": 0.4, "opens": "2x, a", "max_raises": 1, "line": "r200",
            "flops_by": "model"}  # fmt: skip
    page.goto(f"{server.home}{tree_link(tree)}")
    expect(page.get_by_text("BB decides after BTN raises 2bb")).to_be_visible()
    expect(page.locator("[data-told=value]")).to_contain_text("a model")
    page.get_by_text("Solve another tree").click()
    form = page.get_by_role("form", name="Solve a tree before the flop")
    expect(form.get_by_label("Small blind", exact=True)).to_have_value("0.4")
    page.goto(f"{server.home}#/preflop/open/nothing")
    expect(page.get_by_text("The link holds no tree before the flop.")).to_be_visible()
