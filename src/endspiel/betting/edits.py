"""A menu's tree changed at single nodes: ``b100 c / c: +150 -300``.

The node is a line of the tree, without cards; after the colon stand the bets or raises that are
added and removed there, in total chips on the street. What the menu allows elsewhere stays as it
is, and below a bet that was added the menu goes on.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from endspiel.betting.grow import Point, Raises, TreeSetting, grow_along
from endspiel.betting.lines import Line
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.errors import BettingError

_CHANGE: Final = re.compile(r"(?P<sign>[+-])(?P<chips>[0-9]{1,12})")


class EditError(BettingError):
    """An edit that does not fit its tree."""


class NodeEdit(NamedTuple):
    """The sizes added and removed at a node, in chips on its street."""

    node: str  # a line of the tree
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()

    def __str__(self) -> str:
        changes = [f"+{chips}" for chips in self.added] + [f"-{chips}" for chips in self.removed]
        return f"{self.node}: {' '.join(changes)}".strip()


def parse_edit(text: str) -> NodeEdit:
    """The edit of a text, ``NODE: +CHIPS -CHIPS``; the first node is empty."""
    node, colon, changes = text.partition(":")
    found: dict[str, list[int]] = {"+": [], "-": []}
    for word in changes.split():
        change = _CHANGE.fullmatch(word)
        if change is None:
            raise EditError(f"no change {word[:20]!r}: an edit is written 'NODE: +150 -300'")
        found[change["sign"]].append(int(change["chips"]))
    if not colon or not changes.strip():
        raise EditError(f"no edit {text[:40]!r}: it is written 'NODE: +150 -300'")
    return NodeEdit(" ".join(node.split()), tuple(found["+"]), tuple(found["-"]))


def edited_tree(
    table: TreeSetting, start: Point, menu: Raises, edits: Sequence[NodeEdit], limit: int
) -> BettingTree:
    """The tree of a menu with the edits; one whose node is not there is an error."""
    by_chips = {_chips_of(edit.node): edit for edit in edits}
    if len(by_chips) < len(edits):
        raise EditError("a node has two edits: write all its changes into one")

    def raises(point: Point, line: Line) -> list[int]:
        edit = by_chips.get(line)
        if edit is None:
            return list(menu(point))
        return _changed(point, table, list(menu(point)), edit)

    def follow(line: Line, chips: int) -> Line:
        return (*line, chips)

    root: Line = ()
    tree = grow_along(table, start, root, raises, follow, limit)
    for edit in edits:
        _check_node(tree, edit.node)
    return tree


def _check_node(tree: BettingTree, node: str) -> None:
    """Refuse an edit of what is no decision."""
    try:
        found = tree.find(node)
    except BettingError as error:
        raise EditError(str(error)) from error
    if tree.kind[found] != DECISION:
        raise EditError(f"no player decides after {node!r}: there is nothing to edit")


def _chips_of(node: str) -> Line:
    """A node's line as all that each actor has put in since the root, action by action."""
    line: list[int] = []
    level = begun = 0
    for word in node.split():
        if word == "/":
            begun = level
        elif word[0] in "br" and word[1:].isdecimal() and len(word) <= 13:
            level = begun + int(word[1:])
        if word != "/":
            line.append(level)
    return tuple(line)


def bounds(point: Point, table: TreeSetting) -> tuple[int, int]:
    """The least and the most chips on the street of a bet or raise; nothing between without one."""
    most = table.stack - point.begun
    return min(point.last_bet + point.step, most), most if point.level < table.stack else 0


def _changed(point: Point, table: TreeSetting, amounts: list[int], edit: NodeEdit) -> list[int]:
    """The amounts of a node after its edit."""
    where = f"after {edit.node!r}" if edit.node else "at the start"
    least, most = bounds(point, table)
    for chips in edit.removed:
        if chips not in amounts:
            there = ", ".join(map(str, amounts)) or "none"
            raise EditError(f"no bet of {chips} to remove {where}: there is {there}")
    for chips in edit.added:
        if not least <= chips <= most:
            raise EditError(f"no bet of {chips} {where}: it is {least} to {most} chips")
    return sorted({*amounts, *edit.added} - {*edit.removed})
