"""The abstract game: a betting tree over buckets in place of hands, as a `Game`.

The layout is that of any betting tree times boards, with one board a street whose private states
are the street's buckets. A hand that is all-in is shown down where it stands: with perfect recall
the showdowns of later streets add up to one matrix of this one.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.limit import limit_tree
from endspiel.betting.model import BettingModel
from endspiel.betting.tree import CHANCE, DECISION, NOBODY, SHOWDOWN, BettingTree
from endspiel.blueprint.joint import Joint
from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.product import BettingLines, ProductBoard, product
from endspiel.kernels.arrays import Ints
from endspiel.rules.game_def import GameDef


def betting_tree(game: GameDef, model: BettingModel | None) -> BettingTree:
    """The betting of a game: the model's, or all there is of a limit game."""
    return limit_tree(game) if model is None else model.tree(game)


@dataclass(frozen=True, eq=False)
class Betting:
    """A betting tree without the streets that follow an all-in, and where its nodes come from."""

    whole: BettingTree
    tree: BettingTree
    node: Ints  # [N] number of each of the whole tree's nodes in the short one, -1 for those gone

    @classmethod
    def of(cls, whole: BettingTree) -> "Betting":
        """Show all-in hands down where they stand."""
        betting = np.zeros(whole.num_nodes, bool)  # whether a decision is here or follows
        betting[whole.kind == DECISION] = True
        for node in range(whole.num_nodes - 1, 0, -1):
            betting[whole.parent[node]] |= betting[node]
        over = (whole.kind == CHANCE) & ~betting
        gone = np.zeros(whole.num_nodes, bool)
        for node in range(1, whole.num_nodes):
            gone[node] = gone[whole.parent[node]] or over[whole.parent[node]]
        return cls(whole, _without(whole, over, gone), np.where(gone, -1, np.cumsum(~gone) - 1))


def _without(whole: BettingTree, over: NDArray[np.bool_], gone: NDArray[np.bool_]) -> BettingTree:
    """The tree with some nodes turned into showdowns [N] and others taken out [N]."""
    before = np.concatenate([[0], np.cumsum(~gone)]).astype(np.int32)  # kept nodes before each
    kept = np.flatnonzero(~gone)
    parent = whole.parent[kept]
    return replace(
        whole,
        kind=np.where(over, SHOWDOWN, whole.kind)[kept].astype(np.int8),
        player=whole.player[kept],
        street=whole.street[kept],
        spent=whole.spent[kept],
        parent=np.where(parent == NOBODY, NOBODY, before[parent]).astype(np.int32),
        first_child=before[whole.first_child[kept]],
        num_children=np.where(over, 0, whole.num_children)[kept].astype(np.int32),
        action=whole.action[kept],
    )


def abstract_game(
    game: GameDef, lines: BettingLines, joint: Joint, dtype: type[np.floating] = np.float64
) -> Game:
    """The game of a betting tree's lines over buckets; stakes are in chips."""
    boards = [[_board(joint, street, dtype)] for street in range(num_streets(lines, joint))]
    return product(lines, boards, np.ones(joint.sizes[0]), f"abstract {game.name}", game.big_blind)


def num_streets(lines: BettingLines, joint: Joint) -> int:
    """How many streets there are, once betting and buckets are seen to have the same."""
    if len(lines.streets) != len(joint.sizes):
        raise GameError(
            f"betting on {len(lines.streets)} streets, buckets of {len(joint.sizes)}: a blueprint "
            "needs a game with four streets, such as nolimit-holdem or limit-holdem"
        )
    return len(joint.sizes)


def _board(joint: Joint, street: int, dtype: type[np.floating]) -> ProductBoard:
    chance, showdown = joint.street(street, dtype)
    states = tuple(str(bucket) for bucket in range(len(chance)))
    above = joint.parents[street - 1] if street else np.zeros(len(chance), np.int64)
    return ProductBoard("", 0 if street else -1, above, states, chance, showdown)
