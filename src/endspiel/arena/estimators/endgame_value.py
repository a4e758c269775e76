"""What an endgame is worth between two agents that can tell how they play, all their hands counted.

A hand that comes to the last round shows the betting and the board. Given these, how likely each
pair of private hands is follows from both agents' policies on the way, and what each pair wins
follows from their policies on the last round. The mean over all pairs is the hand's value with the
luck of private cards and dice taken out: its mean over hands is the same, its noise far smaller.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from endspiel.agent.base import Agent, Choice, Draws
from endspiel.agent.moves import moves_of
from endspiel.arena.estimators.all_in import is_holdem
from endspiel.arena.estimators.shares import Cards, Floats, all_holes, shares
from endspiel.cards.equity import range_equity
from endspiel.cards.live import live_among
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.errors import EndspielError
from endspiel.ranges.line import Action, range_along, reach_along
from endspiel.rules.acpc import parse_betting
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import FOLD, State


def last_round_root(game: GameDef, line: str) -> State | None:
    """The state in which a hand's betting came to the last round, or None if it did not."""
    streets = line.split("/")
    if len(streets) < game.num_rounds or not streets[-1]:
        return None
    return parse_betting(game, "/".join(streets[:-1]) + "/")


@dataclass(frozen=True)
class EndgameValue:
    """Values endgames on the last round.

    To ask an agent may take a second, and most of what can be asked hardly ever happens. Branches
    with less than the ``faint`` share of the pot, by weight, are followed only as often as their
    share of that and then count for more: the mean stays right, at the price of a little noise.
    """

    game: GameDef
    names: tuple[str, str] = ("the first agent", "the second agent")
    faint: float = 0.0

    def ranges(self, agents: Sequence[Agent], root: State, board: Cards) -> tuple[Floats, Floats]:
        """How likely each agent, by position, comes to a root with each hand: [K] each.

        An agent that came by a line which its policy never takes does not play by its policy: what
        that says of the endgame is worth nothing.
        """
        live = live_among(all_holes(self.game), board).astype(np.float64)
        line: list[Action] = []
        for state, action in moves_of(root):
            seen = board[: self.game.board_sizes[state.round]]
            line.append(Action(state.actor, self._choice(agents, state, seen).chances(action)))
            if range_along(live, line, state.actor).mistaken:
                raise EndspielError(
                    f"{self.names[state.actor]} never plays {action} after {state.line!r} "
                    "by its policy"
                )
        return reach_along(live, line, 0), reach_along(live, line, 1)

    def value(
        self,
        agents: Sequence[Agent],
        root: State,
        board: Cards,
        ranges: tuple[Floats, Floats],  # [K] by position, at the root
        seed: int = 0,  # decides which faint branches are followed
    ) -> float:
        """Chips over the whole hand that position 0 may expect where a root was reached."""
        met = self._meet(*ranges)
        if met <= 0:
            raise EndspielError(f"no two hands of the agents can meet after {root.line!r}")
        walk = _EndgameWalk(agents, board, Draws(seed), self.faint * met * root.pot)
        return self._walk(walk, root, ranges, 1.0) / met

    def _walk(
        self, walk: "_EndgameWalk", state: State, ranges: tuple[Floats, Floats], times: float
    ) -> float:
        """Chips of position 0 by the weight of all pairs of hands, with their counts."""
        if state.showdown:
            return times * min(state.spent) * self._ahead(ranges, walk.board)
        if state.finished:
            return times * float(state.payoffs()[0]) * self._meet(*ranges)
        choice = self._choice(walk.agents, state, walk.board)
        total = 0.0
        for action, chances in zip(choice.actions, choice.probabilities.T, strict=True):
            moved = ranges[state.actor] * chances
            after = (moved, ranges[1]) if state.actor == 0 else (ranges[0], moved)
            following = state.apply(action)
            chips = times * self._meet(*after) * following.pot
            if chips <= 0:
                continue
            often = 1.0 if following.finished or chips >= walk.least else chips / walk.least
            if often == 1.0 or walk.draws.uniform() < often:
                total += self._walk(walk, following, after, times / often)
        return total

    def _choice(self, agents: Sequence[Agent], state: State, board: Cards) -> Choice:
        choice = agents[state.actor].policy(state, all_holes(self.game), board)
        if choice is None:
            raise EndspielError(f"{self.names[state.actor]} cannot tell how it plays every hand")
        if FOLD in choice.actions and not state.can_fold():
            raise EndspielError(f"{self.names[state.actor]} folds after {state.line!r}: it may not")
        return choice

    def _meet(self, one: Floats, two: Floats) -> float:
        """The weight of all pairs of hands without a common card."""
        if is_holdem(self.game):
            return float(one @ exact_unblocked_weight(two))
        holes = [set(hole) for hole in all_holes(self.game)]
        return float(
            sum(
                one[a] * two[b]
                for a in np.flatnonzero(one)
                for b in np.flatnonzero(two)
                if not holes[a] & holes[b]
            )
        )

    def _ahead(self, ranges: tuple[Floats, Floats], board: Cards) -> float:
        """The weight of all pairs that position 0 wins less that of those it loses."""
        met = self._meet(*ranges)
        if met <= 0:
            return 0.0
        if is_holdem(self.game):
            found = range_equity(*ranges, board)
            return met * (found.win - found.lose)
        holes, (one, two) = all_holes(self.game), ranges
        return float(
            sum(two[b] * (one @ shares(self.game, holes[b], board)) for b in range(len(two)))
        )


class _EndgameWalk(NamedTuple):
    """What stays the same over one endgame."""

    agents: Sequence[Agent]  # [2] by position
    board: Cards
    draws: Draws
    least: float  # pots by weight under which a branch is faint
