"""A river endgame of the hand in play, solved exactly in buckets of hands by linear programming.

Algorithms 1 and 5 of the 2015 paper on the tree that the table's own pot, stacks and bets give. A
program that the clock cuts short gives way to the iterative solver on the same buckets.
"""

from dataclasses import dataclass, replace
from math import isqrt
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import BettingTree
from endspiel.endgame.exact import RiverOptions, RiverSolution, finish_river
from endspiel.endgame.live import Limit, LiveEndgame, reach_at
from endspiel.endgame.river import River
from endspiel.endgame.river_buckets import PAPER_T, bucket_number, equity_buckets
from endspiel.endgame.river_game import RiverGame, num_sequences
from endspiel.games.street_plans import cut_streets
from endspiel.rules.state import State

Floats = NDArray[np.float64]
# Payoffs of a program: each end of the betting has one for every pair of buckets. Betting with few
# sequences would get so many buckets by T alone that the program is far larger than the paper's.
ENTRIES = 400_000


@dataclass(frozen=True, eq=False)
class BucketedRiver:
    """A solved endgame in which hands of one bucket play alike."""

    table: LiveEndgame
    solution: RiverSolution

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def board(self) -> tuple[int, ...]:
        return self.table.board

    @property
    def tree(self) -> BettingTree:
        return self.table.tree

    @property
    def gap(self) -> float:
        """Exploitability within the buckets, as a share of the pot."""
        return self.solution.exploitability

    def strategy(self, node: int) -> Floats:
        """Probability of each action at a node: [A, 1326]."""
        return self.solution.rows(node)

    def reach(self, node: int, player: int) -> Floats:
        """A player's range [1326] at a node: how it came here, times what it did since."""
        return reach_at(self.tree, node, player, self.table.ranges[player], self.strategy)


def bucketed(table: LiveEndgame) -> RiverGame:
    """The endgame in buckets by equity, as many as the betting leaves room for."""
    state = table.state
    behind = state.game.stacks[0] - state.max_spent
    river = River.of(table.board, state.pot, behind, table.ranges)
    street = cut_streets(table.tree)[0]
    most = isqrt(ENTRIES // len(street.terminals))
    one, two = (
        equity_buckets(river, player, min(bucket_number(PAPER_T, sequences), most))
        for player, sequences in enumerate(num_sequences(street))
    )
    level = state.max_spent  # before the river's first bet both have put in the same
    tree = replace(
        table.tree,
        pot=2 * level,
        stack=table.tree.stack - level,
        spent=table.tree.spent - level,
    )
    return RiverGame(river, tree, (one, two))


def solve_exactly(table: LiveEndgame, limit: Limit) -> BucketedRiver:
    """An endgame solved by linear programming in buckets, or as well as the clock allows."""
    form = bucketed(table)
    options = RiverOptions("lp", seconds=max(limit.deadline - perf_counter(), 0.0))
    return BucketedRiver(table, finish_river(form, options))
