"""Betting trees given line by line, as scripts for other solvers give them.

A line has one number an action: all that the player who acts has put in since the root. ``0 0 50
150`` is two checks and, a street later, a bet of 50 and a raise to 150. Folds, checks and calls are
always there; lines say which bets and raises there are beside them.
"""

from collections.abc import Sequence

from endspiel.betting.grow import Point, TreeSetting, grow_along
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError

Line = tuple[int, ...]
_Following = dict[int, "_Following"]  # what lines say comes next, by the actor's chips so far


def parse_line(text: str) -> Line:
    """The numbers of a line."""
    words = text.split()
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) <= 12):
            raise BettingError(f"no {word[:20]!r} in a line: it has whole numbers of chips")
    return tuple(int(word) for word in words)


def format_line(line: Line) -> str:
    """``0 0 50 150``."""
    return " ".join(map(str, line))


def line_tree(table: TreeSetting, start: Point, lines: Sequence[Line], limit: int) -> BettingTree:
    """The tree of all these lines and of the folds, checks and calls beside them."""
    for line in lines:
        check_line(table, start.street, line)

    def raises(point: Point, following: _Following) -> list[int]:
        return sorted(chips - point.begun for chips in following if chips > point.level)

    return grow_along(
        table, start, _joined(lines), raises, lambda at, chips: at.get(chips, {}), limit
    )


def check_line(table: TreeSetting, street: int, line: Line) -> None:
    """Refuse a line that the betting cannot take; the error names the number."""
    spent, player, passed = [0, 0], 0, 0
    for at, chips in enumerate(line):
        level = max(spent)
        if street > table.last_street or (level == table.stack and spent[0] == spent[1]):
            raise _unfit(line, at, "the betting is over")
        if chips < level:
            raise _unfit(line, at, f"less than the {level} of a call")
        if chips > table.stack:
            raise _unfit(line, at, f"more than the {table.stack} that each player has")
        passed = passed + 1 if chips == level else 1
        spent[player] = chips
        player = 1 - player
        if passed == 2:
            street, player, passed = street + 1, 0, 0


def _joined(lines: Sequence[Line]) -> _Following:
    """The lines as one tree of numbers."""
    root: _Following = {}
    for line in lines:
        at = root
        for chips in line:
            at = at.setdefault(chips, {})
    return root


def _unfit(line: Line, at: int, why: str) -> BettingError:
    before = f"after {format_line(line[:at])!r}" if at else "at the start"
    return BettingError(f"{line[at]} {before} in line {format_line(line)!r}: {why}")
