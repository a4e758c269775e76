"""Links into the study page: the spot of a decision, with the bets made among its sizes."""

import json
import tomllib
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from endspiel.betting.menu import STREET_NAMES, StreetMenu, format_menu
from endspiel.cards.range_format import format_range
from endspiel.cards.text import format_cards
from endspiel.games.spot import Spot
from endspiel.review.played import FOLDED, RootedAction

_MADE = tuple[list[str], list[str]]  # bets and raises of a street, as sizes of a menu


def spot_content(spot: Spot, menu: StreetMenu, actions: Sequence[RootedAction]) -> dict[str, Any]:
    """A spot as the page edits it: a menu a street, and the bets made in chips beside it."""
    content: dict[str, Any] = {
        "board": format_cards(spot.board, " "),
        "pot": spot.pot,
        "stack": spot.stack,
        "ranges": [format_range(weights) for weights in spot.ranges],
        **tomllib.loads("\n".join(spot.rake.dump())),
    }
    made = _made(actions)
    for street in range(spot.street, len(STREET_NAMES)):
        bets, raises = made.get(street, ([], []))
        content[STREET_NAMES[street]] = {
            "bet": ", ".join([*_texts(format_menu(menu.bets[0])), *bets]),
            "raise": ", ".join([*_texts(format_menu(menu.raises[0])), *raises]),
        }
    return content


def page_link(content: dict[str, Any], page: str = "") -> str:
    """The address that opens a spot on the study page; without a page, what follows its own.

    Where the content names a node, that is what the page shows once the spot is solved.
    """
    return _link("spot", content, page)


def tree_link(tree: dict[str, Any], page: str = "") -> str:
    """The address that solves a tree before the flop there, and shows the decision at its line."""
    return _link("preflop", tree, page)


def _link(view: str, content: dict[str, Any], page: str) -> str:
    text = json.dumps(content, separators=(",", ":"))
    return f"{page.rstrip('/')}{'/' if page else ''}#/{view}/open/{quote(text, safe='')}"


def _texts(menu: str) -> list[str]:
    return [menu] if menu else []


def _made(actions: Sequence[RootedAction]) -> dict[int, _MADE]:
    """The bets and raises of a line by street: chips beyond what is to be called."""
    found: dict[int, _MADE] = {}
    level, street, begun = 0, -1, 0
    for action in actions:
        if action.street != street:
            street, begun = action.street, level
        if action.chips != FOLDED and action.chips > level:
            sizes = found.setdefault(street, ([], []))[level > begun]
            sizes.append(f"{action.chips - level}c")
            level = action.chips
    return found
