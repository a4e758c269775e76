"""Local best response with all hands at once: what it wins, the luck of both players' cards gone.

A hand of a match is the result of one pair of hands. Here both players hold all their hands: on a
board drawn at random every hand of the local best response takes the action that is best for it,
and every hand of the opponent plays by its policy. Folds and showdowns are paid for all pairs of
hands; where all are in, over all cards to come. The mean is that of the player in a match
(`local_best_response`), its interval far narrower:

- Every line is followed to the turn, or to the first street that the opponent solves; lines on
  which little hangs (their chance times the chips at stake) are followed as often as that. Of those
  that go on one is drawn, by what hangs on it, and counts for all; from there on, one of the
  opponent's actions at a time, in the same way, for what a guess of each does not know. A street on
  which the response only calls takes one solve, so all lines of it are followed, and one is drawn.
- Wherever cards are dealt, what they change for players who bet nothing more is taken out: over
  all cards that is nothing.

In place of the response an agent can play all its hands by its own policy (`player`): what one
agent wins from another.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.base import Choice, make_agent
from endspiel.agent.nested import NestedAgent
from endspiel.arena.estimators.all_in import is_holdem
from endspiel.arena.estimators.local_best_response import Opponent, ResponseOptions, considered
from endspiel.arena.estimators.shares import Cards, Floats, all_holes, all_shares
from endspiel.cards.live import card_sets, live_among
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.errors import RulesError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

TURN: Final = 2
REMEMBERED: Final = 160_000_000  # entries of endgames that an agent keeps on a board, 8 bytes each
LIGHT: Final = 1e-3  # big blinds that hang on a line: those with less are not always followed
_MEETS: Final = 1e-12  # of a range: less of it that a hand leaves is rounding


def met_by(game: GameDef, weights: Floats) -> Floats:
    """What of a range [K] each hand can meet, since they share no card: [K]."""
    if is_holdem(game):
        return exact_unblocked_weight(weights)
    return _apart(game) @ weights


@cache
def _apart(game: GameDef) -> Floats:
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
    player: Opponent | None = None  # an agent that plays its own policy in place of the response

    def __post_init__(self) -> None:
        if self.game.num_players != 2:
            raise RulesError(
                f"a local best response is for two players, not {self.game.num_players}"
            )

    @property
    def agents(self) -> list[Opponent]:
        """Those whose policies are asked for."""
        return [self.opponent] if self.player is None else [self.opponent, self.player]

    def win(self, board: Cards, position: int, seed: int) -> "Won":
        """Chips a hand that it wins at a position on a board, in expectation over all hands.

        The seed is the opponent's for this hand, and decides which lines are followed.
        """
        run = self._begin(board, position, seed)
        early = self._walk(run)
        return Won(early, run.late())

    def _begin(self, board: Cards, position: int, seed: int) -> "RangeWalk":
        late = TURN
        for one in self.agents:
            one.begin(seed)
            solves = one.agent.solves_from
            late = late if solves is None else min(solves, late)
        followed = self.options.calls if self.player is None else frozenset[int]()
        return RangeWalk(self, board, position, np.random.default_rng(seed), late, followed)

    def all_lines(self, board: Cards, position: int) -> float:
        """Follow every action: for small games."""
        for one in self.agents:
            one.begin(0)
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
    followed: frozenset[int] = frozenset()  # later streets on which every line is, all the same
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
        if state.actor != self.position:
            return self._played(self.response.opponent, state, own, other)
        if self.response.player is not None:
            return self._played(self.response.player, state, own, other)
        return self._respond(state, own, other)

    def late(self) -> float:
        """What is won on late streets by the lines kept, over checking down there.

        One of them stands for all, and so does one of those that are kept while it is followed.
        """
        total, scale = 0.0, 1.0
        while self.kept:
            lines, at = self.kept.copy(), 0
            self.kept.clear()
            if len(lines) > 1 and self.rng is not None:
                weights = np.array([self._weight(line) for line in lines])
                chances = weights / weights.sum()
                at = int(self.rng.choice(len(lines), p=chances))
                scale /= float(chances[at])
            total += scale * self._over_checking(lines[at])
        return total

    def _is_kept(self, street: int) -> bool:
        """Whether lines are followed to the beginning of a street, and one goes on from there."""
        after = self.late_from is not None and street > self.late_from
        return street == self.late_from or (after and street - 1 in self.followed)

    def _is_followed(self, street: int) -> bool:
        """Whether all of the opponent's actions on a street are."""
        if self.late_from is None:
            return False
        return street < self.late_from or street in self.followed

    def _live(self, state: State) -> NDArray[np.bool_]:
        return live_among(self.response.opponent.holes, self.seen(state))

    def _go_on(self, line: Line) -> float:
        """What a line wins; the luck of cards dealt by its last action is taken out."""
        before, state, own, other = line
        if state.finished or state.round == before.round:
            return self.value(state, own, other)
        mean = self._checked_down(line, before)
        if self._is_kept(state.round):
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
            chips = won * float(own @ met_by(game, other))
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
        actions = self._screened(state, own, other)
        values = self.values(state, other, actions)
        best = values.argmax(axis=0)
        groups = [(action, own * (best == at)) for at, action in enumerate(actions)]
        return sum(
            self._go_on(Line(state, state.apply(action), hands, other))
            for action, hands in groups
            if hands.any()
        )

    def _screened(self, state: State, own: Floats, other: Floats) -> tuple[int, ...]:
        """Actions that are compared: of too many bets those that together look best.

        One after the other the bet that adds most to what all hands win by those chosen before, as
        a hurried agent answers. Whatever is chosen is played and paid like any response.
        """
        actions, most = considered(state, self.response.options), self.response.options.screen
        bets = [at for at, action in enumerate(actions) if action not in (FOLD, CALL)]
        if most is None or len(bets) <= most:
            return actions
        asked, worth = self.response.opponent, own * met_by(state.game, other)  # [K]
        values = self.values(state, other, actions, asked.rough_choice)
        chosen = [at for at in range(len(actions)) if at not in bets]
        best = values[chosen].max(axis=0)
        for _ in range(most):
            gains = np.maximum(values[bets] - best, 0) @ worth
            if gains.max() <= 0:
                break
            chosen.append(bets[int(gains.argmax())])
            best = np.maximum(best, values[chosen[-1]])
        return tuple(actions[at] for at in sorted(chosen))

    def values(
        self,
        state: State,
        other: Floats,
        actions: Sequence[int],
        answer: Callable[[State, Cards], Choice] | None = None,
    ) -> Floats:
        """Chips [A, K] that each action wins with each hand if all is called afterwards.

        The opponent's policy answers bets, unless another is given.
        """
        game, answer = state.game, answer or self.response.opponent.choice
        me, them = self.position, 1 - self.position
        board = self.seen(state)
        ahead, met = all_shares(game, board), met_by(game, other)
        possible = met > _MEETS * other.sum()
        rows = []
        for action in actions:
            if action == FOLD:
                chips = -state.spent[me] * met
            elif action == CALL:
                chips = min(state.max_spent, *game.stacks) * (ahead @ other)
            else:
                choice = answer(state.apply(action), board)
                stays = other * (1 - choice.chances(FOLD))
                stake = min(action, game.stacks[them])
                chips = state.spent[them] * (met - met_by(game, stays)) + stake * (ahead @ stays)
            rows.append(np.divide(chips, met, out=np.zeros(len(met)), where=possible))
        return np.stack(rows)

    def _played(self, by: Opponent, state: State, own: Floats, other: Floats) -> float:
        """An agent's actions: those that end the hand paid, of the others late ones drawn."""
        choice, mine = by.choice(state, self.seen(state)), state.actor == self.position
        lines = [
            Line(state, state.apply(action), own * chances, other)
            if mine
            else Line(state, state.apply(action), own, other * chances)
            for action, chances in zip(choice.actions, choice.probabilities.T, strict=True)
        ]
        total = sum(self._go_on(line) for line in lines if line.state.finished)
        going_on = [line for line in lines if not line.state.finished and self._weight(line) > 0]
        if self._is_followed(state.round):
            return total + sum(self._by_weight(line) for line in going_on)
        weights = np.array([self._weight(line) for line in going_on])
        guesses = np.array([self._guess(line) for line in going_on])
        return total + self._one_of(going_on, self._go_on, weights, guesses)

    def _by_weight(self, line: Line) -> float:
        """What a line wins; one on which little hangs is guessed, and followed now and then."""
        share = self._weight(line) / (LIGHT * line.state.game.big_blind)
        if self.rng is None or share >= 1:
            return self._go_on(line)
        guess = self._guess(line)
        if not self.rng.choice(2, p=(1 - share, share)):
            return guess
        return guess - guess / share + self._go_on(line._replace(own=line.own / share))

    def _weight(self, line: Line) -> float:
        """The weight of a line: its chance times the chips at stake."""
        met = float(line.own @ met_by(line.state.game, line.other))
        return met * line.state.max_spent / self._pairs(line.before)

    def _guess(self, line: Line) -> float:
        """About what a line wins: who faces a bet folds or calls, and nothing more is bet."""
        before, state, own, other = line
        game, me = state.game, self.position
        ahead, stake = all_shares(game, self.seen(before)), min(state.max_spent, *game.stacks)
        if state.round > before.round or not state.can_fold():
            won = stake * float(own @ ahead @ other)
        elif state.actor == me:
            folded = -state.spent[me] * met_by(game, other)
            won = float(own @ np.maximum(stake * (ahead @ other), folded))
        else:
            folded = state.spent[1 - me] * met_by(game, own)
            won = float(other @ np.minimum(stake * (own @ ahead), folded))
        return won / self._pairs(before)

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


def range_response(
    game: GameDef, spec: str, options: ResponseOptions, by: str | None = None
) -> RangeResponse:
    """The response to the agent of a spec, or another agent in its place."""
    opponent = _opponent(game, spec)
    return RangeResponse(game, opponent, options, None if by is None else _opponent(game, by))


def _opponent(game: GameDef, spec: str) -> Opponent:
    agent = make_agent(spec, game)
    if isinstance(agent, NestedAgent):  # else it solves again what other bets came between
        agent.stages.remembered = REMEMBERED
    return Opponent(game, agent, spec)
