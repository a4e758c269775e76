"""Betting menus of river endgames by pot and stack, from a data file that anybody may edit."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.errors import EndspielError, FileError
from endspiel.reading import read_text

SHIPPED = Path(__file__).parent / "data" / "menus.toml"
_KEYS = frozenset(
    (
        "up_to",
        "bet",
        "raise",
        "max_raises",
        "add_allin_threshold",
        "force_allin_threshold",
        "merging_threshold",
    )
)


@dataclass(frozen=True)
class DepthMenu:
    """The menu of all endgames up to a depth."""

    up_to: float  # what is behind as a multiple of the pot; infinite for the last menu
    sizing: Sizing


def river_menu(pot: int, stack: int, menus: Sequence[DepthMenu] | None = None) -> Sizing:
    """The menu of an endgame with this pot, and this much behind; the shipped ones by default."""
    menus = load_menus() if menus is None else menus
    return next(menu.sizing for menu in menus if stack <= menu.up_to * pot)


@cache
def load_menus(path: Path = SHIPPED) -> tuple[DepthMenu, ...]:
    """The menus of a file, shallowest first."""
    try:
        content = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FileError(f"cannot read the menus of {path}: {error}") from error
    entries = content.get("menu")
    if list(content) != ["menu"] or not isinstance(entries, list) or not entries:
        raise FileError(f"{path}: menus are a list of [[menu]] tables, and nothing else")
    menus = []
    for number, entry in enumerate(entries, 1):
        try:
            menus.append(_menu_of(entry))
        except EndspielError as error:
            raise FileError(f"{path}, menu {number}: {error}") from error
    _check_depths(path, [menu.up_to for menu in menus])
    return tuple(menus)


def _check_depths(path: Path, depths: list[float]) -> None:
    if any(low >= high for low, high in pairwise(depths)):
        raise FileError(f"{path}: the depths up_to must ascend")
    if depths[-1] != inf:
        raise FileError(f"{path}: the last menu is for all that is deeper and has no up_to")


def _menu_of(entry: Mapping[str, Any]) -> DepthMenu:
    for key, value in entry.items():
        if key not in _KEYS:
            raise FileError(f"no key {key!r}; a menu has {', '.join(sorted(_KEYS))}")
        text = key in ("bet", "raise")
        if not isinstance(value, str if text else (int, float)) or isinstance(value, bool):
            raise FileError(f"{key} must be {'text in quotes' if text else 'a number'}")
    options = dict(entry)
    try:
        street = StreetMenu.parse(options.pop("bet"), options.pop("raise"))
    except KeyError as error:
        raise FileError(f"the key {error.args[0]} is missing") from error
    depth = float(options.pop("up_to", inf))
    return DepthMenu(depth, Sizing((None, None, None, street), **options))
