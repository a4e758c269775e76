"""Value functions for AIVAT: what they are asked, and the simplest, as if both hands lay open."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from endspiel.arena.shares import Cards, Floats, shares
from endspiel.rules.state import State


class Values(Protocol):
    """Chips that agent A, at a position, may expect with each hand against one: [K].

    Where an action has just ended a round, the board is the one before the next cards.
    """

    def __call__(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K]
        other: Cards,
        board: Cards,
        /,
    ) -> Floats: ...


@runtime_checkable
class DealValues(Values, Protocol):
    """Values that can tell what a deal may be expected to bring, so that nobody need deal it.

    For deals they may give other figures than elsewhere, ones whose mean is easily told.
    """

    def before_deal(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K]
        other: Cards,
        board: Cards,
        /,
    ) -> Floats | None:
        """Mean of each hand's ``after_deal`` [K] over the next board cards; None: not known.

        The state is the one after the deal, the board the one before it. The mean is over all cards
        that neither the hand nor the other's has. Where it is not known the values themselves are
        looked at after every deal.
        """
        ...

    def after_deal(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K]
        other: Cards,
        board: Cards,
        /,
    ) -> Floats:
        """The figures on one board: [K]."""
        ...


class CheckDown:
    """Values as if the last bet were called and nothing bet after it."""

    def __call__(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K] all of ``all_holes``
        other: Cards,
        board: Cards,
    ) -> Floats:
        """Chips of each hand against one: [K]."""
        return min(state.max_spent, *state.game.stacks) * shares(state.game, other, board)

    def before_deal(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K] all of ``all_holes``
        other: Cards,
        board: Cards,
    ) -> Floats:
        """The same on the board before: a share is the mean of the shares one deal later."""
        return self(state, position, holes, other, board)

    def after_deal(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K] all of ``all_holes``
        other: Cards,
        board: Cards,
    ) -> Floats:
        """The same on the board after."""
        return self(state, position, holes, other, board)


class OpenHands(CheckDown):
    """The same, but whoever faces a bet may fold to it, as if both hands lay open.

    Large bets, most of which are folded to, then do not count as if they were called. Nobody faces
    a bet where cards are dealt.
    """

    def __call__(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K] all of ``all_holes``
        other: Cards,
        board: Cards,
    ) -> Floats:
        """Chips of each hand against one: [K]."""
        called = super().__call__(state, position, holes, other, board)
        if state.spent[0] == state.spent[1]:
            return called
        if state.actor == position:
            return np.maximum(called, -state.spent[position])
        return np.minimum(called, state.spent[1 - position])


check_down = CheckDown()
open_hands = OpenHands()
