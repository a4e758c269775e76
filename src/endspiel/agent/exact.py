"""A river endgame of the hand in play, solved exactly in buckets of hands by linear programming.

Algorithms 1 and 5 of the 2015 paper on the tree that the table's own pot, stacks and bets give. A
program that the clock cuts short gives way to the iterative solver on the same buckets.
"""

import time
from dataclasses import dataclass
from functools import cached_property
from math import inf, isqrt

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.endgame.live import Limit, LiveEndgame
from endspiel.endgame.river import River
from endspiel.endgame.river_buckets import PAPER_T, bucket_number, equity_buckets
from endspiel.endgame.river_game import RiverGame, num_sequences
from endspiel.game import Profile, exploitability
from endspiel.games.street_plans import cut_streets
from endspiel.rules.state import State
from endspiel.solvers import lp
from endspiel.solvers.cfr import CFR, SCHEMES
from endspiel.solvers.highs import OutOfTime

Floats = NDArray[np.float64]
# Payoffs of a program: each end of the betting has one for every pair of buckets. Betting with few
# sequences would get so many buckets by T alone that the program is far larger than the paper's.
ENTRIES = 400_000
RESERVE = 0.25  # of the time: kept for the iterative solver, should the program not be done
LOOK = 50  # iterations between two looks at the clock


@dataclass(frozen=True, eq=False)
class BucketedRiver:
    """A solved endgame in which hands of one bucket play alike."""

    table: LiveEndgame
    form: RiverGame
    profile: Profile
    gap: float  # exploitability within the buckets, as a share of the pot

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def board(self) -> tuple[int, ...]:
        return self.table.board

    @property
    def tree(self) -> BettingTree:
        return self.table.tree

    def strategy(self, node: int) -> Floats:
        """Probability of each action at a node: [A, 1326]."""
        player, street = int(self.tree.player[node]), self.form.street
        at = street.decisions[player].index(node)
        actions, count = street.actions[player][at], self.form.buckets[player].count
        first = street.first[player][at] * count
        rows = self.profile.behavior[player][first : first + actions * count]
        found = np.zeros((actions, NUM_HANDS))
        bucket = self.form.buckets[player].of
        found[:, bucket >= 0] = rows.reshape(actions, count)[:, bucket[bucket >= 0]]
        return found

    def reach(self, node: int, player: int) -> Floats:
        """A player's range [1326] at a node: how it came here, times what it did since."""
        weights = self.table.ranges[player].copy()
        while node > 0:
            parent = int(self.tree.parent[node])
            if int(self.tree.player[parent]) == player:
                weights *= self.strategy(parent)[node - int(self.tree.first_child[parent])]
            node = parent
        return weights


@dataclass(frozen=True, eq=False)
class Program:
    """The endgame in buckets, before it is solved."""

    table: LiveEndgame
    budget: int = PAPER_T

    @cached_property
    def form(self) -> RiverGame:
        """Buckets by equity, as many as the betting leaves room for."""
        table, state = self.table, self.table.state
        behind = state.game.stacks[0] - state.max_spent
        river = River.of(table.board, state.pot, behind, table.ranges)
        street = cut_streets(table.tree)[0]
        most = isqrt(ENTRIES // len(street.terminals))
        one, two = (
            equity_buckets(river, player, min(bucket_number(self.budget, sequences), most))
            for player, sequences in enumerate(num_sequences(street))
        )
        return RiverGame(river, table.tree, (one, two))

    def solve(self, limit: Limit) -> BucketedRiver:
        """The exact equilibrium, or the best that the clock allows."""
        left = limit.deadline - time.perf_counter()
        allowed = (1 - RESERVE) * left if left < inf else inf
        try:
            found = lp.solve(self.form.game, lp.Options(time_limit=max(allowed, 0.0)))
            return BucketedRiver(self.table, self.form, found.profile, found.gap)
        except OutOfTime:
            return self._iterate(limit)

    def _iterate(self, limit: Limit) -> BucketedRiver:
        game = self.form.game
        solver = CFR(game, SCHEMES["cfr+"])
        while True:
            for _ in range(LOOK):
                solver.step()
            if limit.passed() or solver.iteration >= limit.iterations:
                break
        profile = solver.average()
        return BucketedRiver(self.table, self.form, profile, exploitability(game, profile).mean)


def solve_exactly(table: LiveEndgame, limit: Limit) -> BucketedRiver:
    """An endgame solved by linear programming in buckets."""
    return Program(table).solve(limit)
