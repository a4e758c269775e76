"""Growing a betting tree from its first point, given the raises each point allows.

What no-limit and limit betting share is here: who acts, when a street ends, what follows an
all-in. Growth is breadth first and without recursion, and stops with an error at a node limit.
"""

from array import array
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.betting.tree import (
    BY_CALL,
    BY_CHANCE,
    BY_FOLD,
    CHANCE,
    DECISION,
    FOLD,
    NOBODY,
    SHOWDOWN,
    BettingTree,
)
from endspiel.errors import BettingError

if TYPE_CHECKING:  # read from rule files, or not at all
    from endspiel.rules.game_def import GameDef

DEFAULT_LIMIT: Final = 10_000_000
Scalar = TypeVar("Scalar", bound=np.generic)
Along = TypeVar("Along")  # what a line carries along while a tree grows


class Point(NamedTuple):
    """All that what follows a line depends on."""

    street: int
    player: int  # to act
    spent: tuple[int, int]  # beside the starting pot
    begun: int  # what each player had spent when the street began
    step: int  # least chips by which a raise exceeds the last bet
    raises: int = 0  # bets and raises on this street
    passed: int = 0  # players who acted since the last of them, its maker included
    blind: bool = False  # whether the street began with blinds, forced bets
    defended: bool = False  # whether player 0 ended the street before by calling a bet

    @property
    def level(self) -> int:
        """What a call must match."""
        return max(self.spent)

    @property
    def last_bet(self) -> int:
        """The bet to call, as a total over the street."""
        return self.level - self.begun

    @property
    def to_call(self) -> int:
        """Chips that a call adds; 0 where checking is free."""
        return self.level - self.spent[self.player]


@dataclass(frozen=True)
class TreeSetting:
    """What stays fixed over a tree."""

    pot: int
    stack: int  # most chips each player may have spent
    first_players: tuple[int, ...]  # [streets] who acts first, by street
    min_bet: int

    @property
    def last_street(self) -> int:
        """The street that ends with the showdown."""
        return len(self.first_players) - 1


# Totals over the street, ascending, that the player to act may bet or raise to.
Raises = Callable[[Point], Sequence[int]]


def game_start(game: "GameDef") -> tuple[TreeSetting, Point]:
    """Setting and first point of a whole two-player game, blinds posted."""
    check_heads_up(game)
    blinds, stack = (game.blinds[0], game.blinds[1]), game.stacks[0]
    first = game.first_players[0]
    # Equal blinds are antes: they open no betting, and the first raise is a bet.
    antes = blinds[0] == blinds[1]
    point = Point(
        street=0,
        player=first if blinds[first] < stack else 1 - first,
        spent=blinds,
        begun=blinds[0] if antes else 0,
        step=game.big_blind,
        blind=not antes,
    )
    return TreeSetting(0, stack, game.first_players, game.big_blind), point


def street_start(game: "GameDef", street: int, pot: int) -> tuple[TreeSetting, Point]:
    """Setting and first point of a two-player game from a later street on, with the pot so far."""
    check_heads_up(game)
    if not 0 <= street < game.num_rounds:
        raise BettingError(f"game {game.name} has streets 0 to {game.num_rounds - 1}, no {street}")
    if pot <= 0 or pot % 2:
        raise BettingError(f"the pot is {pot}; both players put in the same, at least a chip")
    stack = game.stacks[0] - pot // 2
    if stack <= 0:
        raise BettingError(f"a pot of {pot} leaves nothing of stacks of {game.stacks[0]}")
    table = TreeSetting(pot, stack, game.first_players, game.big_blind)
    return table, Point(street, game.first_players[street], (0, 0), 0, game.big_blind)


def check_heads_up(game: "GameDef") -> None:
    """Refuse games that are not between two players with equal stacks."""
    if game.num_players != 2:
        raise BettingError(f"game {game.name} has {game.num_players} players; a tree is for two")
    if game.stacks[0] != game.stacks[1]:
        raise BettingError(f"game {game.name} has stacks {game.stacks}; a tree needs equal ones")


def grow(
    table: TreeSetting, start: Point, raises: Raises, limit: int = DEFAULT_LIMIT
) -> BettingTree:
    """The tree of all that can follow a point; an error once it has more nodes than the limit."""
    return grow_along(table, start, None, lambda point, _: raises(point), lambda at, _: at, limit)


def grow_along(
    table: TreeSetting,
    start: Point,
    begin: Along,
    raises: Callable[[Point, Along], Sequence[int]],
    follow: Callable[[Along, int], Along],
    limit: int,
) -> BettingTree:
    """Grow a tree where raises depend on more than the point: on a state of every line.

    `follow` says what goes along after an action, given all the chips of its player after it.
    """
    nodes = _Nodes(limit)
    waiting = deque([(nodes.add(NOBODY, BY_CHANCE, DECISION, start), DECISION, start, begin)])
    while waiting:
        parent, kind, point, along = waiting.popleft()
        if kind == DECISION:
            children = _act(table, point, raises(point, along))
        else:
            children = [(BY_CHANCE, *_deal(table, point))]
        for action, child_kind, child_point in children:
            node = nodes.add(parent, action, child_kind, child_point)
            if child_kind in (DECISION, CHANCE):
                spent = child_point.spent[point.player]
                after = follow(along, spent) if kind == DECISION else along
                waiting.append((node, child_kind, child_point, after))
    return nodes.finish(table)


def _act(table: TreeSetting, point: Point, raises: Sequence[int]) -> list[tuple[int, int, Point]]:
    """The children of a decision as (action, kind, point)."""
    actor, other = point.player, 1 - point.player
    children = []
    if point.to_call:
        children.append((BY_FOLD, FOLD, point))
    called = point._replace(spent=(point.level, point.level), passed=point.passed + 1)
    if called.passed == 2 or point.level == table.stack:
        over = called._replace(defended=point.to_call > 0 and actor == 0)
        last = point.street == table.last_street
        children.append((BY_CALL, SHOWDOWN if last else CHANCE, over))
    else:
        children.append((BY_CALL, DECISION, called._replace(player=other)))
    for chips in raises:
        total = point.begun + chips
        spent = (total, point.spent[1]) if actor == 0 else (point.spent[0], total)
        raised = Point(
            point.street,
            other,
            spent,
            point.begun,
            step=max(point.step, total - point.level),
            raises=point.raises + 1,
            passed=1,
            blind=point.blind,
        )
        children.append((chips, DECISION, raised))
    return children


def _deal(table: TreeSetting, point: Point) -> tuple[int, Point]:
    """Kind and point after the cards of the next street."""
    street = point.street + 1
    following = Point(
        street,
        table.first_players[street],
        point.spent,
        begun=point.level,
        step=table.min_bet,
        defended=point.defended,
    )
    if point.level < table.stack:
        return DECISION, following
    return SHOWDOWN if street == table.last_street else CHANCE, following


class _Nodes:
    """The columns of a tree while it grows, packed, as a tree at the limit must fit in memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.kind = array("b")  # [N]
        self.player = array("b")  # [N]
        self.street = array("b")  # [N]
        self.spent = array("q")  # [N * 2]
        self.parent = array("i")  # [N] never falls, as growth is breadth first
        self.action = array("q")  # [N]

    def add(self, parent: int, action: int, kind: int, point: Point) -> int:
        """Append a node; its number."""
        node = len(self.kind)
        if node >= self.limit:
            raise BettingError(
                f"the betting tree has more than {self.limit} nodes: growth stopped there and "
                "lines are still open; use fewer sizes, a smaller max_raises or a higher limit"
            )
        self.kind.append(kind)
        self.player.append(point.player if kind in (DECISION, FOLD) else NOBODY)
        self.street.append(point.street)
        self.spent.extend(point.spent)
        self.parent.append(parent)
        self.action.append(action)
        return node

    def finish(self, table: TreeSetting) -> BettingTree:
        """The columns as read-only arrays."""
        parent = np.array(self.parent, dtype=np.int32)
        num_children = np.bincount(parent[1:], minlength=len(parent))
        first_child = 1 + np.cumsum(num_children) - num_children
        spent = np.array(self.spent, dtype=np.int64).reshape(-1, 2)
        return BettingTree(
            pot=table.pot,
            stack=table.stack,
            kind=_frozen(self.kind, np.int8),
            player=_frozen(self.player, np.int8),
            street=_frozen(self.street, np.int8),
            spent=_frozen(spent, np.int64),
            parent=_frozen(parent, np.int32),
            first_child=_frozen(first_child, np.int32),
            num_children=_frozen(num_children, np.int32),
            action=_frozen(self.action, np.int64),
        )


def _frozen(column: ArrayLike, dtype: type[Scalar]) -> NDArray[Scalar]:
    frozen = np.array(column, dtype=dtype)
    frozen.flags.writeable = False
    return frozen
