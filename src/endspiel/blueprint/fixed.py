"""Strategies that need no file: the same for every hand, as baselines of exploitability."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.features import DEAD
from endspiel.betting.limit import limit_tree
from endspiel.betting.tree import BY_CALL, BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_mask
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef, format_game

ALWAYS_CALL, ALWAYS_FOLD, ALWAYS_RAISE = "always-call", "always-fold", "always-raise"
FIXED: Final = (ALWAYS_CALL, ALWAYS_FOLD, ALWAYS_RAISE, "uniform")


@dataclass(frozen=True)
class FixedStrategy:
    """What everybody does with every hand of a limit game, written ``limit-holdem:always-call``.

    Always-call checks or calls, always-fold folds to every bet and checks otherwise, always-raise
    bets and raises up to the cap and calls there, uniform takes all actions alike. All hands are in
    one bucket.

    Examples:
        >>> from endspiel.blueprint.fixed import FixedStrategy
        >>> FixedStrategy("limit-holdem", "uniform").rows(0).ravel().round(3)
        array([0.333, 0.333, 0.333])
    """

    rules: str
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in FIXED:
            raise GameError(f"no strategy {self.kind!r}: there are {', '.join(FIXED)}")
        if self.game.no_limit:
            raise GameError(f"{self.name}: {self.kind} is a strategy of a game with fixed limits")

    @property
    def name(self) -> str:
        """As it is written."""
        return f"{self.rules}:{self.kind}"

    @cached_property
    def game(self) -> GameDef:
        """The rules."""
        return load_rules(self.rules)

    @cached_property
    def tree(self) -> BettingTree:
        """The whole betting."""
        return limit_tree(self.game)

    def rows(self, node: int) -> Floats:
        """Probabilities of the actions at a decision: [A, 1]."""
        actions = self.tree.action[list(self.tree.children(node))]
        taken = np.ones((len(actions), 1))
        if self.kind == ALWAYS_CALL:
            taken[actions != BY_CALL] = 0
        elif self.kind == ALWAYS_FOLD:  # children begin with a fold where there is one
            taken[1:] = 0
        elif self.kind == ALWAYS_RAISE:  # and end with a raise
            taken[:-1] = 0
        shares: Floats = taken / taken.sum()
        return shares

    def buckets(self, board: Sequence[int]) -> NDArray[np.uint16]:
        """0 for every hand that a board leaves, DEAD for others: [1326]."""
        found = np.where(live_mask(board), 0, DEAD) if len(board) else np.zeros(NUM_HANDS)
        return found.astype(np.uint16)

    def verify(self) -> str:
        """A hash of all that decides the strategy."""
        text = f"{self.kind}\0{format_game(self.game)}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def is_fixed(name: str) -> bool:
    """Whether a name is a fixed strategy's: a game, a colon and what it does."""
    return name.rpartition(":")[2] in FIXED


def fixed_strategy(name: str) -> FixedStrategy:
    """A fixed strategy by its name."""
    rules, _, kind = name.rpartition(":")
    return FixedStrategy(rules, kind)
