"""Value functions for AIVAT: what they are asked, and the simplest, as if both hands lay open."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from endspiel.arena.estimators.shares import Cards, Floats, shares
from endspiel.rules.state import State


class Seen(NamedTuple):
    """Where a hand stands, seen from the other player's cards."""

    state: State
    position: int  # agent A's
    other: Cards
    board: Cards


class Values(Protocol):
    """Chips that agent A may expect with each hand of ``all_holes`` against one: [K].

    Where an action has just ended a round, the board is the one before the next cards.
    """

    def __call__(self, seen: Seen, /) -> Floats: ...


@runtime_checkable
class DealValues(Values, Protocol):
    """Values with an expectation over a deal, so that cards need not be dealt.

    For deals they may give other figures than elsewhere, ones whose mean is easily told.
    """

    def before_deal(self, seen: Seen, /) -> Floats | None:
        """Mean of each hand's ``after_deal`` [K] over the next board cards; None: not known.

        The state is the one after the deal, the board the one before it. The mean is over all cards
        that neither the hand nor the other's has. Where it is not known the values themselves are
        computed after every deal.
        """
        ...

    def after_deal(self, seen: Seen, /) -> Floats:
        """The figures on one board: [K]."""
        ...


class CheckDown:
    """Values as if the last bet were called and nothing bet after it."""

    def __call__(self, seen: Seen) -> Floats:
        """Chips of each hand against one: [K]."""
        state = seen.state
        return min(state.max_spent, *state.game.stacks) * shares(state.game, seen.other, seen.board)

    def before_deal(self, seen: Seen) -> Floats:
        """Shares on the board before: a share is the mean of the shares one deal later."""
        return self(seen)

    def after_deal(self, seen: Seen) -> Floats:
        """Shares on the board after."""
        return self(seen)


class OpenHands(CheckDown):
    """Values with open hands, in which the player who faces a bet may fold.

    Large bets, most of which are folded to, then do not count as if they were called. Nobody faces
    a bet where cards are dealt.
    """

    def __call__(self, seen: Seen) -> Floats:
        """Chips of each hand against one: [K]."""
        called, state = super().__call__(seen), seen.state
        if state.spent[0] == state.spent[1]:
            return called
        if state.actor == seen.position:
            return np.maximum(called, -state.spent[seen.position])
        return np.minimum(called, state.spent[1 - seen.position])


check_down = CheckDown()
open_hands = OpenHands()
