"""Strategies whose exploitability on real cards can be told: files, and fixed ones by name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.features import DEAD
from endspiel.arena.estimators.blueprint_values_boards import BoardBuckets
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.blueprint.fixed import FixedStrategy, fixed_strategy, is_fixed
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_mask
from endspiel.cards.streets import FLOP
from endspiel.errors import GameError
from endspiel.game.post import Post


class OnFlop:
    """A blueprint with its book on one flop, where every hand is a bucket of its own."""

    def __init__(self, blueprint: Blueprint, flop: tuple[int, ...]) -> None:
        self.blueprint, self.flop = blueprint, flop
        self.game, self.tree = blueprint.game, blueprint.tree
        self._buckets = bucketing(blueprint)

    def rows(self, node: int) -> NDArray[np.floating]:
        """Probabilities of the actions at a decision for all buckets of its street: [A, K]."""
        if self.tree.street[node] != FLOP:
            return self.blueprint.rows(node)
        found = self.blueprint.hands(node, self.flop)
        # Hands that hit the flop are never held: whatever they do, it adds up to one.
        even: NDArray[np.float64] = np.where(found.any(axis=0), found, 1 / len(found))
        return even

    def buckets(self, board: tuple[int, ...]) -> NDArray[np.uint16]:
        """Bucket of every hand on a board: [1326]."""
        if len(board) != len(self.flop):
            return self._buckets(board)
        if board != self.flop:
            raise GameError("a strategy on one flop was asked for another")
        return np.where(live_mask(board), np.arange(NUM_HANDS), DEAD).astype(np.uint16)


FileStrategy = Blueprint | FixedStrategy  # that can be opened by name
RealStrategy = FileStrategy | OnFlop
BucketsOf = Callable[[tuple[int, ...]], NDArray[np.uint16]]  # board to bucket of each hand [1326]


def load_strategy(name: str | Path | None = None) -> FileStrategy:
    """A strategy file, the one that comes with the package, or ``limit-holdem:always-call``.

    Examples:
        >>> import endspiel as es
        >>> es.load_strategy("limit-holdem:always-call").rows(0).ravel().tolist()
        [0.0, 1.0, 0.0]
    """
    if name is not None and is_fixed(str(name)):
        return fixed_strategy(str(name))
    return load_blueprint(name)


def bucketing(strategy: RealStrategy) -> BucketsOf:
    """The buckets of boards; what it remembers is for one thread."""
    if isinstance(strategy, FixedStrategy | OnFlop):
        return strategy.buckets
    recall = strategy.plan.perfect_recall
    return BoardBuckets(strategy.abstraction) if recall else strategy.abstraction.board_buckets


class StrategySource(NamedTuple):
    """What another process opens a strategy from."""

    name: str
    post: Post

    @classmethod
    def of(cls, strategy: FileStrategy) -> "StrategySource":
        """Where a strategy comes from."""
        if isinstance(strategy, FixedStrategy):
            return cls(strategy.name, Post())
        return cls(str(strategy.path), strategy.post)

    def open(self) -> FileStrategy:
        """The strategy."""
        found = load_strategy(self.name)
        return found if isinstance(found, FixedStrategy) else found.played(self.post)
