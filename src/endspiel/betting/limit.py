"""Fixed-limit betting trees from the raise sizes and caps of a game's rules."""

from endspiel.betting.grow import DEFAULT_LIMIT, Point, game_start, grow, street_start
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError
from endspiel.rules.game_def import GameDef


def limit_tree(
    game: GameDef, street: int = 0, pot: int | None = None, limit: int = DEFAULT_LIMIT
) -> BettingTree:
    """The tree of a limit game, from its blinds or from a street on with the pot so far."""
    if game.no_limit:
        raise BettingError(f"game {game.name} has no fixed limits; see game_tree")
    if street == 0 and pot is None:
        table, start = game_start(game)
    else:
        table, start = street_start(game, street, pot or 0)

    def raises(point: Point) -> list[int]:
        if point.level == table.stack or point.raises >= game.max_raises[point.street]:
            return []
        total = min(point.level + game.raise_sizes[point.street], table.stack)
        return [total - point.begun]

    return grow(table, start, raises, limit)
