"""AIVAT: an unbiased estimate with the luck of the cards and of the agent's own dice taken out.

After Burch, Schmid, Moravčík, Morrill and Bowling (2018). Agent A's strategy is known; the other
player's is not. A hand is seen from the other player's cards, and every hand that A might hold is
weighed by its chance to have come this far. At each of A's decisions and each deal of board cards
the estimate adds what was to be expected, by any value function, less what came. The corrections
have mean zero whatever the values; the better they are, the more noise they take away.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from endspiel.agent.base import Agent, Choice
from endspiel.arena.play import Hand
from endspiel.arena.shares import Cards, Floats, all_holes, shares
from endspiel.errors import EndspielError
from endspiel.rules.acpc import history
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State, start


class Policy(Protocol):
    """How agent A plays all its hands somewhere; ``Agent.policy`` is one."""

    def __call__(
        self,
        state: State,
        holes: Sequence[Cards],  # [K]
        board: Cards,
        /,
    ) -> Choice | None: ...


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
    """Values that can tell what a deal may be expected to bring, so that nobody need deal it."""

    def before_deal(
        self,
        state: State,
        position: int,
        holes: Sequence[Cards],  # [K]
        other: Cards,
        board: Cards,
        /,
    ) -> Floats | None:
        """Mean of each hand's values [K] over the next board cards, or None if it is not known.

        The state is the one after the deal, the board the one before it. The mean is over all cards
        that neither the hand nor the other's has.
        """
        ...


class _Seen(NamedTuple):
    """Where a hand stands, seen from the other player's cards."""

    state: State
    position: int  # agent A's
    other: Cards
    board: Cards


class Aivat:
    """Estimates hands of one agent from its strategy and a value function."""

    def __init__(
        self, game: GameDef, policy: Policy, values: Values, max_boards: int = 100
    ) -> None:
        """Deals whose mean the values do not tell and which have more than ``max_boards`` outcomes
        go uncorrected, which costs no bias.
        """
        self.game = game
        self.policy = policy
        self.values = values
        self.max_boards = max_boards
        self._deals = values if isinstance(values, DealValues) else None
        self.holes = all_holes(game)  # [K]
        self._holding = {
            card: np.array([card in hole for hole in self.holes]) for card in game.deck
        }
        self._means = cache(self._means_by_other)

    def estimate(self, state: State, deal: Deal, position: int) -> float:
        """The estimate, in chips, of a finished hand of the agent at a position."""
        sizes = self.game.board_sizes
        other = tuple(sorted(deal.holes[1 - position]))
        seen = _Seen(start(self.game), position, other, deal.board[: sizes[0]])
        total = 0.0 if sizes[0] else self._deal_correction(seen)
        weights = self._possible(np.ones(len(self.holes)), (*other, *seen.board))
        for action in (action for street in history(state) for action in street):
            if seen.state.actor == position:
                weights, correction = self._decide(seen, action, weights)
                total += correction
            following = seen.state.apply(action)
            seen, before = seen._replace(state=following), seen
            if following.round != before.state.round and not following.finished:
                seen = seen._replace(board=deal.board[: sizes[following.round]])
                total += self._board_correction(seen, len(before.board), weights)
                weights = self._possible(weights, seen.board)
        return total + float(weights @ self._worth(seen)) / float(weights.sum())

    def _possible(self, weights: Floats, cards: Cards) -> Floats:
        """The weights [K] with hands that hold one of the cards set to 0."""
        kept = weights.copy()
        for card in cards:
            kept[self._holding[card]] = 0
        return kept

    def _worth(self, seen: _Seen) -> Floats:
        """Chips that agent A may expect with each hand [K]: exact where nothing is left to do."""
        state = seen.state
        if not state.finished:
            return self.values(state, seen.position, self.holes, seen.other, seen.board)
        if not state.showdown:
            return np.full(len(self.holes), float(state.payoffs()[seen.position]))
        return min(state.spent) * shares(self.game, seen.other, seen.board)

    def _means_by_other(self, position: int) -> tuple[dict[Cards, float], float]:
        """What agent A may expect against each hand, and against all, before anything is done."""
        means = {}
        for other in self.holes:
            weights = self._possible(np.ones(len(self.holes)), other)
            worth = self._worth(_Seen(start(self.game), position, other, ()))
            means[other] = float(weights @ worth) / float(weights.sum())
        return means, sum(means.values()) / len(means)

    def _deal_correction(self, seen: _Seen) -> float:
        """What was to be expected of the other player's cards, less what came.

        Agent A's own cards need no correction: all of them are weighed already.
        """
        means, mean = self._means(seen.position)
        return mean - means[seen.other]

    def _decide(self, seen: _Seen, action: int, weights: Floats) -> tuple[Floats, float]:
        """Weights [K] after agent A's action, and the correction for the dice behind it."""
        state = seen.state
        choice = self.policy(state, self.holes, seen.board)
        if choice is None:
            raise EndspielError("AIVAT needs an agent that can tell how it plays every hand")
        expected, came = 0.0, None
        for option, chances in zip(choice.actions, choice.probabilities.T, strict=True):
            mass = weights * chances
            if not mass.any():
                continue
            worth = float(mass @ self._worth(seen._replace(state=state.apply(option))))
            expected += worth
            if option == action:
                came = mass, worth / float(mass.sum())
        if came is None:
            raise EndspielError(f"the agent's policy never plays {action} after {state.line!r}")
        return came[0], expected / float(weights.sum()) - came[1]

    def _board_correction(self, seen: _Seen, known: int, weights: Floats) -> float:
        """What was to be expected of the board cards after the known ones, less what came."""
        expected = self._expected(seen._replace(board=seen.board[:known]), weights)
        if expected is None:
            return 0.0
        kept = self._possible(weights, seen.board[known:])
        return expected - float(kept @ self._worth(seen)) / float(kept.sum())

    def _expected(self, seen: _Seen, weights: Floats) -> float | None:
        """Chips to be expected of the board cards that come next, or None if that is too much work.

        Every hand meets the same number of boards, so the mean over hands and boards is one of the
        hands' means.
        """
        if self._deals is not None:
            means = self._deals.before_deal(
                seen.state, seen.position, self.holes, seen.other, seen.board
            )
            if means is not None:
                return float(weights @ means) / float(weights.sum())
        return self._enumerated(seen, weights)

    def _enumerated(self, seen: _Seen, weights: Floats) -> float | None:
        """The same by dealing every board, if they are not too many."""
        new = self.game.board_sizes[seen.state.round] - len(seen.board)
        left = [card for card in self.game.deck if card not in {*seen.other, *seen.board}]
        if comb(len(left), new) > self.max_boards:
            return None
        expected = mass = 0.0
        for cards in combinations(left, new):
            kept = self._possible(weights, cards)
            mass += float(kept.sum())
            if kept.any():
                worth = self._worth(seen._replace(board=(*seen.board, *cards)))
                expected += float(kept @ worth)
        return expected / mass


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


class MatchAivat:
    """AIVAT for the hands of a match, from the agents that can tell how they play.

    Where both can, the estimate is the mean of the two: each has the right mean on its own. Agents
    are told each hand's seed again, since dice that do not depend on their cards, such as those of
    reverse mappings, may belong to their policy.
    """

    def __init__(
        self,
        game: GameDef,
        agents: Sequence[Agent],  # [2]
        names: Sequence[str],  # [2]
        values: Values = open_hands,
    ) -> None:
        self._agents = agents
        self._known: list[tuple[int, Aivat]] = []
        for at, agent in enumerate(agents):
            agent.begin(0)
            if agent.policy(start(game), all_holes(game), ()) is not None:
                self._known.append((at, Aivat(game, agent.policy, values)))
        if not self._known:
            raise EndspielError(
                f"neither {names[0]} nor {names[1]} can tell how it plays every hand: AIVAT needs "
                "to know of one of them"
            )

    def estimate(self, hand: Hand, seeds: Sequence[int]) -> float:
        """Agent A's chips of a finished hand that both agents [2] began with their seeds."""
        found = []
        for at, aivat in self._known:
            self._agents[at].begin(seeds[at])
            chips = aivat.estimate(hand.state, hand.deal, (hand.position + at) % 2)
            found.append(-chips if at else chips)
        return sum(found) / len(found)
