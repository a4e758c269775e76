"""Leduc hold'em for the estimators: agents that follow a profile, and exact values by recursion."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from endspiel.agent.base import Agent, Choice
from endspiel.cards.deck import rank_of, suit_of
from endspiel.game import Profile, Treeplex
from endspiel.games.leduc_holdem import leduc
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import format_action
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State, start

RULES = load_rules("leduc")
GAME = leduc()
Cards = tuple[int, ...]
Table = dict[str, dict[str, float]]  # infoset -> action -> probability


def card_name(card: int) -> str:
    """A card as the game's infosets name it: the deck is queens to aces of hearts and spades."""
    return f"{rank_of(card) - 10}{'ab'[suit_of(card) - 2]}"


def infoset(state: State, hole: Cards, board: Cards) -> str:
    """The infoset of the player to act."""
    return f"{'|'.join(map(card_name, (*hole, *board)))}:{state.line}"


def behavior_table(profile: Profile, player: int) -> Table:
    """A player's behavior by names."""
    assert GAME.labels is not None
    table: Table = {}
    for name, action, sequence in GAME.labels[player].walk(GAME.plexes[player]):
        table.setdefault(name, {})[action] = float(profile.behavior[player][sequence])
    return table


def random_profile(seed: int, sharpness: float = 1.0) -> Profile:
    """Behavior drawn at random; the sharper, the nearer to pure."""
    rng = np.random.default_rng(seed)
    behaviors = []
    for plex in GAME.plexes:
        weights = plex.uniform() * rng.gamma(1 / sharpness, size=len(plex.uniform())) + 1e-3
        behaviors.append(normalized(plex, weights))
    return Profile((behaviors[0], behaviors[1]))


def normalized(plex: Treeplex, weights: Floats) -> Floats:
    """Weights of actions [S] as probabilities at each state: [S]."""
    behavior = plex.uniform().copy()
    arrays = plex.arrays
    for first, K, A in zip(arrays.first, arrays.states, arrays.actions, strict=True):
        block = weights[first : first + A * K].reshape(A, K)
        behavior[first : first + A * K] = (block / block.sum(axis=0)).ravel()
    return behavior


class ProfileAgent(Agent):
    """Plays both positions by tables of behavior."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables

    def chances(self, state: State, hole: Cards, board: Cards) -> dict[int, float]:
        named = self.tables[state.actor][infoset(state, hole, board)]
        legal = {action: named[format_action(state, action)] for action in state.legal_actions()}
        total = sum(legal.values())  # less than 1 where short stacks forbid a raise
        return {action: chance / total for action, chance in legal.items()}

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        chances = self.chances(state, hole, board)
        return tuple(chances)[self.draws.choose(tuple(chances.values()))]

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        actions = state.legal_actions()
        rows = []
        for hole in holes:
            if set(hole) & set(board):
                rows.append([1 / len(actions)] * len(actions))
            else:
                rows.append(list(self.chances(state, hole, board).values()))
        return Choice(actions, np.array(rows))


def with_endgame_of(trunk: ProfileAgent, endgame: ProfileAgent) -> ProfileAgent:
    """An agent that plays the first round like one agent and the second like another."""
    return ProfileAgent(
        [
            {name: (after if "|" in name else before)[name] for name in before}
            for before, after in zip(trunk.tables, endgame.tables, strict=True)
        ]
    )


def agent_of(profile: Profile) -> ProfileAgent:
    return ProfileAgent((behavior_table(profile, 0), behavior_table(profile, 1)))


class Exact:
    """Expected chips of two agents, by position, anywhere in a small game."""

    def __init__(self, agents: Sequence[Agent], game: GameDef = RULES) -> None:
        self.agents = agents
        self.game = game
        self.value = cache(self._value)

    def _value(self, state: State, holes: tuple[Cards, Cards], board: Cards) -> float:
        """Chips of position 0; a board behind the state's round is dealt here."""
        if state.finished and not state.showdown:
            return state.payoffs()[0]
        if len(board) < self.game.board_sizes[state.round]:
            left = [c for c in self.game.deck if c not in (*holes[0], *holes[1], *board)]
            return sum(self.value(state, holes, (*board, c)) for c in left) / len(left)
        if state.finished:
            return state.payoffs(Deal(holes, board))[0]
        choice = self.agents[state.actor].policy(state, [holes[state.actor]], board)
        assert choice is not None
        return sum(
            chance * self.value(state.apply(action), holes, board)
            for action, chance in zip(choice.actions, choice.probabilities[0], strict=True)
            if chance
        )

    def root(self) -> float:
        """Chips a hand of position 0."""
        pairs = [((a,), (b,)) for a in self.game.deck for b in self.game.deck if a != b]
        return sum(self.value(start(self.game), pair, ()) for pair in pairs) / len(pairs)


def match_value(a: Agent, b: Agent, game: GameDef = RULES) -> float:
    """A's exact chips a hand against B, in each position equally often."""
    return (Exact((a, b), game).root() - Exact((b, a), game).root()) / 2
