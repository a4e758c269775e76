"""Local best response with all hands at once: what it wins, the luck of both players' cards gone.

A hand of a match tells what one pair of hands won. Here both players hold all their hands: on a
board drawn at random every hand of the local best response takes the action that is best for it,
and every hand of the opponent plays by its policy. Folds and showdowns are paid for all pairs of
hands; where all are in, over all cards to come. Of the opponent's actions that go on one is drawn,
as often as it is taken, and counts for all of them. The mean is that of the player in a match
(`local_best_response`), its interval far narrower.
"""

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.base import make_agent
from endspiel.arena.estimators.local_best_response import Opponent, ResponseOptions, considered
from endspiel.arena.estimators.shares import Cards, Floats, all_holes, all_shares
from endspiel.cards.live import card_sets, live_among
from endspiel.errors import RulesError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

_MEETS: Final = 1e-12  # of a range: less of it that a hand leaves is rounding


@cache
def meetings(game: GameDef) -> Floats:
    """1 for hands that share no card, else 0: [K, K]."""
    sets = card_sets(all_holes(game))
    apart: Floats = ((sets[:, None] & sets[None, :]) == 0).astype(np.float64)
    return apart


@dataclass(frozen=True)
class RangeResponse:
    """All hands of a local best response to one agent, on one board after the other."""

    game: GameDef
    opponent: Opponent
    options: ResponseOptions

    def __post_init__(self) -> None:
        if self.game.num_players != 2:
            raise RulesError(
                f"a local best response is for two players, not {self.game.num_players}"
            )

    def win(self, board: Cards, position: int, seed: int) -> float:
        """Chips a hand that it wins at a position on a board, in expectation over all hands.

        The seed is the opponent's for this hand, and decides which of its actions are followed.
        """
        self.opponent.begin(seed)
        return self._walk(RangeWalk(self, board, position, np.random.default_rng(seed)))

    def check_down(self, board: Cards, position: int, seed: int) -> float:
        """The same, were nothing bet from the first street on that it does not only call on.

        Up to there the opponent's actions are those of `win`: most of what chance does to one
        result it does to the other, which takes no answers of the opponent on later streets.
        """
        self.opponent.begin(seed)
        calls = self.options.calls
        first = next(street for street in range(self.game.num_rounds + 1) if street not in calls)
        return self._walk(RangeWalk(self, board, position, np.random.default_rng(seed), first))

    def all_lines(self, board: Cards, position: int) -> float:
        """The same with every action followed: for small games."""
        self.opponent.begin(0)
        return self._walk(RangeWalk(self, board, position, None))

    def _walk(self, run: "RangeWalk") -> float:
        everything = np.ones(len(self.opponent.holes))
        return run.value(start(self.game), everything, everything)


@dataclass(frozen=True)
class RangeWalk:
    """One board, and where the player sits."""

    response: RangeResponse
    board: Cards  # all of it
    position: int
    rng: np.random.Generator | None  # draws the opponent's actions; none follows them all
    checks_from: int | None = None  # the first street on which nothing more is bet, if any

    def seen(self, state: State) -> Cards:
        """The board where a state's last or next action is taken."""
        return self.board[: state.game.board_sizes[state.round]]

    def value(self, state: State, own: Floats, other: Floats) -> float:
        """Chips won from a state on, given both players' reach [K] of it, over all pairs."""
        live = live_among(self.response.opponent.holes, self.seen(state))
        own, other = own * live, other * live
        if state.finished or state.round == self.checks_from:
            return self._paid(state, own, other)
        if state.actor == self.position:
            return self._respond(state, own, other)
        return self._answered(state, own, other)

    def _paid(self, state: State, own: Floats, other: Floats) -> float:
        """What a hand pays: by folds, or at a showdown over all cards to come."""
        game, me = state.game, self.position
        if state.showdown or not state.finished:
            stake = float(min(state.spent))
            chips = stake * float(own @ all_shares(game, self.seen(state)) @ other)
        else:
            won = -state.spent[me] if state.folded[me] else state.spent[1 - me]
            chips = won * float(own @ meetings(game) @ other)
        return chips / self._pairs(state)

    def _pairs(self, state: State) -> int:
        """Pairs of hands that the cards seen leave."""
        game, hole = state.game, state.game.num_hole_cards
        left = len(game.deck) - len(self.seen(state))
        return comb(left, hole) * comb(left - hole, hole)

    def _respond(self, state: State, own: Floats, other: Floats) -> float:
        """Each hand does what is best for it."""
        if state.round in self.response.options.calls:
            return self.value(state.apply(CALL), own, other)
        actions, values = self.values(state, other)
        best = values.argmax(axis=0)
        groups = [(action, own * (best == at)) for at, action in enumerate(actions)]
        return sum(
            self.value(state.apply(action), hands, other) for action, hands in groups if hands.any()
        )

    def values(self, state: State, other: Floats) -> tuple[tuple[int, ...], Floats]:
        """Chips [A, K] that each action wins with each hand if all is called afterwards."""
        game, options = state.game, self.response.options
        me, them = self.position, 1 - self.position
        board = self.seen(state)
        ahead, apart = all_shares(game, board), meetings(game)
        met = apart @ other
        possible = met > _MEETS * other.sum()
        actions = considered(state, options)
        rows = []
        for action in actions:
            if action == FOLD:
                chips = -state.spent[me] * met
            elif action == CALL:
                chips = min(state.max_spent, *game.stacks) * (ahead @ other)
            else:
                choice = self.response.opponent.choice(state.apply(action), board)
                stays = other * (1 - choice.chances(FOLD))
                stake = min(action, game.stacks[them])
                chips = state.spent[them] * (met - apart @ stays) + stake * (ahead @ stays)
            rows.append(np.divide(chips, met, out=np.zeros(len(met)), where=possible))
        return actions, np.stack(rows)

    def _answered(self, state: State, own: Floats, other: Floats) -> float:
        """The opponent's actions: those that end the hand paid, of the others one followed."""
        choice = self.response.opponent.choice(state, self.seen(state))
        apart, total = meetings(state.game), 0.0
        going_on: list[tuple[State, Floats, float]] = []
        for action, chances in zip(choice.actions, choice.probabilities.T, strict=True):
            after, reach = state.apply(action), other * chances
            weight = float(own @ apart @ reach)
            if after.finished:
                total += self.value(after, own, reach)
            elif weight > 0:
                going_on.append((after, reach, weight))
        return total + self._follow(going_on, own)

    def _follow(self, going_on: list[tuple[State, Floats, float]], own: Floats) -> float:
        """Lines that go on: one of them drawn by its weight, or all."""
        if self.rng is None or len(going_on) < 2:
            return sum(self.value(after, own, reach) for after, reach, _ in going_on)
        weights: NDArray[np.float64] = np.array([weight for _, _, weight in going_on])
        chances = weights / weights.sum()
        drawn = int(self.rng.choice(len(chances), p=chances))
        after, reach, _ = going_on[drawn]
        return self.value(after, own, reach) / float(chances[drawn])


def range_response(game: GameDef, spec: str, options: ResponseOptions) -> RangeResponse:
    """The response to the agent of a spec."""
    return RangeResponse(game, Opponent(game, make_agent(spec, game), spec), options)
