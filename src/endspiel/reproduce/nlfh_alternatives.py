"""What a base strategy of flop hold'em leaves the opponent at each endgame's entries.

An entry is a hand of the opponent that comes into an endgame. Values are counterfactual: weighed
by what the player's base strategy and the deal bring there, in big blinds over all pairs of hands.
The meaning of targets and limits is that of `endspiel.endgame.alternatives`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from endspiel.endgame.alternatives import Alternatives
from endspiel.games.street_plans import Street
from endspiel.kernels.arrays import Floats
from endspiel.kernels.board import BEST
from endspiel.reproduce.nlfh_game import (
    PREFLOP,
    UNIT,
    Endgame,
    FlopGame,
    disjoint_mass,
    reaches,
    set_root,
    take_out,
)
from endspiel.solvers.board_cfr import SPOT_SCHEMES, BoardCFR

SCHEME = SPOT_SCHEMES["dcfr"]


@dataclass(frozen=True, eq=False)
class BaseStrategy:
    """A strategy of the whole game, without abstraction, as a solver's averages."""

    game: FlopGame
    solver: BoardCFR

    @cached_property
    def reach(self) -> tuple[Floats, Floats]:
        """Each player's probability [S, K] of each preflop sequence."""
        return reaches(self.solver, 0), reaches(self.solver, 1)

    @cached_property
    def values(self) -> tuple[Floats, Floats]:
        """CBV [S, K] of each preflop sequence, of each player against the other's base."""
        one, two = (self.solver.action_values(PREFLOP, 0, i, BEST) for i in (0, 1))
        return one, two

    @cached_property
    def entries(self) -> dict[Endgame, tuple[Floats, Floats]]:
        """CBV [K] of each endgame alone, of each player against the other's base."""
        found = {}
        for endgame in self.game.endgames:
            part = BoardCFR(self.game.cut(endgame), SCHEME, self.solver.threads)
            one, two = (self._entry(part, endgame, opponent) for opponent in (0, 1))
            found[endgame] = (one, two)
        return found

    def _entry(self, part: BoardCFR, endgame: Endgame, opponent: int) -> Floats:
        player = 1 - opponent
        take_out(self.solver, part, player)
        set_root(part.game, player, self.range_into(endgame, player))
        return part.hand_values(opponent, BEST)

    def range_into(self, endgame: Endgame, player: int) -> Floats:
        """The probability [K] with which a player's base strategy brings each hand there."""
        come: Floats = self.reach[player][endgame.sequences[player]]
        return come

    def floor(self, endgame: Endgame, opponent: int) -> Floats:
        """What the opponent gets at each entry [K] at least: it may check, and fold to any bet."""
        weights = self.range_into(endgame, 1 - opponent)
        hands = self.game.cards.streets[PREFLOP][0].hands[opponent]
        lost = disjoint_mass(hands, weights) * endgame.spent / UNIT
        return -lost / self.solver.game.pairs

    @property
    def preflop(self) -> Street:
        return self.solver.game.streets[PREFLOP]


def plain(base: BaseStrategy, endgame: Endgame, opponent: int) -> Alternatives:
    """CBV(I, a_S) itself: for Re-solve and Maxmargin."""
    entry = base.entries[endgame][opponent]
    return Alternatives(entry, entry, entry)


def with_reach(base: BaseStrategy, endgame: Endgame, opponent: int) -> Alternatives:
    """Counting what the opponent gives away on the path, other endgames at their lower bounds.

    Every hand has one entry, so its path goes back to the opponent's first decision.
    """
    preflop, values = base.preflop, base.values[opponent]
    entry, away = base.entries[endgame][opponent], _values_away(base, opponent)
    first, actions = preflop.first[opponent], preflop.actions[opponent]
    last = sequence = endgame.sequences[opponent]
    target, beside = entry, values[last] - entry
    limit = entry
    while (decision := _decision(preflop, opponent, sequence)) >= 0:
        span = range(first[decision], first[decision] + actions[decision])
        leaving = away[[s for s in span if s != sequence]].max(axis=0)
        target = np.maximum(target, leaving - beside)
        best = values[list(span)].max(axis=0)
        if sequence == last and not _leads_elsewhere(base, endgame, opponent):
            limit = best - beside
        sequence = preflop.parent[opponent][decision]
        beside = beside + values[sequence] - best
    return Alternatives(entry, target, np.minimum(target, limit))


def _decision(preflop: Street, player: int, sequence: int) -> int:
    """The player's decision that a preflop sequence belongs to; -1 for the game's start."""
    return int(np.searchsorted(preflop.first[player], sequence, side="right")) - 1


def _leads_elsewhere(base: BaseStrategy, endgame: Endgame, opponent: int) -> bool:
    """Whether the player may go on from the opponent's last sequence to another endgame."""
    last, preflop = endgame.sequences[opponent], base.preflop
    for other in base.game.endgames:
        sequence = other.sequences[opponent]
        while sequence > last:
            sequence = preflop.parent[opponent][_decision(preflop, opponent, sequence)]
        if other is not endgame and sequence == last:
            return True
    return False


def _values_away(base: BaseStrategy, opponent: int) -> Floats:
    """What each of the opponent's preflop sequences [S, K] is worth at least, whatever changes."""

    def summed(inside: Callable[[Endgame], Floats], below: Floats) -> Floats:
        """What endgames and the opponent's next decisions add to each sequence."""
        added = np.zeros_like(values)
        for endgame in base.game.endgames:
            added[endgame.sequences[opponent]] += inside(endgame)
        for first, actions, parent in decisions:
            added[parent] += below[first : first + actions].max(axis=0)
        return added

    preflop, values = base.preflop, base.values[opponent]
    lists = (preflop.first[opponent], preflop.actions[opponent], preflop.parent[opponent])
    decisions = list(zip(*lists, strict=True))
    fixed = values - summed(lambda endgame: base.entries[endgame][opponent], values)
    away = fixed
    for _ in decisions:  # once more than any line has decisions
        away = fixed + summed(lambda endgame: base.floor(endgame, opponent), away)
    return away
