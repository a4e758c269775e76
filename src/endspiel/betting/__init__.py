"""Bet menus to betting trees, which know no cards: actions, chips and lines."""

from endspiel.betting.limit import limit_tree
from endspiel.betting.menu import Menu, Size, Sizing, StreetMenu, format_menu, parse_menu
from endspiel.betting.no_limit import game_tree, no_limit_tree
from endspiel.betting.tree import (
    CHANCE,
    DECISION,
    FOLD,
    SHOWDOWN,
    BettingTree,
    Counts,
)

__all__ = [
    "CHANCE",
    "DECISION",
    "FOLD",
    "SHOWDOWN",
    "BettingTree",
    "Counts",
    "Menu",
    "Size",
    "Sizing",
    "StreetMenu",
    "format_menu",
    "game_tree",
    "limit_tree",
    "no_limit_tree",
    "parse_menu",
]
