"""Prizes: what chips are worth in a tournament, by the model of Malmuth and Harville (ICM).

A player finishes first in proportion to its chips, and so on for every later place among those who
are left. Chips are worth less the more one has of them, and what two players lose to each other may
go to the others at the table: a hand is not zero-sum.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from endspiel.errors import GameError

MOST_PLAYERS = 12  # places are counted over all sets of players


def prize_equities(stacks: Sequence[float], prizes: Sequence[float]) -> list[float]:
    """What each player expects of the prizes, first place first, by its chips.

    Players without chips have finished behind all others, and share what is left.
    """
    alive = [player for player, chips in enumerate(stacks) if chips > 0]
    paid = [*prizes, *[0.0] * (len(stacks) - len(prizes))]
    equity = [0.0] * len(stacks)
    chances = {0: 1.0}  # that a set of players, as bits, has taken the places so far
    for place in range(len(alive)):
        after: dict[int, float] = {}
        for taken, chance in chances.items():
            left = [player for player in alive if not taken >> player & 1]
            total = sum(stacks[player] for player in left)
            for player in left:
                share = chance * stacks[player] / total
                equity[player] += share * paid[place]
                key = taken | 1 << player
                after[key] = after.get(key, 0.0) + share
        chances = after
    gone = len(stacks) - len(alive)
    for player in set(range(len(stacks))) - set(alive):
        equity[player] = sum(paid[len(alive) :]) / gone
    return equity


@dataclass(frozen=True)
class PrizeMap:
    """Two players' chips before a hand, those of the others, and the prizes: chips to prize equity.

    Examples:
        >>> from endspiel.betting.prizes import PrizeMap
        >>> winner_takes_all = PrizeMap((60, 40), (), (100,))
        >>> [winner_takes_all.worth(0, gain) for gain in (-40, 0, 40)]
        [-40.0, 0.0, 40.0]
    """

    stacks: tuple[float, float]
    others: tuple[float, ...]
    prizes: tuple[float, ...]

    def __post_init__(self) -> None:
        chips, players = (*self.stacks, *self.others), 2 + len(self.others)
        if not all(math.isfinite(x) and x > 0 for x in chips):
            raise GameError("every player at the table has chips: stacks are over 0")
        if players > MOST_PLAYERS:
            raise GameError(f"prizes are counted for {MOST_PLAYERS} players, not {players}")
        if not 0 < len(self.prizes) <= players:
            raise GameError(f"there are {len(self.prizes)} prizes for {players} players")
        falling = all(a >= b for a, b in zip(self.prizes, self.prizes[1:], strict=False))
        if not (falling and self.prizes[-1] >= 0 and all(map(math.isfinite, self.prizes))):
            raise GameError("prizes are numbers from 0 on, the first place's first and largest")

    @cached_property
    def before(self) -> list[float]:
        """What each player expects before the hand."""
        return prize_equities((*self.stacks, *self.others), self.prizes)

    def worth(self, player: int, gain: float) -> float:
        """What a player's prize equity changes by when it wins so many chips of the other."""
        stacks = [*self.stacks, *self.others]
        stacks[player] += gain
        stacks[1 - player] -= gain
        return prize_equities(stacks, self.prizes)[player] - self.before[player]
