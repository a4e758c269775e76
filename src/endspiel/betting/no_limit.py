"""No-limit betting trees: menus turned into whole, legal chips at every point.

Sizes mean what they mean in the open postflop solver by b-inary, so that trees are comparable
node for node; ``menu`` and ``Sizing`` state the meanings.
"""

import math
from typing import TYPE_CHECKING, Final

from endspiel.betting.edits import edited_tree
from endspiel.betting.grow import (
    DEFAULT_LIMIT,
    Point,
    Raises,
    TreeSetting,
    game_start,
    grow,
    street_start,
)
from endspiel.betting.lines import line_tree
from endspiel.betting.menu import MAX_CHIPS, STREET_NAMES, Menu, Size, Sizing
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError

if TYPE_CHECKING:  # read from rule files, or not at all
    from endspiel.rules.game_def import GameDef

# Two sizes this close, relatively, are one: floating-point noise must not keep a merged size.
_CLOSE: Final = 1e-12


def no_limit_tree(
    pot: int, stack: int, street: int, sizing: Sizing, limit: int = DEFAULT_LIMIT
) -> BettingTree:
    """The tree after the flop, turn or river is dealt; both players have ``stack`` behind."""
    for name, chips in (("pot", pot), ("stack", stack)):
        if not 1 <= chips <= MAX_CHIPS:
            raise BettingError(f"the {name} is {chips}; it is 1 to {MAX_CHIPS} chips")
    if not 1 <= street < len(STREET_NAMES):
        raise BettingError(f"street {street}: a tree starts on the flop (1), turn (2) or river (3)")
    table = TreeSetting(pot, stack, (0,) * len(STREET_NAMES), min_bet=1)
    start = Point(street, 0, (0, 0), 0, 1)
    if sizing.lines:
        return line_tree(table, start, sizing.lines, limit)
    if sizing.edits:
        menu = menu_raises(table, start, sizing, None)
        return edited_tree(table, start, menu, sizing.edits, limit)
    return menu_tree(table, start, sizing, None, limit)


def game_tree(
    game: "GameDef",
    sizing: Sizing,
    street: int = 0,
    pot: int | None = None,
    limit: int = DEFAULT_LIMIT,
) -> BettingTree:
    """The tree of a no-limit game, from its blinds or from a street on with the pot so far.

    Blinds count as a bet: what may follow them are raises.
    """
    if not game.no_limit:
        raise BettingError(f"game {game.name} has fixed limits, not a menu; see limit_tree")
    if street == 0 and pot is None:
        table, point = game_start(game)
    else:
        table, point = street_start(game, street, pot or 0)
    return menu_tree(table, point, sizing, game, limit)


def menu_tree(
    table: TreeSetting, start: Point, sizing: Sizing, game: "GameDef | None", limit: int
) -> BettingTree:
    """The tree that a menu gives from any point on; a game adds its own limit on raises."""
    return grow(table, start, menu_raises(table, start, sizing, game), limit)


def menu_raises(table: TreeSetting, start: Point, sizing: Sizing, game: "GameDef | None") -> Raises:
    """What a menu allows at each point that can follow a point."""
    for street in range(start.street, table.last_street + 1):
        sizing.menu(street)  # refuse a missing menu even where no line reaches it

    def raises(point: Point) -> list[int]:
        most = [] if sizing.max_raises is None else [sizing.max_raises]
        if game is not None:
            most.append(game.max_raises[point.street])
        if point.level == table.stack or (most and point.raises >= min(most)):
            return []
        return bet_amounts(table, point, sizing)

    return raises


def bet_amounts(table: TreeSetting, point: Point, sizing: Sizing) -> list[int]:
    """Totals over the street that the menu allows the player to act, ascending."""
    last_bet = point.last_bet
    pot = table.pot + 2 * point.level  # after calling
    most = table.stack - point.begun
    least = min(last_bet + point.step, most)

    def settle(chips: int) -> int:
        """A legal amount, and all-in where little would be left behind."""
        chips = min(max(chips, least), most)
        left = _round((pot + 2 * (chips - last_bet)) * sizing.force_allin_threshold)
        return most if most <= chips + left else chips

    amounts = {
        settle(_chips(size, table, point)) if size.unit != "a" else most
        for size in _choices(point, sizing)
    }
    if most <= last_bet + _round(pot * sizing.add_allin_threshold):
        amounts.add(most)
    return _merge(sorted(amounts), last_bet, pot, sizing.merging_threshold)


def _choices(point: Point, sizing: Sizing) -> Menu:
    """The menu for this point: raises against a bet, donk bets where the menu has them."""
    menu = sizing.menu(point.street)
    if point.last_bet:
        return menu.raises[point.player]
    donk = point.defended and point.player == 0 and not point.passed
    return menu.donk if donk and menu.donk is not None else menu.bets[point.player]


def _chips(size: Size, table: TreeSetting, point: Point) -> int:
    """The total over the street that a size other than all-in names, legal or not."""
    last_bet = point.last_bet
    pot = table.pot + 2 * point.level
    if size.unit == "%":
        return last_bet + _round(pot * (size.number / 100.0))
    if size.unit == "x":
        return _round(last_bet * size.number)
    if size.unit == "c":
        return last_bet + int(size.number)
    streets = int(size.number) or table.last_street - point.street + 1
    bets = point.raises + point.blind
    streets = max(streets - max(bets - 1, 0), 1)
    # After k bets of share s the pot has grown by (1 + 2s)^k; solve for all chips on the last.
    behind = (table.stack - point.level) / pot
    share = ((2.0 * behind + 1.0) ** (1.0 / streets) - 1.0) / 2.0
    return last_bet + _round(pot * min(share, size.cap / 100.0))


def _merge(amounts: list[int], last_bet: int, pot: int, threshold: float) -> list[int]:
    """Drop amounts close below a larger one that stays, going down from the largest."""
    kept: list[int] = []
    for chips in reversed(amounts):
        if kept:
            above = (kept[-1] - last_bet) / pot
            enough = (above - threshold) / (1.0 + threshold) * (1.0 - _CLOSE)
            if (chips - last_bet) / pot >= enough:
                continue
        kept.append(chips)
    return kept[::-1]


def _round(chips: float) -> int:
    """Whole chips, halves up; past all stacks it does not matter how many."""
    whole = math.floor(min(chips, 2.0 * MAX_CHIPS))
    return whole + (chips - whole >= 0.5)
