"""Fixed-limit betting trees from the raise sizes and caps of a game's rules."""

from typing import TYPE_CHECKING

from endspiel.betting.grow import (
    DEFAULT_LIMIT,
    Point,
    Raises,
    TreeSetting,
    game_start,
    grow,
    street_start,
)
from endspiel.betting.menu import STREET_NAMES, Sizing, StreetMenu
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError

if TYPE_CHECKING:  # read from rule files, or not at all
    from endspiel.rules.game_def import GameDef


def limit_tree(
    game: "GameDef", street: int = 0, pot: int | None = None, limit: int = DEFAULT_LIMIT
) -> BettingTree:
    """The tree of a limit game, from its blinds or from a street on with the pot so far."""
    if game.no_limit:
        raise BettingError(f"game {game.name} has no fixed limits; see game_tree")
    if street == 0 and pot is None:
        table, start = game_start(game)
    else:
        table, start = street_start(game, street, pot or 0)

    return grow(table, start, limit_raises(table, game), limit)


def limit_raises(table: TreeSetting, game: "GameDef") -> Raises:
    """What the rules of a limit game allow at each point: the street's raise, up to its cap."""

    def raises(point: Point) -> list[int]:
        if point.level == table.stack or point.raises >= game.max_raises[point.street]:
            return []
        total = min(point.level + game.raise_sizes[point.street], table.stack)
        return [total - point.begun]

    return raises


def limit_menu(game: "GameDef", street: int) -> tuple[Sizing, int]:
    """The bets of a limit game from a street on as a menu in chips, and the stack that they need.

    A spot of these is the limit game: nothing more can be bet than the stack.
    """
    caps = set(game.max_raises[street:])
    if len(caps) > 1:
        raise BettingError(
            f"game {game.name} has caps {game.max_raises[street:]} on the streets to come; a menu "
            "has one for all"
        )
    sizes = game.raise_sizes[street:]
    menus = [StreetMenu.parse(f"{size}c", f"{size}c") for size in sizes]
    before = [None] * (len(STREET_NAMES) - len(menus))
    (cap,) = caps
    return Sizing((*before, *menus), max_raises=cap), cap * sum(sizes)
