"""Play before the flop by charts of the game's own depth, as an agent asks for it."""

from typing import Final

import numpy as np

from endspiel.agent.moves import moves_of
from endspiel.cards.deck import NUM_HANDS
from endspiel.kernels.arrays import Float64s
from endspiel.preflop.played_charts import ChartDecision, PlayedCharts, hand_weights
from endspiel.ranges.line import Action, came_with
from endspiel.rules.state import CALL, State

CHARTS: Final = "charts"


class ChartTrunk:
    """What a hand's betting before the flop says, by the charts."""

    def __init__(self, played: PlayedCharts) -> None:
        self._played = played
        self._known: tuple[str, ChartDecision] | None = None  # the last that was asked for

    def strategy(self, state: State) -> tuple[tuple[int, ...], Float64s]:
        """The actions at the table, and how often every hand takes each: [A, 1326]."""
        decision = self._decision(state)
        if not decision.actions:  # the tree is all-in where the table is not yet
            return (CALL,), np.ones((1, NUM_HANDS))
        table = [state.mend(action) for action in decision.actions]
        actions = tuple(dict.fromkeys(table))
        merged = np.zeros((len(actions), NUM_HANDS))
        for action, shares in zip(table, decision.strategy, strict=True):
            merged[actions.index(action)] += hand_weights(shares)
        return actions, merged

    def line(self, state: State) -> list[Action]:
        """How both came through the betting before the flop, as one action of each."""
        ranges = self._decision(state).ranges
        return [_came(player, hand_weights(ranges[player])) for player in (0, 1)]

    def why(self, state: State) -> str:
        """What was solved for a decision."""
        again = self._decision(state).again
        text = f"charts of {self._played.depth:g} big blinds"
        if self._played.short:
            text = f"push or fold with {self._played.depth:g} big blinds, solved exactly"
        return f"{text}; solved again with {_count(again)} they lack" if again else text

    def _decision(self, state: State) -> ChartDecision:
        moves = [move for move in moves_of(state) if move.state.round == 0]
        line = "".join(str(move.action) + " " for move in moves)
        if self._known is None or self._known[0] != line:
            self._known = line, self._played.decision(moves)
        return self._known[1]


def _came(player: int, weights: Float64s) -> Action:
    return came_with(player, weights) if weights.any() else Action(player, weights)


def _count(bets: int) -> str:
    return "a bet that" if bets == 1 else f"{bets} actions that"
