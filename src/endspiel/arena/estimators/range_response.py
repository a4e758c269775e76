"""Local best response with all hands at once: what it wins, the luck of both players' cards gone.

A hand of a match tells what one pair of hands won. Here both players hold all their hands: on a
board drawn at random every hand of the local best response takes the action that is best for it,
and every hand of the opponent plays by its policy. Folds and showdowns are paid for all pairs of
hands; where all are in, over all cards to come. The mean is that of the player in a match
(`local_best_response`), its interval far narrower:

- Every line is followed to the turn, or to the first street that the opponent solves. Of those that
  go on one is drawn, by its chance times the chips at stake, and counts for all; from there on, one
  of the opponent's actions at a time, in the same way.
- Wherever cards are dealt, what they change for players who bet nothing more is taken out: over
  all cards that is nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.base import make_agent
from endspiel.agent.nested import NestedAgent
from endspiel.arena.estimators.local_best_response import Opponent, ResponseOptions, considered
from endspiel.arena.estimators.shares import Cards, Floats, all_holes, all_shares
from endspiel.cards.live import card_sets, live_among
from endspiel.errors import RulesError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

TURN: Final = 2
REMEMBERED: Final = 160_000_000  # entries of endgames that an agent keeps on a board, 8 bytes each
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

    def win(self, board: Cards, position: int, seed: int) -> "Won":
        """Chips a hand that it wins at a position on a board, in expectation over all hands.

        The seed is the opponent's for this hand, and decides which lines are followed.
        """
        run = self._begin(board, position, seed)
        early = self._walk(run)
        return Won(early, run.late())

    def win_early(self, board: Cards, position: int, seed: int) -> float:
        """The same, were nothing bet on late streets: takes no answers of the opponent there."""
        return self._walk(self._begin(board, position, seed))

    def _begin(self, board: Cards, position: int, seed: int) -> "RangeWalk":
        self.opponent.begin(seed)
        solves = self.opponent.agent.solves_from
        late = TURN if solves is None else min(solves, TURN)
        return RangeWalk(self, board, position, np.random.default_rng(seed), late)

    def all_lines(self, board: Cards, position: int) -> float:
        """The same with every action followed: for small games."""
        self.opponent.begin(0)
        return self._walk(RangeWalk(self, board, position, None))

    def _walk(self, run: "RangeWalk") -> float:
        everything = np.ones(len(self.opponent.holes))
        return run.value(start(self.game), everything, everything)


class Won(NamedTuple):
    """Chips a hand that all hands won on a board."""

    early: float  # were nothing bet on late streets
    late: float  # what the bets there add

    @property
    def chips(self) -> float:
        """All of it."""
        return self.early + self.late


class Line(NamedTuple):
    """An action, and what both players come with after it."""

    before: State  # where it is taken
    state: State
    own: Floats  # [K]
    other: Floats  # [K]


@dataclass(frozen=True)
class RangeWalk:
    """One board, and where the player sits."""

    response: RangeResponse
    board: Cards  # all of it
    position: int
    rng: np.random.Generator | None  # draws lines on late streets; none follows them all
    late_from: int | None = (
        None  # the street to which every line is followed, and kept; none goes on
    )
    kept: list[Line] = field(default_factory=list)

    def seen(self, state: State) -> Cards:
        """The board where a state's last or next action is taken."""
        return self.board[: state.game.board_sizes[state.round]]

    def value(self, state: State, own: Floats, other: Floats) -> float:
        """Chips won from a state on, given both players' reach [K] of it, over all pairs."""
        live = self._live(state)
        own, other = own * live, other * live
        if state.finished:
            return self._paid(state, own, other)
        if state.actor == self.position:
            return self._respond(state, own, other)
        return self._answered(state, own, other)

    def late(self) -> float:
        """What is won on late streets by the lines kept, over checking down there."""
        nothing = np.zeros(len(self.kept))
        weights = np.array([self._weight(line) for line in self.kept])
        return self._one_of(self.kept, self._over_checking, weights, nothing)

    def _live(self, state: State) -> NDArray[np.bool_]:
        return live_among(self.response.opponent.holes, self.seen(state))

    def _go_on(self, line: Line) -> float:
        """What a line wins; the luck of cards dealt by its last action is taken out."""
        before, state, own, other = line
        if state.finished or state.round == before.round:
            return self.value(state, own, other)
        mean = self._checked_down(line, before)
        if state.round == self.late_from:
            self.kept.append(line)
            return mean
        return mean + self._over_checking(line)

    def _over_checking(self, line: Line) -> float:
        """What a line wins on the cards just dealt, less what it would if nothing more were bet."""
        down = self._checked_down(line, line.state)
        return self.value(line.state, line.own, line.other) - down

    def _checked_down(self, line: Line, at: State) -> float:
        """What a line wins if nothing more is bet, over all cards but those seen at a state."""
        live, ahead = self._live(at), all_shares(at.game, self.seen(at))
        stake = float(min(line.state.spent))
        return stake * float((line.own * live) @ ahead @ (line.other * live)) / self._pairs(at)

    def _paid(self, state: State, own: Floats, other: Floats) -> float:
        """What a hand pays: by folds, or at a showdown over all cards to come."""
        game, me = state.game, self.position
        if state.showdown:
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
            return self._go_on(Line(state, state.apply(CALL), own, other))
        actions, values = self.values(state, other)
        best = values.argmax(axis=0)
        groups = [(action, own * (best == at)) for at, action in enumerate(actions)]
        return sum(
            self._go_on(Line(state, state.apply(action), hands, other))
            for action, hands in groups
            if hands.any()
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
        """The opponent's actions: those that end the hand paid, of the others late ones drawn."""
        choice = self.response.opponent.choice(state, self.seen(state))
        lines = [
            Line(state, state.apply(action), own, other * chances)
            for action, chances in zip(choice.actions, choice.probabilities.T, strict=True)
        ]
        total = sum(self._go_on(line) for line in lines if line.state.finished)
        going_on = [line for line in lines if not line.state.finished and self._weight(line) > 0]
        if self.late_from is not None and state.round < self.late_from:
            return total + sum(self._go_on(line) for line in going_on)
        weights = np.array([self._weight(line) for line in going_on])
        guesses = np.array([self._guess(line) for line in going_on])
        return total + self._one_of(going_on, self._go_on, weights, guesses)

    def _weight(self, line: Line) -> float:
        """How much hangs on a line: its chance times the chips at stake."""
        met = float(line.own @ meetings(line.state.game) @ line.other)
        return met * line.state.max_spent

    def _guess(self, line: Line) -> float:
        """About what a line wins: each hand folds or calls, and nothing more is bet."""
        state, own, other = line.state, line.own, line.other
        game, at = state.game, line.before
        called = min(state.max_spent, *game.stacks) * (all_shares(game, self.seen(at)) @ other)
        if state.round == at.round and state.can_fold():
            folded = -state.spent[self.position] * (meetings(game) @ other)
            called = np.maximum(called, folded)
        return float(own @ called) / self._pairs(at)

    def _one_of(
        self,
        lines: Sequence[Line],
        worth: Callable[[Line], float],
        weights: Floats,  # [lines]
        guesses: Floats,  # [lines]
    ) -> float:
        """The worth of all lines: guessed, and one drawn by its weight for what all guesses lack.

        Without a generator it is that of each.
        """
        if self.rng is None or len(lines) < 2:
            return sum(worth(line) for line in lines)
        chances = weights / weights.sum()
        drawn = int(self.rng.choice(len(chances), p=chances))
        missed = worth(lines[drawn]) - float(guesses[drawn])
        return float(guesses.sum()) + missed / float(chances[drawn])


def range_response(game: GameDef, spec: str, options: ResponseOptions) -> RangeResponse:
    """The response to the agent of a spec."""
    agent = make_agent(spec, game)
    if isinstance(agent, NestedAgent):  # else it solves again what other bets came between
        agent.stages.remembered = REMEMBERED
    return RangeResponse(game, Opponent(game, agent, spec), options)
