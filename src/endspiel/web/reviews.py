"""What an agent thought during a hand: its range, and what it would have done with every hand.

An agent with `thoughts` reports them itself. Of any other with a `policy`, the range is what
the policy leaves of the hands after each of its actions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from endspiel.agent import Agent, Choice
from endspiel.betting.menu import STREET_NAMES
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.live import live_hands
from endspiel.cards.text import format_card
from endspiel.kernels.arrays import Floats
from endspiel.ranges.line import Action, range_along
from endspiel.rules.acpc import parse_betting
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State
from endspiel.web.class_values import numbers
from endspiel.web.messages import Numbers

Cards = tuple[int, ...]
OWN = 0  # in the agent's own line there is no other player


class PointAnswer(Struct):
    """One decision of the agent."""

    line: str
    street: str
    board: list[str]
    pot: int
    taken: str
    taken_index: int | None
    actions: list[str]
    seconds: float
    strategy: list[Numbers] | None  # [A][169]
    range: Numbers | None  # [169]
    believed: Numbers | None  # [169] your range, as the agent believes
    own: list[float] | None  # [A]
    endgame: dict[str, Any] | None
    study: bool = False  # whether its endgame can be opened as a spot


def action_words(state: State, action: int) -> str:
    """``fold``, ``check``, ``call``, ``bet 100``, ``raise to 300``; chips of this street."""
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if state.to_call else "check"
    chips = action - state.street_start
    opened = state.max_spent > state.street_start
    return f"raise to {chips}" if opened else f"bet {chips}"


class Notes:
    """Kept during one hand: what the agent's policy says at each of its decisions."""

    def __init__(self) -> None:
        self.points: list[PointAnswer] = []
        self._line: list[Action] = []

    def add(
        self, agent: Agent, state: State, held: tuple[Cards, Cards], taken: tuple[int, float]
    ) -> None:
        """Note a decision: hole and board, the action taken and its seconds."""
        (hole, board), (action, seconds) = held, taken
        live = live_hands(board)
        here = self.range_on(board)
        choice = _policy(agent, state, live, board)
        strategy = None
        if choice is not None:
            choice = _over_all_hands(choice, live)
            strategy = choice.probabilities.T
            self._line.append(Action(OWN, choice.chances(action)))
        self.points.append(
            _point(
                state,
                board,
                (action, seconds),
                None if choice is None or strategy is None else (choice.actions, strategy),
                hand_index(*hole),
                here,
            )
        )

    def range_on(self, board: Cards) -> Floats:
        """What the agent holds [1326] on a board after its decisions so far."""
        return range_along(live_hands(board), self._line, OWN).weights


def _policy(agent: Agent, state: State, live: Floats, board: Cards) -> Choice | None:
    holes = [tuple(hand_cards()[hand].tolist()) for hand in np.flatnonzero(live)]
    return agent.policy(state, holes, board)


def _over_all_hands(choice: Choice, live: Floats) -> Choice:
    """A policy over the live hands as one over all [1326]; 0 for the others."""
    probabilities = np.zeros((NUM_HANDS, len(choice.actions)))
    probabilities[live > 0] = choice.probabilities
    return Choice(choice.actions, probabilities)


def _point(
    state: State,
    board: Cards,
    taken: tuple[int, float],
    played: tuple[Sequence[int], Floats] | None,
    hand: int,
    own: Floats | None,
) -> PointAnswer:
    action, seconds = taken
    actions, strategy = played if played is not None else ((), None)
    return PointAnswer(
        line=state.line,
        street=STREET_NAMES[state.round],
        board=[format_card(card) for card in board],
        pot=state.pot,
        taken=action_words(state, action),
        taken_index=list(actions).index(action) if action in actions else None,
        actions=[action_words(state, other) for other in actions],
        seconds=round(seconds, 4),
        strategy=None if strategy is None else _by_class(strategy, own, board),
        range=None if own is None else range_by_class(own, board),
        believed=None,
        own=None if strategy is None else strategy[:, hand].round(6).tolist(),
        endgame=None,
    )


def told_points(game: GameDef, thoughts: Sequence[Any]) -> list[PointAnswer]:
    """The decisions that an agent itself reports."""
    points = []
    for thought in thoughts:
        state = parse_betting(game, thought.line)
        action = thought.actions[thought.chosen]
        played = thought.actions, np.asarray(thought.strategy)
        point = _point(
            state, thought.board, (action, thought.seconds), played, thought.hand, thought.own
        )
        point.believed = range_by_class(thought.other, thought.board)
        point.endgame = {"source": thought.source, "why": thought.why}
        if thought.exploitability is not None:
            point.endgame["exploitability_percent"] = round(100 * thought.exploitability, 6)
        points.append(point)
    return points


def range_by_class(weights: Floats, board: Cards) -> Numbers:
    """Mean weight of each class's hands that the board allows [169], the largest hand's being 1."""
    live = live_hands(board)
    most = float((weights * live).max())
    total = np.bincount(hand_classes(), live, NUM_CLASSES)
    summed = np.bincount(hand_classes(), weights * live / (most or 1.0), NUM_CLASSES)
    return numbers(np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=total > 0))


def _by_class(strategy: Floats, own: Floats | None, board: Cards) -> list[Numbers]:
    """Mean play of each class [A][169] by weight in the range; plainly for classes not in it."""
    live, cells = live_hands(board), hand_classes()
    weight = live if own is None else own * live
    held = np.bincount(cells, weight, NUM_CLASSES)
    weight = np.where(held[cells] > 0, weight, live)
    total = np.bincount(cells, weight, NUM_CLASSES)
    rows = []
    for shares in strategy:
        summed = np.bincount(cells, shares * weight, NUM_CLASSES)
        mean = np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=total > 0)
        rows.append(numbers(mean))
    return rows
