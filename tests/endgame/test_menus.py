"""Menus by depth: which one is taken, what a file may say, and every refusal in full."""

from math import inf
from pathlib import Path

import pytest

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.endgame.river.menus import load_menus, river_menu
from endspiel.errors import FileError

TWO = """
[[menu]]
up_to = 2.5
bet = "50%, a"
raise = "2x"
max_raises = 3
add_allin_threshold = 1.5
force_allin_threshold = 0.25
merging_threshold = 0.125
[[menu]]
bet = "100%"
raise = ""
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "menus.toml"
    path.write_text(text)
    return path


def test_a_file_says_depths_sizes_and_how_they_are_tidied(tmp_path: Path) -> None:
    shallow, deep = load_menus(written(tmp_path, TWO))
    nothing = (None, None, None)
    assert (shallow.up_to, deep.up_to) == (2.5, inf)
    assert shallow.sizing == Sizing(
        (*nothing, StreetMenu.parse("50%, a", "2x")), 3, 1.5, 0.25, 0.125
    )
    assert deep.sizing == Sizing((*nothing, StreetMenu.parse("100%", "")))


def test_a_depth_belongs_to_the_shallower_menu(tmp_path: Path) -> None:
    shallow, deep = menus = load_menus(written(tmp_path, TWO))
    assert river_menu(100, 0, menus) is shallow.sizing
    assert river_menu(100, 250, menus) is shallow.sizing
    assert river_menu(100, 251, menus) is deep.sizing


def test_the_shipped_menus_are_the_default() -> None:
    first, *_, last = load_menus()
    assert river_menu(100, 40) is first.sizing  # up to 0.4 pots
    assert river_menu(100, 41) is not first.sizing
    assert river_menu(1, 10**9) is last.sizing
    assert first.sizing.max_raises == 4


KEYS = (
    "a menu has add_allin_threshold, bet, force_allin_threshold, max_raises, merging_threshold, "
    "raise, up_to"
)
LIST = "menus are a list of [[menu]] tables, and nothing else"
WHOLE = "[[menu]]\nbet = 'a'\nraise = 'a'\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", f": {LIST}"),
        ("menu = []", f": {LIST}"),
        ("menu = 1", f": {LIST}"),
        (f"name = 'x'\n{WHOLE}", f": {LIST}"),
        ("[[menu]]\nbet = 'a'", ", menu 1: the key raise is missing"),
        (f"{WHOLE}[[menu]]\nraise = 'a'", ", menu 2: the key bet is missing"),
        (f"{WHOLE}bets = 1", f", menu 1: no key 'bets'; {KEYS}"),
        ("[[menu]]\nbet = 1\nraise = 'a'", ", menu 1: bet must be text in quotes"),
        (f"{WHOLE}up_to = '1'", ", menu 1: up_to must be a number"),
        (f"{WHOLE}max_raises = true", ", menu 1: max_raises must be a number"),
        (
            f"[[menu]]\nbet = 'a'\nraise = 'a'\nup_to = 2\n{WHOLE}up_to = 2\n{WHOLE}",
            ": the depths up_to must ascend",
        ),
        (
            f"{WHOLE}up_to = 2",
            ": the last menu is for all that is deeper and has no up_to",
        ),
    ],
)
def test_refusals_name_the_file_and_the_menu(tmp_path: Path, text: str, complaint: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as caught:
        load_menus(path)
    assert str(caught.value) == f"{path}{complaint}"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(FileError) as caught:
        load_menus(path)
    assert str(caught.value) == f"there is no file {path}"
