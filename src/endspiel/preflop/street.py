"""The betting before the flop as a backend of the engine, over the 169 classes.

It is the game of `PreflopGame`, which a matrix for each end describes; but what flops are worth may
change while it is being solved.
"""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from endspiel.betting.streets import cut_street
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.game import Profile
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON, PreflopGame
from endspiel.kernels.arrays import Discounts, Float64s, Floats
from endspiel.solvers.boards.plans import BOTH, StreetBackend


class PreflopStreet(StreetBackend):
    """A game before the flop and what was learned of it; payoffs are the game's."""

    def __init__(self, preflop: PreflopGame) -> None:
        self.preflop = preflop
        every = np.ones(NUM_CLASSES)
        street = cut_street(preflop.tree, [0], preflop.allowed)
        super().__init__(street, np.arange(NUM_CLASSES), (every, every), 1.0)
        self.zero_sum = preflop.prizes is None and not preflop.rake
        # By node and player: [169 of the other, 169 own], chance included.
        self._pay = {end.node: self._payoffs(end.node) for end in street.terminals}

    def value_flops(self, shares: Mapping[str, Floats]) -> None:
        """Let lines, by name, be worth other shares of the pot [169, 169] of the big blind."""
        self.preflop.shares.update(shares)
        for line in shares:
            node = self.preflop.tree.find(line)
            self._pay[node] = self._payoffs(node)

    def _payoffs(self, node: int) -> tuple[Floats, Floats]:
        chance = class_matchups().chance
        first, second = (self.preflop.payoff(node, to) * chance for to in (BIG_BLIND, BUTTON))
        return np.ascontiguousarray(first.T), second

    def line_values(
        self, player: int, mode: int, reaches: list[Float64s], discounts: Discounts | None
    ) -> Floats:
        """All lines end here: see `_ends`."""
        return np.zeros((0, NUM_CLASSES))

    def _ends(self, player: int, theirs: Float64s, lines: Floats) -> Float64s:
        """What sequences lead to at once [S, 169], by the other's reaches [S', 169]."""
        values = np.zeros((self.street.size[player], NUM_CLASSES))
        for end in self.street.terminals:
            values[end.seqs[player]] += theirs[end.seqs[1 - player]] @ self._pay[end.node][player]
        return values

    @cached_property
    def seqs(self) -> dict[int, tuple[int, int]]:
        """Both players' last sequences before each end, by node."""
        return {end.node: end.seqs for end in self.street.terminals}

    def coming(self, node: int) -> tuple[Floats, Floats]:
        """How often each class [169] of both players comes to an end by the averages."""
        first, second = (self.reaches(player)[self.seqs[node][player]] for player in BOTH)
        return first, second

    def profile(self) -> Profile:
        """The averages, as a profile of `PreflopGame.game`."""
        first, second = (
            np.concatenate([np.ones(1), self.behavior(player).reshape(-1)]) for player in BOTH
        )
        return Profile((first, second))
