"""A flop solved to its end: a net values what follows, again in every iteration.

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
Float32s = NDArray[np.float32]


class StreetLine(NamedTuple):
    """A line that goes on after the street."""

    seqs: tuple[int, int]
    pot: float  # chips, both players' together
    behind: float  # chips that each has left


class LineValues(Protocol):
    """What lines are worth once the street is over."""

    def __call__(self, player: int, reaches: Sequence[Floats]) -> NDArray[np.floating]:
        """A player's counterfactual values in chips, from both players' reaches: [L, 1326] each."""


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
        self.open = [number for number, line in enumerate(lines) if line.behind > 0]
        self.over = [number for number, line in enumerate(lines) if line.behind <= 0]
        self.wins: Float32s | None = None  # [other's hand, own hand], by half a pot
        if self.over:
            self.wins = np.ascontiguousarray(wins(tuple(board)).T / 2, dtype=np.float32)
        self.pots = np.array([[line.pot] for line in lines], dtype=np.float32)
        depths = np.array([lines[number].behind / lines[number].pot for number in self.open])
        self.ask = net.on_board(tuple(board), depths)

    def __call__(self, player: int, reaches: Sequence[Floats]) -> Float32s:
        found = np.zeros(reaches[0].shape, dtype=np.float32)
        if self.open:
            coming = np.empty((len(self.open), 2, NUM_HANDS), dtype=np.float32)
            for each in (0, 1):
                coming[:, each] = reaches[each][self.open]
            found[self.open] = self.ask(player, coming)
        if self.wins is not None:
            found[self.over] = reaches[1 - player][self.over].astype(np.float32) @ self.wins
        found *= self.pots
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
    ) -> NDArray[np.floating]:
        """Lines are worth what they are when both go on as they come, whatever the mode."""
        if not self.lines:
            return np.zeros((0, NUM_HANDS))
        return self._after(player, reaches) / self.unit

    def strategy(self, player: int) -> list[Floats]:
        """The average at each of a player's decisions: [A, 1326]."""
        behavior = self.behavior(player)
        return [behavior[own.rows] for own in self.street.own(player)]


def _behind(tree: BettingTree, node: int) -> float:
    """Chips that each player has left at a node."""
    return float(tree.stack - tree.spent[node].max())
