"""Strategies whose exploitability on real cards can be told: files, and fixed ones by name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.blueprint_values_boards import BoardBuckets
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.blueprint.fixed import FixedStrategy, fixed_strategy, is_fixed
from endspiel.strategy.post import Post

RealStrategy = Blueprint | FixedStrategy
BucketsOf = Callable[[tuple[int, ...]], NDArray[np.uint16]]  # board to bucket of each hand [1326]


def load_strategy(name: str | Path | None = None) -> RealStrategy:
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
    if isinstance(strategy, FixedStrategy):
        return strategy.buckets
    recall = strategy.plan.perfect_recall
    return BoardBuckets(strategy.abstraction) if recall else strategy.abstraction.board_buckets


class StrategySource(NamedTuple):
    """What another process opens a strategy from."""

    name: str
    post: Post

    @classmethod
    def of(cls, strategy: RealStrategy) -> "StrategySource":
        """Where a strategy comes from."""
        if isinstance(strategy, FixedStrategy):
            return cls(strategy.name, Post())
        return cls(str(strategy.path), strategy.post)

    def open(self) -> RealStrategy:
        """The strategy."""
        found = load_strategy(self.name)
        return found if isinstance(found, FixedStrategy) else found.played(self.post)
