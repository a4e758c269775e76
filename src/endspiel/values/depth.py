"""A flop solved to its end: what follows is valued by a net, anew in every iteration.

It is a backend of the engine. Players learn in turn, for which a net is asked twice an iteration:
with exact values in a net's place that is 10 times nearer to equilibrium than learning at once,
after as many questions 4 times. Sequences are those of the street's betting (`betting.streets`);
reaches and values are rows of all 1326 hands. All-in lines are valued by the share of run-outs that
each hand wins.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import Street, cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.engine.backend import alternate
from endspiel.engine.schemes import CURRENT, Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares
from endspiel.values.nets import ValueNet

Floats = NDArray[np.float64]
PLAYERS: Final = (0, 1)


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


class DepthLimited:
    """A street and what was learned on it; payoffs are in pots."""

    longest_average = float("inf")  # sums are kept in 64 bits
    zero_sum = True

    def __init__(
        self,
        tree: BettingTree,
        ranges: tuple[Floats, Floats],
        board: Sequence[int],
        after: Callable[[Sequence[StreetLine]], LineValues],
    ) -> None:
        cut = cut_streets(tree)
        self.street: Street = cut[0]
        live = live_hands(tuple(board))
        self.ranges = [weights * live for weights in ranges]
        self.pairs = float(self.ranges[0] @ unblocked_weights(self.ranges[1]))
        if self.pairs <= 0:
            raise GameError("no hand of one range can be held against a hand of the other")
        starts = cut[1].starts if len(cut) > 1 else []
        self.lines = [
            StreetLine(seqs, float(tree.pot + tree.spent[node].sum()), _behind(tree, node))
            for seqs, node in zip(self.street.out, starts, strict=True)
        ]
        self.unit = float(tree.pot + tree.spent[0].sum())
        self._folds = [t for t in self.street.terminals if t.folder >= 0]
        if len(self._folds) < len(self.street.terminals):
            raise GameError("a street with showdowns is the last: solve it to the end")
        self._after = after(self.lines)
        sizes = self.street.size
        self.regret, self.average = (
            [np.zeros((sizes[p], NUM_HANDS)) for p in PLAYERS] for _ in range(2)
        )

    # Learning.

    def accept(self, scheme: Scheme) -> None:
        """See `Backend`."""
        if scheme.predictive or not scheme.alternating or scheme.solution == CURRENT:
            raise GameError("a street is solved by alternating schemes that average")

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        """See `Backend`."""
        alternate(self, schedule)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """See `Backend`."""
        behaviors = [self._behavior(p, self.regret[p]) for p in PLAYERS]
        reaches = [self._reaches(p, behaviors[p]) for p in PLAYERS]
        gains, own = self._gains(player, reaches), behaviors[player]
        self._up(player, own, gains)
        street = self.street
        for first, actions in zip(street.first[player], street.actions[player], strict=True):
            rows = slice(first, first + actions)
            worth = decision_values(gains[rows], own[rows])
            add_advantages(self.regret[player][rows], gains[rows] - worth, discounts)
            add_plans(self.average[player][rows], reaches[player][rows], discounts)
        return np.asarray(gains[0])

    def state(self) -> dict[str, Any]:
        """See `Backend`."""
        both = (("regret", self.regret), ("average", self.average))
        return {f"{name}{p}": rows[p] for name, rows in both for p in PLAYERS}

    def restore(self, arrays: dict[str, Any]) -> None:
        """See `Backend`."""
        for name, rows in self.state().items():
            rows[:] = arrays[name]

    # What was learned.

    def root(self, player: int) -> Floats:
        """See `Backend`."""
        return self.ranges[player]

    def set_root(self, player: int, reach: NDArray[np.floating]) -> None:
        """See `Backend`."""
        self.ranges[player] = np.asarray(reach, dtype=np.float64)

    def strategy(self, player: int) -> list[Floats]:
        """The average at each of a player's decisions: [A, 1326]."""
        return [shares(rows) for rows in self._decisions(player, self.average[player])]

    def average_values(self, player: int) -> Floats:
        """See `Backend`."""
        return self._values(player, best=False)

    def best_values(self, player: int) -> Floats:
        """See `Backend`; lines are worth what they are when both follow their averages."""
        return self._values(player, best=True)

    def _values(self, player: int, best: bool) -> Floats:
        averages = [self._behavior(p, self.average[p]) for p in PLAYERS]
        reaches = [self._reaches(p, averages[p]) for p in PLAYERS]
        gains = self._gains(player, reaches)
        self._up(player, None if best else averages[player], gains)
        return np.asarray(gains[0])

    def _decisions(self, player: int, rows: Floats) -> list[Floats]:
        """Views of the rows of each decision, [A, 1326]."""
        street = self.street
        return [
            rows[first : first + actions]
            for first, actions in zip(street.first[player], street.actions[player], strict=True)
        ]

    def _behavior(self, player: int, sums: Floats) -> Floats:
        """The strategy that regrets or sums of plans stand for, by sequence: [S, 1326]."""
        found = np.ones_like(sums)
        pairs = zip(self._decisions(player, sums), self._decisions(player, found), strict=True)
        for rows, to in pairs:
            to[:] = shares(rows)
        return found

    def _reaches(self, player: int, behavior: Floats) -> Floats:
        """How often a player takes each sequence with each hand: [S, 1326]."""
        reach = behavior.copy()
        reach[0] = self.ranges[player]
        for rows, parent in zip(
            self._decisions(player, reach), self.street.parent[player], strict=True
        ):
            rows *= reach[parent]
        return reach

    def _gains(self, player: int, reaches: list[Floats]) -> Floats:
        """What a player's sequences lead to at once, in pots by pairs: [S, 1326]."""
        gains, other = np.zeros_like(reaches[player]), 1 - player
        if self._folds:
            met = unblocked_weights(reaches[other][[end.seqs[other] for end in self._folds]])
            for end, row in zip(self._folds, met, strict=True):
                gains[end.seqs[player]] += end.gain(player) * row
        if self.lines:
            coming = [reaches[p][[line.seqs[p] for line in self.lines]] for p in PLAYERS]
            values = self._after(np.stack(coming, axis=1))[:, player]
            for line, row in zip(self.lines, values, strict=True):
                gains[line.seqs[player]] += row
        return gains / (self.unit * self.pairs)

    def _up(self, player: int, behavior: Floats | None, gains: Floats) -> None:
        """Add what decisions are worth to the sequences that lead to them, the last ones first.

        By a behavior, or by best play.
        """
        parents = self.street.parent[player]
        rows = self._decisions(player, gains)
        taken = [None] * len(rows) if behavior is None else self._decisions(player, behavior)
        for values, by, parent in reversed(list(zip(rows, taken, parents, strict=True))):
            gains[parent] += decision_values(values, by)


def _behind(tree: BettingTree, node: int) -> float:
    """Chips that each player has left at a node."""
    return float(tree.stack - tree.spent[node].max())
