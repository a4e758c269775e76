"""Heads-up push or fold before the flop: the small blind moves all-in or folds, the big blind
calls or folds.

Hands of a class (``AKs``) differ in their suits only, and a renaming of suits changes nothing: an
equilibrium over the 169 classes is one over all 1326 hands. Chances and equities between classes
count every pair of hands that shares no card.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, class_names
from endspiel.errors import GameError
from endspiel.game import Game, Labels, Matrix, Profile, TerminalGroup, Treeplex
from endspiel.games.preflop_charts import ChartPlace, ChartValues, chart_record
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON
from endspiel.kernels.arrays import Floats, Ints

PUSHER_ACTIONS = ("fold", "push")
CALLER_ACTIONS = ("fold", "call")


@dataclass(frozen=True)
class PushFoldStakes:
    """What is posted and what is behind, all in one unit: chips, or big blinds."""

    stack: float  # the smaller of the two, before anything is posted
    ante: float = 0.0  # of each player
    small_blind: float = 0.5
    big_blind: float = 1.0

    def __post_init__(self) -> None:
        for name, amount in vars(self).items():
            if not (math.isfinite(amount) and amount >= 0):
                raise GameError(f"{name} is {amount}; it is a number of chips, 0 or more")
        if not 0 < self.small_blind <= self.big_blind:
            raise GameError(
                f"the blinds are {self.small_blind:g} and {self.big_blind:g}; "
                "the small one is over 0 and not above the big one"
            )
        if self.stack <= self.small_blind + self.ante:
            raise GameError(
                f"a stack of {self.stack:g} is all-in with a small blind of {self.small_blind:g} "
                f"and an ante of {self.ante:g}: there is nothing to decide"
            )

    @property
    def posted(self) -> tuple[float, float]:
        """What the small and the big blind lose by folding: at most the stack."""
        return self.small_blind + self.ante, min(self.big_blind + self.ante, self.stack)


def push_fold(
    stack: float = 10.0, ante: float = 0.0, small_blind: float = 0.5, big_blind: float = 1.0
) -> Game:
    """The game over the 169 classes; player 0 is the small blind, payoffs are in the stack's unit.

    The infosets of both players are the classes by name.
    """
    return push_fold_game(PushFoldStakes(stack, ante, small_blind, big_blind))


def push_fold_game(stakes: PushFoldStakes) -> Game:
    """The game of stakes given as one struct."""
    matchups = class_matchups()
    chance = matchups.chance
    small, big = stakes.posted
    folds, goes_in = 1, 1 + NUM_CLASSES  # first sequence of each action, after the root
    groups = [
        _terminal(-small * chance.sum(axis=1, keepdims=True), folds, 0),
        _terminal(big * chance, goes_in, folds),
        _terminal(stakes.stack * (2.0 * matchups.equity - 1.0) * chance, goes_in, goes_in),
    ]
    return Game(
        plexes=(_one_decision(), _one_decision()),
        groups=groups,
        name=f"push-fold:stack={stakes.stack:g}",
        labels=(_labels(PUSHER_ACTIONS), _labels(CALLER_ACTIONS)),
        unit=stakes.big_blind,
        span=2.0 * stakes.stack,
    ).validate()


def _one_decision() -> Treeplex:
    """One block: every class, two actions."""
    return Treeplex.from_blocks(np.ones(1), [(np.zeros(NUM_CLASSES, np.int64), 2)])


def _labels(actions: tuple[str, str]) -> Labels:
    return Labels((class_names(),), ((actions,) * NUM_CLASSES,))


def _terminal(payoffs: Floats, first0: int, first1: int) -> TerminalGroup:
    """Terminals whose payoffs are those of sequences from a number on."""
    return TerminalGroup(Matrix(payoffs), np.ones(1), _one(first0), _one(first1))


def _one(number: int) -> Ints:
    return np.array([number], np.int64)


CHIPS: Final = 100  # of a big blind, as lines count them


def push_fold_charts(stakes: PushFoldStakes, profile: Profile) -> list[dict[str, Any]]:
    """Both decisions of a profile, in big blinds."""
    game, chance = push_fold_game(stakes), class_matchups().chance
    plans = [profile.plan(game, player) for player in (0, 1)]
    everything = np.ones(NUM_CLASSES)

    def values(player: int, met: Floats) -> ChartValues:
        shares = profile.behavior[player][1:].reshape(2, NUM_CLASSES)  # folding first
        worth = game.gradient(player, plans[1 - player])[1:].reshape(2, NUM_CLASSES)
        return ChartValues(shares, worth, everything, met)

    pushed = plans[0][1 + NUM_CLASSES :]
    level = stakes.stack - stakes.ante  # what a push brings a player's chips to
    big, small = min(stakes.big_blind, level), stakes.small_blind
    word = f"r{round(CHIPS * level / stakes.big_blind)}"
    first = _place(stakes, "", BUTTON, (small, big), ("f", word))
    second = _place(stakes, word, BIG_BLIND, (big, level), ("f", "c"))
    return [
        chart_record(first, values(0, chance @ everything), stakes.big_blind),
        chart_record(second, values(1, chance.T @ pushed), stakes.big_blind),
    ]


def _place(
    stakes: PushFoldStakes,
    line: str,
    player: int,
    spent: tuple[float, float],  # by who decides, and by the other, besides antes
    words: tuple[str, str],
) -> ChartPlace:
    own, other = spent
    unit = stakes.big_blind
    return ChartPlace(
        line,
        player,
        pot=(own + other + 2 * stakes.ante) / unit,
        to_call=(other - own) / unit,
        put_in=(own + stakes.ante) / unit,
        words=words,
        unit=CHIPS,
    )
