"""AIVAT: an unbiased estimate with the luck of the cards and of the agent's own dice taken out.

After Burch, Schmid, Moravčík, Morrill and Bowling (2018). Agent A's strategy is known; the other
player's need not be. A hand is seen from the other player's cards, and every hand that A might hold
is weighed by its chance to have come this far. At each decision of a known strategy and each deal
of board cards the estimate adds what was to be expected, by any value function, less what came. The
corrections have mean zero whatever the values; the better they are, the more noise they take away.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from endspiel.agent.base import Choice
from endspiel.arena.estimators.shares import Cards, all_holes, shares
from endspiel.arena.estimators.values import DealValues, Seen, Values
from endspiel.arrays import Float64s
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


class Aivat:
    """Estimates hands of one agent from its strategy and a value function."""

    def __init__(
        self,
        game: GameDef,
        policy: Policy,
        values: Values,
        other: Policy | None = None,
        max_boards: int = 100,
    ) -> None:
        """Where the other player's policy is known, its dice are corrected too.

        Deals whose mean the values do not tell and which have more than ``max_boards`` outcomes go
        uncorrected, which costs no bias.
        """
        self.game = game
        self.policy = policy
        self.values = values
        self.other = other
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
        seen = Seen(start(self.game), position, other, deal.board[: sizes[0]])
        total = 0.0 if sizes[0] else self._deal_correction(seen)
        weights = self._possible(np.ones(len(self.holes)), (*other, *seen.board))
        for action in (action for street in history(state) for action in street):
            if seen.state.actor == position:
                weights, correction = self._decide(seen, action, weights)
                total += correction
            elif self.other is not None:
                total += self._answer_correction(self.other, seen, action, weights)
            following = seen.state.apply(action)
            seen, before = seen._replace(state=following), seen
            if following.round != before.state.round and not following.finished:
                seen = seen._replace(board=deal.board[: sizes[following.round]])
                total += self._board_correction(seen, len(before.board), weights)
                weights = self._possible(weights, seen.board)
        return total + _mean(weights, self._worth(seen))

    def _possible(self, weights: Float64s, cards: Cards) -> Float64s:
        """The weights [K] with hands that hold one of the cards set to 0."""
        kept = weights.copy()
        for card in cards:
            kept[self._holding[card]] = 0
        return kept

    def _worth(self, seen: Seen) -> Float64s:
        """Chips that agent A may expect with each hand [K]: exact where nothing is left to do."""
        state = seen.state
        if not state.finished:
            return self.values(seen)
        if not state.showdown:
            return np.full(len(self.holes), float(state.payoffs()[seen.position]))
        return min(state.spent) * shares(self.game, seen.other, seen.board)

    def _means_by_other(self, position: int) -> tuple[dict[Cards, float], float]:
        """What agent A may expect against each hand, and against all, before anything is done."""
        means = {}
        for other in self.holes:
            weights = self._possible(np.ones(len(self.holes)), other)
            worth = self._worth(Seen(start(self.game), position, other, ()))
            means[other] = _mean(weights, worth)
        return means, sum(means.values()) / len(means)

    def _deal_correction(self, seen: Seen) -> float:
        """What was to be expected of the other player's cards, less what came.

        Agent A's own cards need no correction: all of them are weighed already.
        """
        means, mean = self._means(seen.position)
        return mean - means[seen.other]

    def _decide(self, seen: Seen, action: int, weights: Float64s) -> tuple[Float64s, float]:
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
            raise _never(state, action)
        return came[0], expected / float(weights.sum()) - came[1]

    def _answer_correction(
        self, policy: Policy, seen: Seen, action: int, weights: Float64s
    ) -> float:
        """What was to be expected of the other player's dice, less what came."""
        choice = policy(seen.state, [seen.other], seen.board)
        if choice is None:
            raise EndspielError("AIVAT needs an agent that can tell how it plays a hand")
        expected, came = 0.0, None
        for option, chance in zip(choice.actions, choice.probabilities[0].tolist(), strict=True):
            if chance:
                worth = _mean(weights, self._worth(seen._replace(state=seen.state.apply(option))))
                expected += chance * worth
                came = worth if option == action else came
        if came is None:
            raise _never(seen.state, action)
        return expected - came

    def _board_correction(self, seen: Seen, known: int, weights: Float64s) -> float:
        """What was to be expected of the board cards after the known ones, less what came.

        Every hand meets the same number of boards, so the mean over hands and boards is one of the
        hands' means.
        """
        before = seen._replace(board=seen.board[:known])
        means = None if self._deals is None else self._deals.before_deal(before)
        if self._deals is not None and means is not None:
            expected: float | None = _mean(weights, means)
            came = self._deals.after_deal(seen)
        else:
            expected, came = self._enumerated(before, weights), self._worth(seen)
        kept = self._possible(weights, seen.board[known:])
        return 0.0 if expected is None else expected - _mean(kept, came)

    def _enumerated(self, seen: Seen, weights: Float64s) -> float | None:
        """Chips to be expected of the next board cards by dealing all of them; None: too many."""
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


def _mean(
    weights: Float64s,  # [K]
    worth: Float64s,  # [K]
) -> float:
    return float(weights @ worth) / float(weights.sum())


def _never(state: State, action: int) -> EndspielError:
    return EndspielError(f"the agent's policy never plays {action} after {state.line!r}")
