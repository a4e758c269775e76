"""The range editor, and refusals at every field."""

import json
from typing import Any

import pytest

from tests.web.browser.steps import RIVER, clear, expect, write_river


def cell(page: Any, player: int, name: str) -> Any:
    return page.get_by_role("grid").nth(player).locator(f"[data-class='{name}']")


def test_paint_a_range(page: Any) -> None:
    clear(page)
    text = page.locator("#range-0-text")
    cell(page, 0, "AA").click()
    expect(text).to_have_value("AA")
    # a drag along the suited aces with half a brush
    page.get_by_label("Brush").first.fill("50")
    cell(page, 0, "AKs").hover()
    page.mouse.down()
    cell(page, 0, "AJs").hover()
    page.mouse.up()
    expect(text).to_have_value("AA,AKs:0.5,AJs:0.5")
    expect(cell(page, 0, "AKs")).to_have_attribute("aria-label", "AKs: weight 50%")
    # again over a cell that has the brush's weight erases it
    cell(page, 0, "AKs").click()
    expect(text).to_have_value("AA,AJs:0.5")


def test_paint_by_keyboard_and_by_combo(page: Any) -> None:
    clear(page)
    text = page.locator("#range-1-text")
    cell(page, 1, "AA").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("7")
    expect(text).to_have_value("KK:0.7")
    page.get_by_role("group", name="Combos of KK").nth(0).get_by_role("button").first.click()
    expect(cell(page, 1, "KK")).to_have_attribute("aria-label", "KK: weight 75%, combos differ")


def test_combos_of_one_class_are_not_shown_as_anothers(page: Any) -> None:
    clear(page)
    cell(page, 1, "AA").click()
    aces = page.get_by_role("group", name="Combos of AA").last
    expect(aces.get_by_role("button")).to_have_count(6)
    page.route("**/api/range/combos?*", lambda route: None)  # no answer comes
    cell(page, 1, "KK").click()
    kings = page.get_by_role("group", name="Combos of KK")
    expect(kings).to_be_visible()
    expect(kings.get_by_role("button")).to_have_count(0)


def test_presets_and_text(page: Any) -> None:
    clear(page)
    page.get_by_label("Preset for the range out of position").select_option("Everything")
    expect(page.get_by_text("1326 combos")).to_be_visible()
    page.locator("#range-0-text").fill("TT+")
    expect(page.get_by_text("30 combos")).to_be_visible()
    expect(cell(page, 0, "TT")).to_have_attribute("aria-label", "TT: weight 100%")


BAD = [
    ("#board", "Qs Jh 2h Qs", "board"),
    ("#board", "Qs Jh", "board"),
    ("#pot", "many", "pot"),
    ("#pot", "0", "pot"),
    ("#stack", "-5", "stack"),
    ("#stack", "12.5", "stack"),
    ("#range-0-text", "QQ,AKx", "range-0-text"),
    ("#range-1-text", "22:7", "range-1-text"),
    ("#range-1-text", "", "range-1-text"),
    ("#river-bet", "half", "river-bet"),
    ("#river-raise", "-60%", "river-raise"),
    ("#max_raises", "x", "max_raises"),
    ("#add_allin_threshold", "-1", "add_allin_threshold"),
    ("#force_allin_threshold", "no", "force_allin_threshold"),
    ("#merging_threshold", "-1", "merging_threshold"),
    ("#target", "soon", "target"),
    ("#iterations", "-3", "iterations"),
    ("#seconds", "long", "seconds"),
]


def test_bad_input_is_refused_at_its_field(page: Any) -> None:
    write_river(page)
    page.get_by_text("Tree limits, rake, prizes").click()
    expect(page.get_by_text("Information sets")).to_be_visible()
    button = page.get_by_role("button", name="Solve", exact=True)
    for selector, text, field in BAD:
        good = page.locator(selector).input_value()
        page.locator(selector).fill(text)
        button.click()
        expect(button).to_be_enabled()  # an answer that comes later would be to what was typed
        why = page.locator(f"#{field}-why")
        expect(why, f"{selector} = {text!r}").to_be_visible()
        assert len(why.inner_text()) > 10
        expect(page.locator(selector)).to_have_attribute("aria-invalid", "true")
        page.locator(selector).fill(good)
        expect(why).to_have_count(0)
    assert "#/solve" not in page.url


def test_reload_keeps_the_spot(page: Any) -> None:
    write_river(page)
    expect(page.get_by_text("Information sets")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Pot", exact=True)).to_have_value("200")
    expect(page.locator("#range-1-text")).to_have_value(RIVER["ranges"][1])
    expect(page.get_by_text("Information sets")).to_be_visible()


@pytest.mark.parametrize("name", ["spot.toml", "spot.json"])
def test_open_and_save_a_spot_file(page: Any, tmp_path: Any, name: str) -> None:
    write_river(page)
    expect(page.get_by_text("Information sets")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save file").click()
    path = tmp_path / name
    waiting.value.save_as(path if name.endswith("toml") else tmp_path / "spot.toml")
    if name.endswith("json"):
        path.write_text(json.dumps(RIVER | {"pot": 77}))
    clear(page)
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_label("Pot", exact=True)).to_have_value(
        "200" if name.endswith("toml") else "77"
    )
