"""A flop solved to its end: what follows is valued by a net, anew in every iteration.

It is a backend of the engine. Players learn in turn, for which a net is asked twice an iteration:
with exact values in a net's place that is 10 times nearer to equilibrium than learning at once,
after as many questions 4 times. Sequences are those of the street's betting (`betting.streets`);
reaches and values are rows of all 1326 hands. All-in lines are valued by the share of run-outs that
each hand wins.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts
from endspiel.solvers.boards.plans import StreetBackend
from endspiel.values.nets import ValueNet

Floats = NDArray[np.float64]


class StreetLine(NamedTuple):
    """A line that goes on after the street."""

    seqs: tuple[int, int]
    pot: float  # chips, both players' together
    behind: float  # chips that each has left


class LineValues(Protocol):
    """What lines are worth once the street is over."""

    def __call__(self, reaches: Floats) -> Floats:
        """Counterfactual values in chips, from both players' reaches: both [L, 2, 1326]."""


class NetValues:
    """Lines valued by a net, those of players all in by their chances to win."""

    def __init__(
        self,
        net: ValueNet,
        board: Sequence[int],
        wins: Callable[[tuple[int, ...]], Floats],  # [1326, 1326] chance to win less to lose
        lines: Sequence[StreetLine],
    ) -> None:
        if net.cards != len(board):
            raise GameError(f"the net is of boards of {net.cards} cards, not {len(board)}")
        self.net = net
        self.open = [number for number, line in enumerate(lines) if line.behind > 0]
        self.over = [number for number, line in enumerate(lines) if line.behind <= 0]
        self.wins = wins(tuple(board)).astype(np.float32) if self.over else None
        self.pots = np.array([line.pot for line in lines])
        self.depths = np.array([line.behind / line.pot for line in lines])
        self.boards = np.tile(np.array(board), (len(self.open), 1))

    def __call__(self, reaches: Floats) -> Floats:
        found, ranges = np.zeros_like(reaches), reaches.astype(np.float32)
        if self.open:
            coming = ranges[self.open]
            values = self.net(self.boards, self.depths[self.open], coming)
            found[self.open] = values * unblocked_weights(coming)[:, ::-1]
        if self.wins is not None:
            others = ranges[self.over][:, ::-1]
            won = others.reshape(-1, NUM_HANDS) @ self.wins.T / 2
            found[self.over] = won.reshape(others.shape)
        found *= self.pots[:, None, None]
        return found


class DepthLimited(StreetBackend):
    """A street and what was learned on it; payoffs are in pots."""

    def __init__(
        self,
        tree: BettingTree,
        ranges: tuple[Floats, Floats],
        board: Sequence[int],
        after: Callable[[Sequence[StreetLine]], LineValues],
    ) -> None:
        street, *later = cut_streets(tree)
        roots, unit = np.stack(ranges) * live_hands(tuple(board)), tree.pot + tree.spent[0].sum()
        super().__init__(street, np.arange(NUM_HANDS), roots, float(unit))
        self.pairs = float(roots[0] @ unblocked_weights(roots[1]))
        if self.pairs <= 0:
            raise GameError("no hand of one range can be held against a hand of the other")
        if any(end.folder < 0 for end in street.terminals):
            raise GameError("a street with showdowns is the last: solve it to the end")
        starts = later[0].starts if later else []
        self.lines = [
            StreetLine(seqs, float(tree.pot + tree.spent[node].sum()), _behind(tree, node))
            for seqs, node in zip(street.out, starts, strict=True)
        ]
        self._after = after(self.lines)

    def line_values(
        self, player: int, mode: int, reaches: list[Floats], discounts: Discounts | None
    ) -> Floats:
        """Lines are worth what they are when both go on as they come, whatever the mode."""
        if not self.lines:
            return np.zeros((0, NUM_HANDS))
        return self._after(np.stack(reaches, axis=1))[:, player] / self.unit

    def strategy(self, player: int) -> list[Floats]:
        """The average at each of a player's decisions: [A, 1326]."""
        behavior = self.behavior(player)
        return [behavior[own.rows] for own in self.street.own(player)]


def _behind(tree: BettingTree, node: int) -> float:
    """Chips that each player has left at a node."""
    return float(tree.stack - tree.spent[node].max())
