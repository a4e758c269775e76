"""Hands played in process: two agents, a block of deals, every showdown of the block paid at once.

A block is the unit of work of a match. It depends on its task alone, so blocks may be played in
any order by any number of processes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent.base import Agent, failure
from endspiel.arena.deals import Words, deal_block, hand_seeds
from endspiel.cards.strength import strengths
from endspiel.errors import EndspielError
from endspiel.rules.acpc import format_state, view
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State, start

_REMEMBERED: Final = 1 << 13  # states kept, so that common betting is not worked out again
_BATCHED: Final = range(5, 8)  # numbers of cards whose hands are compared many at a time


class HandBlock(NamedTuple):
    """One block of hands of a section."""

    seed: int
    section: int  # 1 exchanges the seats
    first: int  # number of the first hand
    words: Words  # [hands, cards a hand]


class Hand(NamedTuple):
    """One finished hand."""

    number: int
    state: State
    deal: Deal
    payoffs: tuple[float, ...]  # [2] by position
    position: int  # agent A's


def position_of(agent: int, section: int, hand: int) -> int:
    """Where agent 0 (A) or 1 (B) is in a hand."""
    return (agent + section + hand) % 2


class MatchTable:
    """Two agents and the rules they play by; remembers the betting it has seen."""

    def __init__(
        self, game: GameDef, agents: Sequence[Agent], names: tuple[str, str] = ("A", "B")
    ) -> None:
        if game.num_players != 2:
            raise EndspielError(f"matches are for two players; {game.name} has {game.num_players}")
        self.game = game
        self.agents = agents
        self.names = names
        self._root = start(game)
        self._after: dict[tuple[str, int], State] = {}
        self._asked = agents[0]  # the agent whose turn it is, to name in an error
        self._watched = any(agent.watches for agent in agents)

    def play(self, task: HandBlock) -> list[Hand]:
        """Play a block of hands."""
        deals = deal_block(self.game, task.words)
        seeds = hand_seeds(task.seed, task.section, task.first, len(deals))
        ends = []
        for number, (deal, (seed_a, seed_b)) in enumerate(
            zip(deals, seeds, strict=True), task.first
        ):
            at = position_of(0, task.section, number)
            a, b = self.agents
            try:
                self._begin(seed_a, seed_b)
                ends.append(self._play_hand(number, deal, (b, a) if at else (a, b)))
            except Exception as error:
                name = self.names[self.agents.index(self._asked)]
                when = f"in hand {number} of section {task.section + 1}"
                raise failure(name, when, error) from error
        return [
            Hand(number, state, deal, paid, position_of(0, task.section, number))
            for number, (state, deal, paid) in enumerate(
                zip(ends, deals, pay_block(ends, deals), strict=True), task.first
            )
        ]

    def _begin(self, *seeds: int) -> None:
        """Tell the agents of a new hand."""
        for agent, seed in zip(self.agents, seeds, strict=True):
            self._asked = agent
            agent.begin(seed)

    def _play_hand(self, number: int, deal: Deal, players: tuple[Agent, Agent]) -> State:
        """Play one hand; players by position."""
        state, after = self._root, self._after
        sizes, holes, board = self.game.board_sizes, deal.holes, deal.board
        watched = self._watched
        while state.actor >= 0:
            if watched:
                self._show(state, deal, number, players)
            actor = state.actor
            self._asked = player = players[actor]
            action = player.act(state, holes[actor], board[: sizes[state.round]])
            key = (state.line, action)
            following = after.get(key)
            if following is None:
                following = state.apply(action)
                if len(after) < _REMEMBERED:
                    after[key] = following
            state = following
        if watched:
            self._show(state, deal, number, players)
        return state

    def _show(self, state: State, deal: Deal, number: int, players: tuple[Agent, Agent]) -> None:
        """Send every player that watches its view of a state."""
        for position, player in enumerate(players):
            if player.watches:
                self._asked = player
                player.watch(format_state(view(state, deal, number, position)))


def pay_block(ends: Sequence[State], deals: Sequence[Deal]) -> list[tuple[float, ...]]:
    """Payoffs of finished hands: [hands][2] by position; equal to ``State.payoffs``, but faster."""
    game = ends[0].game
    cards = game.num_hole_cards + game.board_sizes[-1]
    if game.ranking != "standard" or cards not in _BATCHED:
        return [end.payoffs(deal) for end, deal in zip(ends, deals, strict=True)]
    paid: list[tuple[float, ...]] = []
    compared = [at for at, end in enumerate(ends) if end.spent[0] == end.spent[1] and end.showdown]
    hands = [(*hole, *deals[at].board) for at in compared for hole in deals[at].holes]
    ranks = strengths(np.array(hands, np.uint8).reshape(-1, cards)).astype(np.int64)
    signs = dict(zip(compared, np.sign(ranks[0::2] - ranks[1::2]).tolist(), strict=True))
    for at, (end, deal) in enumerate(zip(ends, deals, strict=True)):
        sign = signs.get(at)
        if sign is None:
            paid.append(end.payoffs(deal))
        else:
            stake = sign * end.spent[0]
            paid.append((stake, -stake))
    return paid
