"""Reaches, values and equities at any node of a solution, of either player, for all 1326 hands.

A solution has the values of the player who decides. The rest follows: where the other player
decides or a card is dealt, a hand is worth the mean of what comes next, by how much of the other
player's range goes there against it. An EV counts all chips since the root: a fold loses what was
put in, and both players' EVs at the root add up to the pot.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, FOLD, BettingTree
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.equity import equities
from endspiel.cards.live import live_mask
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.ranges.line import Action, reach_along
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.upi.nodes import UpiNode, child_nodes, ends_the_betting

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NodeValues:
    """What a solution says at any node."""

    solution: SpotSolution
    _views: dict[str, NodeView] = field(default_factory=dict)
    _reaches: dict[tuple[str, int], Floats] = field(default_factory=dict)

    @property
    def tree(self) -> BettingTree:
        """The betting."""
        return self.solution.game.betting

    def view(self, node: UpiNode) -> NodeView:
        """A decision, as the solution stores it."""
        if node.line not in self._views:
            self._views[node.line] = self.solution.view(node.line)
        return self._views[node.line]

    def strategy(self, node: UpiNode) -> Floats:
        """Probability [A, 1326] of each child of a decision; 0 with hands not held."""
        view = self.view(node)
        return np.stack([view.by_hand(shares) for shares in view.strategy[::-1]])

    def reach(self, node: UpiNode, player: int) -> Floats:
        """Weight [1326] of a player's hands at a node: range times own play."""
        key = (node.name, player)
        if key not in self._reaches:
            self._reaches[key] = self._reach(node, player)
        return self._reaches[key]

    def _reach(self, node: UpiNode, player: int) -> Floats:
        above = node.parent
        if above is None:
            weights: Floats = self.solution.spot.weights[player]
            return weights
        reach = np.where(live_mask(node.board), self.reach(above, player), 0.0)
        if self.tree.kind[above.number] == DECISION and self.tree.player[above.number] == player:
            view = self.view(above)
            action = node.number - int(self.tree.first_child[above.number])
            own = Action(player, view.by_hand(view.strategy[action]))
            reach = reach_along(reach, [own], player)
        return reach

    def met(self, node: UpiNode, player: int) -> Floats:
        """Weight [1326] of the other player's hands here that can be held against each hand."""
        weight = exact_unblocked_weight(self.reach(node, 1 - player))
        return np.where(live_mask(node.board), weight, 0.0)

    def matchups(self, node: UpiNode, player: int) -> Floats:
        """How often each hand is here [1326]: own reach times what it meets."""
        return self.reach(node, player) * self.met(node, player)

    def frequency(self, node: UpiNode) -> float:
        """How often a node is reached, its cards counted."""
        start = node
        share = 1.0
        while start.parent is not None:
            if len(start.board) > len(start.parent.board):  # of the unseen cards
                share /= NUM_CARDS - len(start.parent.board) - 4
            start = start.parent
        return share * float(self.matchups(node, 0).sum() / self.matchups(start, 0).sum())

    def equity(self, node: UpiNode, player: int) -> Floats:
        """Equity [1326] against the other player's range here; NaN where it cannot be."""
        found: Floats = equities(self.reach(node, 1 - player), list(node.board))
        return np.where(self._told(node, player), found, np.nan)

    def ev(self, node: UpiNode, player: int) -> Floats:
        """Chips [1326] that each hand of a range expects; NaN where it cannot be."""
        tree, spent = self.tree, self.tree.spent[node.number]
        if tree.kind[node.number] == FOLD:
            folded = tree.player[node.number] == player
            chips = -spent[player] if folded else tree.pot + spent[1 - player] - self._rake(node)
            return np.where(self._told(node, player), float(chips), np.nan)
        if ends_the_betting(tree, node.number):
            pot = tree.pot + int(spent.sum()) - self._rake(node)
            return self.equity(node, player) * pot - float(spent[player])
        if tree.kind[node.number] == DECISION and tree.player[node.number] == player:
            view = self.view(node)
            found = np.full(NUM_HANDS, np.nan)
            found[view.hands] = view.ev - float(spent[player])
            return found
        return self._mean_below(node, player)

    def _rake(self, node: UpiNode) -> float:
        """Chips that the house takes where the betting is over: a flop was seen before any spot."""
        return self.tree.rake.taken(2 * float(self.tree.stake[node.number]))

    def _mean_below(self, node: UpiNode, player: int) -> Floats:
        """The mean [1326] of what follows, by what each hand meets there."""
        chips, weight = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
        for child in child_nodes(self.tree, node):
            met = self.met(child, player)
            chips += np.where(met > 0, met * self.ev(child, player), 0.0)
            weight += met
        nothing = np.full(NUM_HANDS, np.nan)
        mean: Floats = np.divide(chips, weight, out=nothing, where=weight > 0)
        return mean

    def _told(self, node: UpiNode, player: int) -> NDArray[np.bool_]:
        """Which hands [1326] are of the player's range and meet something here."""
        held: NDArray[np.bool_] = self.solution.spot.weights[player] > 0
        return held & (self.met(node, player) > 0)


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Mean of a value [1326] by weights [1326]; NaN where there is no weight."""
    used = weights > 0
    if not used.any():
        return float("nan")
    return float(values[used] @ weights[used] / weights[used].sum())
