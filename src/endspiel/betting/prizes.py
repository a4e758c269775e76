"""Prizes: what chips are worth in a tournament, by the model of Malmuth and Harville (ICM).

A player finishes first in proportion to its chips, and so on for every later place among those who
are left. Chips are worth less the more one has of them, and what two players lose to each other may
go to the others at the table: a hand is not zero-sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from endspiel.betting.rake import Outcome, Outcomes
from endspiel.errors import GameError

MOST_PLAYERS = 12  # places are counted over all sets of players
LARGEST = 1e12  # of stacks and prizes: sums of more would lose small differences
SMALLEST = 1e-12  # of the first prize: chips that are worth less count as nothing


def prize_equities(stacks: Sequence[float], prizes: Sequence[float]) -> list[float]:
    """What each player expects of the prizes, first place first, by its chips.

    Players without chips have finished behind all others, and share what is left.
    """
    alive = [player for player, chips in enumerate(stacks) if chips > 0]
    paid = [*prizes, *[0.0] * (len(stacks) - len(prizes))]
    equity = [0.0] * len(stacks)
    chances = {0: 1.0}  # that a set of players, as bits, has taken the places so far
    for place in range(min(len(alive), len(prizes))):
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
        if not all(0 < x <= LARGEST for x in chips):
            raise GameError("every player at the table has chips: stacks are over 0")
        if players > MOST_PLAYERS:
            raise GameError(f"prizes are counted for {MOST_PLAYERS} players, not {players}")
        if not 0 < len(self.prizes) <= players:
            raise GameError(f"there are {len(self.prizes)} prizes for {players} players")
        falling = all(a >= b for a, b in zip(self.prizes, self.prizes[1:], strict=False))
        if not (falling and all(0 <= x <= LARGEST for x in self.prizes)):
            raise GameError("prizes are numbers from 0 on, the first place's first and largest")
        if not self.prizes[0] >= SMALLEST:
            raise GameError(
                f"the first prize is {SMALLEST:g} or more: without prizes chips are played for"
            )

    @cached_property
    def before(self) -> list[float]:
        """What each player expects before the hand."""
        return prize_equities((*self.stacks, *self.others), self.prizes)

    def worth(self, player: int, gain: float) -> float:
        """The change of a player's prize equity when it wins chips of the other."""
        stacks = [*self.stacks, *self.others]
        stacks[player] += gain
        stacks[1 - player] -= gain
        return prize_equities(stacks, self.prizes)[player] - self.before[player]

    @property
    def chip(self) -> float:
        """What a chip is worth in the mean: all prizes over all chips."""
        return sum(self.prizes) / sum((*self.stacks, *self.others))

    def in_chips(self, player: int, gain: float) -> float:
        """The change in chips of mean worth: between two who play for one prize just the gain."""
        return self.worth(player, gain) / self.chip

    def dump(self, pot: int) -> list[str]:
        """The lines of a spot file that say it, where half of the pot is either player's."""
        return [
            f"stack = {[int(chips - pot / 2) for chips in self.stacks]}",
            f"prizes = {list(self.prizes)}",
            *([f"others = {list(self.others)}"] if self.others else []),
        ]

    def outcomes(self, stake: float) -> Outcomes:
        """What both players get, in chips of mean worth, where the loser loses a stake."""
        return _outcomes(self, stake)


@cache
def _outcomes(prizes: PrizeMap, stake: float) -> Outcomes:
    """Lines of a tree share their stakes: each is worked out once."""
    one, two = (
        Outcome(prizes.in_chips(player, stake), 0.0, prizes.in_chips(player, -stake))
        for player in (0, 1)
    )
    return one, two
