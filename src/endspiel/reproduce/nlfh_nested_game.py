"""The game of Table 2: bets of 0.5, 0.75 and 1.0 pots, one preflop and three on the flop.

There are no stacks: the largest line costs 8,100 of each player's 20,000 chips. All trees of the
experiment are parts of one betting tree, so that a node means the same in each of them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from endspiel.betting import BettingTree, Sizing, StreetMenu, game_tree
from endspiel.betting.streets import Street, cut_street, cut_streets
from endspiel.betting.translation import DEFAULT_MAPPING, find_mapping
from endspiel.betting.tree import BY_CALL
from endspiel.cards.deck import NUM_RANKS
from endspiel.games.card_tree import CardTree, flop_tree
from endspiel.kernels.arrays import Bools
from endspiel.rules.builtin import load_rules

SHARES: Final = (0.5, 0.75, 1.0)  # of the pot
MISSING: Final = 1  # which of them the smaller abstraction lacks
Choice = list[tuple[int, float]]  # nodes that a node is taken for, with their probabilities


class Part(NamedTuple):
    """A game of which a solver needs the streets, the cards and the betting."""

    streets: list[Street]
    cards: CardTree
    betting: BettingTree


@dataclass(frozen=True, eq=False)
class NestedGame:
    """Flop hold'em with three bet sizes, on a deck with this number of ranks."""

    ranks: int = NUM_RANKS

    @cached_property
    def betting(self) -> BettingTree:
        menu = StreetMenu.parse("50%, 75%, 100%", "50%, 75%, 100%")
        game = replace(load_rules("flop-holdem"), max_raises=(1, 3))
        return game_tree(game, Sizing((menu, menu, None, None)))

    @cached_property
    def cards(self) -> CardTree:
        return flop_tree(self.ranks)

    @cached_property
    def bet(self) -> list[int]:
        """Which of the sizes [N] led to each node; -1 where no bet did."""
        tree = self.betting
        found = [-1] * tree.num_nodes
        for node in range(tree.num_nodes):
            bets = [child for child in tree.children(node) if tree.action[child] > BY_CALL]
            for size, child in enumerate(bets):
                found[child] = size
        return found

    def mover(self, node: int) -> int:
        """Who decided what led to a node."""
        return int(self.betting.player[self.betting.parent[node]])

    def without(self, *players: int) -> Bools:
        """Nodes [N] that are not bets of the missing size by one of these players."""
        return np.array(
            [
                size != MISSING or self.mover(node) not in players
                for node, size in enumerate(self.bet)
            ]
        )

    def part(self, *players: int) -> Part:
        """The game in which these players never make the missing bet."""
        streets = cut_streets(self.betting, 0, self.without(*players))
        return Part(streets, self.cards, self.betting)

    def after(self, starts: list[int]) -> Street:
        """What follows some nodes of the flop without the missing bet."""
        return cut_street(self.betting, starts, self.without(0, 1))

    def sequences(self, street: Street, player: int, allowed: Bools) -> dict[int, int]:
        """The player's sequence that ends in each node that it can choose on a street."""
        found: dict[int, int] = {}
        decisions = zip(street.decisions[player], street.first[player], strict=True)
        for node, first in decisions:
            children = [child for child in self.betting.children(node) if allowed[child]]
            found |= {child: first + a for a, child in enumerate(children)}
        return found

    def missing_bet(self, node: int) -> int:
        """The node after the missing bet at a decision; -1 where no bet is left."""
        children = self.betting.children(node)
        return next((child for child in children if self.bet[child] == MISSING), -1)

    def taken_for(self, player: int) -> dict[int, Choice]:
        """What a player takes each node for who maps the opponent's missing bets.

        Randomized: a bet is taken for the next smaller or the next larger one.
        """
        allowed, known = self.without(player), self.without(0, 1)
        smaller, bet, larger = SHARES[MISSING - 1 : MISSING + 2]
        low = float(find_mapping(DEFAULT_MAPPING)(bet, smaller, larger))
        found: dict[int, Choice] = {0: [(0, 1.0)]}
        for node in range(1, self.betting.num_nodes):  # parents come first
            parent = int(self.betting.parent[node])
            if parent not in found or not allowed[node]:
                continue
            a = node - int(self.betting.first_child[parent])
            options = [(a, 1.0)] if known[node] else [(a - 1, low), (a + 1, 1 - low)]
            found[node] = [
                (self.betting.children(taken)[b], chance * share)
                for taken, chance in found[parent]
                for b, share in options
            ]
        return found
