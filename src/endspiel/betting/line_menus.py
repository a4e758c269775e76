"""Menus written out as lines, with a line of somebody's own among them."""

import numpy as np

from endspiel.betting.grow import DEFAULT_LIMIT, Point, TreeSetting, grow_along
from endspiel.betting.lines import Line, check_line
from endspiel.betting.menu import STREET_NAMES, Sizing
from endspiel.betting.no_limit import menu_raises
from endspiel.betting.tree import DECISION, BettingTree


def lines_with(
    pot: int, stack: int, street: int, sizing: Sizing, line: Line, limit: int = DEFAULT_LIMIT
) -> tuple[Line, ...]:
    """All lines of a menu, and one line more: along it, bets of the menu stay beside its own."""
    table = TreeSetting(pot, stack, (0,) * len(STREET_NAMES), min_bet=1)
    start = Point(street, 0, (0, 0), 0, 1)
    check_line(table, street, line)
    by_menu = menu_raises(table, start, sizing, None)

    def raises(point: Point, rest: Line) -> list[int]:
        own = [chips - point.begun for chips in rest[:1] if chips > point.level]
        return sorted({*by_menu(point), *own})

    def follow(rest: Line, chips: int) -> Line:
        return rest[1:] if rest[:1] == (chips,) else ()

    tree = grow_along(table, start, line, raises, follow, limit)
    bets = np.flatnonzero(tree.action > 0)
    return (line, *(line_to(tree, int(node)) for node in bets))


def line_to(tree: BettingTree, node: int) -> Line:
    """The line from the root to a node."""
    chips: list[int] = []
    while node:
        parent = int(tree.parent[node])
        if tree.kind[parent] == DECISION:
            chips.append(int(tree.spent[node, tree.player[parent]]))
        node = parent
    return tuple(reversed(chips))
