"""The betting tree of what can follow a point of a hand in play, with its real pot and stacks."""

from collections.abc import Sequence

from endspiel.betting.grow import DEFAULT_LIMIT, Point, TreeSetting, check_heads_up, grow
from endspiel.betting.limit import limit_raises
from endspiel.betting.menu import Sizing
from endspiel.betting.no_limit import menu_raises
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError
from endspiel.rules.state import State


def state_tree(
    state: State,
    sizing: Sizing | None,
    made: Sequence[tuple[State, int]] = (),
    limit: int = DEFAULT_LIMIT,
) -> BettingTree:
    """All that the menu lets follow a state; chips spent count from the start of the hand.

    A limit game has no menu: its rules say what may be bet. Actions that were made since, each with
    the state before it, are in the tree beside the menu.

    The tree has no starting pot: what the players have put in so far is in their chips spent, so a
    bet that is still to be answered is nothing special.
    """
    game = state.game
    check_heads_up(game)
    if sizing is None and game.no_limit:
        raise BettingError(f"game {game.name} has no fixed limits: its bets need a menu")
    if sizing is not None and not game.no_limit:
        raise BettingError(f"game {game.name} has fixed limits, not a menu")
    if state.finished:
        raise BettingError(f"the hand is over after {state.line!r}: nothing follows")
    point = Point(
        street=state.round,
        player=state.actor,
        spent=(state.spent[0], state.spent[1]),
        begun=state.street_start,
        step=max(state.min_raise_to - state.max_spent, 1),
        raises=state.raises,
        passed=state.called,
        blind=state.round == 0 and game.blinds[0] != game.blinds[1],
    )
    table = TreeSetting(0, game.stacks[0], game.first_players, game.big_blind)
    if sizing is None:
        allowed = limit_raises(table, game)
    else:
        allowed = menu_raises(table, point, sizing, game)
    bets = {(before.actor, before.spent): action for before, action in made if action > 0}

    def raises(point: Point) -> list[int]:
        amounts = set(allowed(point))
        bet = bets.get((point.player, point.spent))
        if bet is not None:
            amounts.add(bet - point.begun)
        return sorted(amounts)

    return grow(table, point, raises, limit)
