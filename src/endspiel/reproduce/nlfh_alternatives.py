"""What a base strategy of flop hold'em leaves the opponent at each endgame's entries.

An entry is a hand of the opponent that comes into an endgame. Values are counterfactual: weighed
by what the player's base strategy and the deal bring there, in big blinds over all pairs of hands.
The meaning of targets and limits is that of `endspiel.endgame.safe.reach`.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from endspiel.betting.streets import Street
from endspiel.cards.removal import unblocked_weight
from endspiel.cards.streets import PREFLOP
from endspiel.endgame.safe.reach import Alternatives, Parting, reach_target
from endspiel.kernels.arrays import Floats, Ints
from endspiel.reproduce.nlfh_game import UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_solvers import Flops, LineSolver, WholeSolver


@dataclass(frozen=True, eq=False)
class BaseStrategy:
    """A strategy of the whole game, without abstraction, as a solver's averages."""

    game: FlopGame
    solver: WholeSolver
    flops: Flops

    @cached_property
    def reach(self) -> tuple[Floats, Floats]:
        """Each player's probability [S, K] of each preflop sequence."""
        return self.solver.reaches(0), self.solver.reaches(1)

    @cached_property
    def values(self) -> tuple[Floats, Floats]:
        """CBV [S, K] of each preflop sequence, of each player against the other's base."""
        return self.solver.sequence_values(0), self.solver.sequence_values(1)

    @cached_property
    def entries(self) -> dict[PreflopEndgame, tuple[Floats, Floats]]:
        """CBV [K] of each endgame alone, of each player against the other's base."""
        found: dict[PreflopEndgame, tuple[Floats, Floats]] = {}
        for endgames in self.flops.groups(self.game.endgames):
            part = LineSolver(self.game, endgames, self.flops)
            for player in (0, 1):
                part.take_out(self.solver, player)
                part.set_root(player, self.ranges_into(endgames, player))
            values = zip(part.best_values(0), part.best_values(1), strict=True)
            found |= dict(zip(endgames, values, strict=True))
        return found

    def ranges_into(self, endgames: tuple[PreflopEndgame, ...], player: int) -> Floats:
        """The probability [E, K] with which a player's base strategy brings each hand there."""
        come: Floats = self.reach[player][[endgame.sequences[player] for endgame in endgames]]
        return come

    @cached_property
    def hands(self) -> Ints:
        """The hands [K] before the flop."""
        return self.game.cards.streets[PREFLOP][0].hands[0]

    def mass(self, endgame: PreflopEndgame, opponent: int) -> Floats:
        """The chance [K] that each hand of the opponent meets the player in an endgame."""
        weights = self.reach[1 - opponent][endgame.sequences[1 - opponent]]
        return unblocked_weight(weights, self.hands) / self.game.whole.pairs

    def floor(self, endgame: PreflopEndgame, opponent: int) -> Floats:
        """What the opponent gets at each entry [K] at least: it may check, and fold to any bet."""
        return -self.mass(endgame, opponent) * endgame.spent / UNIT

    @property
    def preflop(self) -> Street:
        return self.game.whole.streets[PREFLOP]


def plain(base: BaseStrategy, endgame: PreflopEndgame, opponent: int) -> Alternatives:
    """CBV(I, a_S) itself: for Re-solve and Maxmargin."""
    return Alternatives.plain(base.entries[endgame][opponent])


def with_reach(base: BaseStrategy, endgame: PreflopEndgame, opponent: int) -> Alternatives:
    """Counting what the opponent gives away on the path, other endgames at their lower bounds.

    Every hand has one entry, so its path goes back to the opponent's first decision.
    """
    values, entry = base.values[opponent], base.entries[endgame][opponent]
    last = endgame.sequences[opponent]
    beside = values[last] - entry
    worth, away = values.__getitem__, _values_away(base, opponent).__getitem__
    path = street_partings(base.preflop, opponent, last, worth, away)
    target = reach_target(entry, beside, path)
    limit, own = entry, base.preflop.decision_of(opponent, last)
    if own is not None and not _leads_elsewhere(base, endgame, opponent):
        limit = values[own.span].max(axis=0) - beside
    return Alternatives(entry, target, np.minimum(target, limit))


SequenceValues = Callable[[int], Floats]  # what a sequence is worth [..., K]


def street_partings(
    street: Street, player: int, sequence: int, value: SequenceValues, away: SequenceValues
) -> Generator[Parting, None, int]:
    """A player's decisions on the way to a sequence of a street, the last first; then its line.

    Sequences are worth so much, and so much where they lead away.
    """
    while (own := street.decision_of(player, sequence)) is not None:
        actions = range(own.span.start, own.span.stop)
        leaving = reduce(np.maximum, (away(s) for s in actions if s != sequence))
        yield Parting(leaving, value(own.parent) - reduce(np.maximum, map(value, actions)))
        sequence = own.parent
    return sequence


def _leads_elsewhere(base: BaseStrategy, endgame: PreflopEndgame, opponent: int) -> bool:
    """Whether the player may go on from the opponent's last sequence to another endgame."""
    last, preflop = endgame.sequences[opponent], base.preflop
    for other in base.game.endgames:
        sequence = other.sequences[opponent]
        while sequence > last and (own := preflop.decision_of(opponent, sequence)) is not None:
            sequence = own.parent
        if other is not endgame and sequence == last:
            return True
    return False


def _values_away(base: BaseStrategy, opponent: int) -> Floats:
    """What each of the opponent's preflop sequences [S, K] is worth at least, whatever changes."""

    def summed(inside: Callable[[PreflopEndgame], Floats], below: Floats) -> Floats:
        """What endgames and the opponent's next decisions add to each sequence."""
        added = np.zeros_like(values)
        for endgame in base.game.endgames:
            added[endgame.sequences[opponent]] += inside(endgame)
        for own in decisions:
            added[own.parent] += below[own.span].max(axis=0)
        return added

    decisions, values = base.preflop.own(opponent), base.values[opponent]
    fixed = values - summed(lambda endgame: base.entries[endgame][opponent], values)
    away = fixed
    for _ in decisions:  # once more than any line has decisions
        away = fixed + summed(lambda endgame: base.floor(endgame, opponent), away)
    return away
