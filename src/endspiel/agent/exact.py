"""A river endgame of the hand in play, solved exactly in buckets of hands by linear programming.

Algorithms 1 and 5 of the 2015 paper on the tree that the table's own pot, stacks and bets give. A
program that the clock cuts short gives way to the iterative solver on the same buckets.
"""

from dataclasses import dataclass, replace
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.endgame.river.buckets import (
    PAPER_ALPHA,
    PAPER_T,
    bucket_number,
    equity_buckets,
)
from endspiel.endgame.river.exact import RiverOptions, RiverSolution, finish_river
from endspiel.endgame.river.game import RiverGame, num_sequences
from endspiel.endgame.river.river import River
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.engine.limits import Limits
from endspiel.rules.state import State

Floats = NDArray[np.float64]
# Payoffs of a program: each end of the betting has one for every pair of buckets. Betting with few
# sequences would get so many buckets by T alone that the program is far larger than the paper's.
ENTRIES = 400_000


@dataclass(frozen=True)
class Program:
    """What the linear program is made of: the paper's T and alpha, and which equilibrium it is."""

    budget: int = PAPER_T
    alpha: float = PAPER_ALPHA
    refine: str = ""  # "undominated", "quasi-perfect", or any equilibrium


@dataclass(frozen=True, eq=False)
class BucketedRiver:
    """A solved endgame in which hands of one bucket play alike."""

    table: LiveEndgame
    solution: RiverSolution
    note: str  # what is not as the program asks; one clause, or nothing

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

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        return self.table.ranges


class Numbers(NamedTuple):
    """How many intervals of equity each player's hands are put into."""

    asked: tuple[int, int]  # k = floor(T / b), the paper's
    made: tuple[int, int]  # no more than leave the program with ENTRIES payoffs


def numbers(tree: BettingTree, budget: int) -> Numbers:
    """The intervals that T asks for, and those that the size of the program allows."""
    street = cut_streets(tree)[0]
    most = isqrt(ENTRIES // len(street.terminals))
    one, two = (bucket_number(budget, sequences) for sequences in num_sequences(street))
    return Numbers((one, two), (min(one, most), min(two, most)))


def bucketed(table: LiveEndgame, program: Program) -> RiverGame:
    """The endgame in buckets by equity, as many as the betting leaves room for."""
    state = table.state
    behind = state.game.stacks[0] - state.max_spent
    river = River.of(table.board, state.pot, behind, table.ranges)
    one, two = (
        equity_buckets(river, player, number, program.alpha)
        for player, number in enumerate(numbers(table.tree, program.budget).made)
    )
    level = state.max_spent  # before the river's first bet both have put in the same
    tree = replace(
        table.tree,
        pot=2 * level,
        stack=table.tree.stack - level,
        spent=table.tree.spent - level,
    )
    return RiverGame(river, tree, (one, two))


def solve_exactly(table: LiveEndgame, limits: Limits, program: Program) -> BucketedRiver:
    """An endgame solved by linear programming in buckets, or as well as the clock allows."""
    form = bucketed(table, program)
    seconds = max(limits.seconds_left(), 0.0)
    found = finish_river(form, RiverOptions("lp", seconds=seconds, refine=program.refine))
    notes = []
    asked, made = numbers(table.tree, program.budget)
    if made != asked:
        notes.append(
            f"{made[0]} and {made[1]} intervals of equity where T asks for {asked[0]} and "
            f"{asked[1]}: a program has at most {ENTRIES:,} payoffs"
        )
    wanted = program.refine or "lp"
    if found.method != wanted:
        notes.append(f"{wanted} was not done in time: the strategy is that of {found.method}")
    return BucketedRiver(table, found, "; ".join(notes))
