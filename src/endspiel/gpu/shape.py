"""The betting of a street as data: a shape, which many endgames share, and the stakes of each.

Two endgames whose menus give the same tree have equal shapes, whatever their pots, stacks, boards
and ranges: they run from one op stream, with their stakes as data.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.sequences import NumberedDecision, number_sequences
from endspiel.betting.streets import Street
from endspiel.betting.tree import CHANCE, DECISION, FOLD, BettingTree
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Floats

REMEMBERED = 64  # trees whose shapes are


class Leads(IntEnum):
    """What an action leads to."""

    NODE = 0  # a decision of the other player
    FOLDS = 1  # the player who acts folds
    SHOWS = 2  # a showdown
    GOES_ON = 3  # the next street


@dataclass(frozen=True)
class StreetAction:
    """One action, or the beginning of a line: what it leads to, by number."""

    leads: Leads
    to: int  # number of the node, of the terminal, or of the next street's line


@dataclass(frozen=True)
class StreetNode:
    """A decision of one street's betting."""

    player: int
    first: int  # its first row among the player's rows of a board
    number: int  # among the player's decisions of the street
    actions: tuple[StreetAction, ...]

    @property
    def fold(self) -> int | None:
        """The terminal at which the player folds here, if it may."""
        return next((a.to for a in self.actions if a.leads == Leads.FOLDS), None)


@dataclass(frozen=True)
class StreetShape:
    """One street's betting: nodes, terminals and lines by number, parents before children."""

    lines: tuple[StreetAction, ...]  # what each line that comes in begins with
    nodes: tuple[StreetNode, ...]
    rows: tuple[int, int]  # actions of all decisions of each player
    decisions: tuple[int, int]
    outs: int  # lines that go on to the next street
    terminals: int


def street_shape(tree: BettingTree, street: Street) -> StreetShape:
    """The shape of one street; terminals are numbered as `Street.terminals`, lines as the next."""
    numbered = number_sequences(tree, street.starts, street.allowed)
    leads = {at.node: StreetAction(Leads.NODE, i) for i, at in enumerate(numbered.decisions)}
    outs = terminals = 0
    for node, _ in numbered.ends:
        if tree.kind[node] == CHANCE:
            leads[node] = StreetAction(Leads.GOES_ON, outs)
            outs += 1
        else:
            kind = Leads.FOLDS if tree.kind[node] == FOLD else Leads.SHOWS
            leads[node] = StreetAction(kind, terminals)
            terminals += 1
    rows = [size - len(street.starts) for size in street.size]
    numbers = {node: i for decisions in street.decisions for i, node in enumerate(decisions)}
    return StreetShape(
        lines=tuple(leads[node] for node in street.starts),
        nodes=tuple(_node(tree, street, at, numbers[at.node], leads) for at in numbered.decisions),
        rows=(rows[0], rows[1]),
        decisions=(len(street.decisions[0]), len(street.decisions[1])),
        outs=outs,
        terminals=terminals,
    )


def _node(
    tree: BettingTree,
    street: Street,
    at: NumberedDecision,
    number: int,
    leads: dict[int, StreetAction],
) -> StreetNode:
    children = [child for child in tree.children(at.node) if child in leads]
    for child in children:
        if tree.kind[child] == DECISION and tree.player[child] == at.player:
            raise GameError("a player decides twice in a row: the batched engine takes turns")
    first = at.first - len(street.starts)
    return StreetNode(at.player, first, number, tuple(leads[child] for child in children))


Shapes = tuple[StreetShape, ...]
Outline = tuple[int, tuple[bytes, ...]]
_known: dict[Outline, Shapes] = {}  # of the newest trees, whatever their pots and stacks


def game_shape(game: CardGame) -> Shapes:
    """The shapes of a game's streets; games of equal shapes can share op streams."""
    game.betting.check_zero_sum("the batched engine")
    if game.buckets is not None or game.tree.classed:
        raise GameError("the batched engine solves real cards, without buckets or suit classes")
    outline = _outline(game)
    found = _known.get(outline)
    if found is None:
        found = tuple(street_shape(game.betting, street) for street in game.streets)
        if len(_known) >= REMEMBERED:
            _known.clear()
        _known[outline] = found
    return found


def _outline(game: CardGame) -> Outline:
    """All that a game's shapes depend on."""
    tree = game.betting
    parts: list[NDArray[Any]] = [tree.kind, tree.player, tree.first_child, tree.num_children]
    for street in game.cut or ():
        parts.append(np.array(street.starts))
        if street.allowed is not None:
            parts.append(street.allowed)
    return game.node, tuple(part.tobytes() for part in parts)


def game_stakes(game: CardGame, street: int) -> Floats:
    """What each terminal of a street pays [T], as a share of the pot, chance included."""
    scale = game.tree.chance[street] / (game.unit or game.betting.pot)
    return scale * np.array([end.stake for end in game.streets[street].terminals], dtype=float)
