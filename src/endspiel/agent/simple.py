"""Players without a plan, which plans are measured by."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from endspiel.abstraction.one_hand import hand_halves
from endspiel.agent.base import Agent, AgentForm, Choice, Factory
from endspiel.cards.deck import NUM_CARDS, hand_index
from endspiel.cards.equity import preflop_table
from endspiel.cards.strength_tables import strength_tables
from endspiel.errors import RulesError
from endspiel.rules.game_def import GameDef
from endspiel.rules.ranking import RANKINGS
from endspiel.rules.state import CALL, FOLD, State

Cards = tuple[int, ...]


class RandomAgent(Agent):
    """Fold, call or raise, whichever are legal, equally often; every size as likely as any."""

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        bounds = state.raise_bounds()
        kinds = (FOLD, CALL) if state.can_fold() else (CALL,)
        at = self.draws.below(len(kinds) + (bounds is not None))
        if bounds is None or at < len(kinds):
            return kinds[at]
        least, most = bounds
        return least if least == most else least + self.draws.below(most - least + 1)

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice | None:
        bounds = state.raise_bounds()
        if bounds is not None and bounds[0] != bounds[1]:
            return None  # too many sizes to list
        actions = state.legal_actions()
        return Choice(actions, np.full((len(holes), len(actions)), 1 / len(actions)))


class _Constant(Agent):
    """Plays one action everywhere, whatever the cards."""

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        return Choice((self.act(state, (), board),), np.ones((len(holes), 1)))


class AlwaysFold(_Constant):
    """Folds to every bet; checks where folding is not allowed."""

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        return FOLD if state.can_fold() else CALL


class AlwaysCall(_Constant):
    """Checks and calls."""

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        return CALL


class AlwaysRaise(_Constant):
    """Raises by the least it may; calls where it may not."""

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        bounds = state.raise_bounds()
        return CALL if bounds is None else bounds[0]


class PotOdds(Agent):
    """Calls when the chance to win against a random hand pays for the call; never raises.

    The chance is the equity before the flop in hold'em, elsewhere the share of other hands that
    are behind on the cards seen, half of those level.
    """

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.holdem = (game.num_hole_cards, game.num_suits, game.num_ranks) == (2, 4, 13)

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        price = state.to_call
        if not state.can_fold():
            return CALL
        return CALL if self.chance(hole, board) * (state.pot + price) >= price else FOLD

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        calls = np.array([self.act(state, hole, board) == CALL for hole in holes], np.float64)
        if not state.can_fold():
            return Choice((CALL,), calls[:, None])
        return Choice((FOLD, CALL), np.stack([1 - calls, calls], axis=1))

    def chance(self, hole: Cards, board: Cards) -> float:
        """How often this hand beats a random one, ties counting half."""
        if self.holdem and not board:
            return _preflop_chances()[hand_index(*hole)]
        if self.holdem and 3 <= len(board) <= 5:
            return _holdem_chance(hole, board)
        return _small_chance(self.game, hole, board)


@lru_cache(maxsize=1)
def _preflop_chances() -> list[float]:
    """Equity of every hand against a random one: [1326]."""
    return [float(value) for value in np.nanmean(preflop_table(), axis=1)]


def _holdem_chance(hole: Cards, board: Cards) -> float:
    """Share of the other hands that are behind on the board, half of those level."""
    cards, (low, high) = np.array(board, np.uint8), sorted(hole)
    halves = hand_halves(strength_tables(len(board) + 2), cards, low, high)
    return halves / (2 * comb(NUM_CARDS - 2 - len(board), 2))


@lru_cache(maxsize=1 << 16)
def _small_chance(game: GameDef, hole: Cards, board: Cards) -> float:
    """The chance to win in any game, hand by hand."""
    rank = RANKINGS[game.ranking].rank
    # A ranking that needs all its cards cannot tell hands apart before they are dealt.
    if len(hole) + len(board) not in RANKINGS[game.ranking].sizes:
        return 0.5
    mine = rank((*hole, *board))
    left = [card for card in game.deck if card not in hole and card not in board]
    others = [rank((*other, *board)) for other in combinations(left, len(hole))]
    return sum((other < mine) + (other <= mine) for other in others) / (2 * len(others))


def _plain(name: str, make: Callable[[GameDef], Agent]) -> Factory:
    """The factory of an agent that has no options."""

    def factory(game: GameDef, options: str) -> Agent:
        if options:
            raise RulesError(f"agent {name} has no option {options!r}")
        return make(game)

    return factory


def forms() -> tuple[AgentForm, ...]:
    """Return the specs of these agents."""
    helps = {
        "random": "Folds, calls or raises with equal chances, by any legal size.",
        "always-fold": "Folds to every bet; checks where there is none.",
        "always-call": "Checks and calls.",
        "always-raise": "Makes the smallest legal raise; calls where none is legal.",
        "pot-odds": "Calls when its chance against a random hand pays for the call; never raises.",
    }
    return tuple(AgentForm(name, name, text) for name, text in helps.items())


random = _plain("random", lambda game: RandomAgent())
always_fold = _plain("always-fold", lambda game: AlwaysFold())
always_call = _plain("always-call", lambda game: AlwaysCall())
always_raise = _plain("always-raise", lambda game: AlwaysRaise())
pot_odds = _plain("pot-odds", PotOdds)
