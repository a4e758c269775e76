"""Bots from outside: objects that say how often they take each action with each hand.

A bot is any object with one of two methods:

- ``policy(state, hands)``: probabilities [K, A] of all hands at once; hands [K, H] are cards.
- ``strategy(state, hand)``: those of one hand, [A]. It is called once for each hand.

Actions are those of ``actions(state)`` if the bot has that method, else ``state.actions``. Instead
of an array, both may return a mapping from actions to probabilities. `BotAgent` checks every answer
and makes an `Agent` of the bot, so that it can be measured, matched and played against.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.base import Agent, Choice
from endspiel.betting.menu import STREET_NAMES
from endspiel.cards.live import live_among
from endspiel.cards.text import format_cards
from endspiel.errors import AgentError, EndspielError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State

Cards = tuple[int, ...]
Floats = NDArray[np.float64]
SUM_ERROR: Final = 1e-4  # by which a hand's probabilities may miss 1; they are scaled to 1
_PLACES: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class PublicState:
    """What both players see where a bot is to act.

    Examples:
        >>> import endspiel as es
        >>> from endspiel.rules.state import start
        >>> state = es.PublicState(start(es.load_rules("nolimit-holdem")), ())
        >>> state.street, state.pot, state.to_call, state.actions
        ('preflop', 150, 50, (-1, 0, 200, 20000))
        >>> state.raise_to(1.0)  # by the size of the pot after a call
        300
    """

    table: State  # the betting so far
    board: Cards  # the cards dealt so far

    @property
    def game(self) -> GameDef:
        """The rules: blinds, stacks, deck."""
        return self.table.game

    @property
    def line(self) -> str:
        """All betting so far, in the notation of the annual competition: ``r300c/cr600``."""
        return self.table.line

    @property
    def street(self) -> str:
        """The name of the betting round."""
        return STREET_NAMES[self.table.round]

    @property
    def position(self) -> int:
        """The player to act: 0 has the big blind in hold'em with two players."""
        return self.table.actor

    @property
    def pot(self) -> int:
        """Chips put in by both players."""
        return self.table.pot

    @property
    def to_call(self) -> int:
        """Chips that a call adds; 0 where checking is free."""
        return self.table.to_call

    @property
    def actions(self) -> tuple[int, ...]:
        """Fold where it is legal, check or call, the least raise and the greatest.

        A raise is the total of chips that the player has then put in over the whole hand. In
        no-limit games every amount between the least and the greatest is legal as well.
        """
        return self.table.legal_actions()

    def raise_to(self, share: float) -> int | None:
        """The raise by a share of the pot after a call, moved to the nearest legal amount.

        None where no raise is legal.
        """
        bounds = self.table.raise_bounds()
        if bounds is None:
            return None
        called = self.table.max_spent
        wanted = called + round(share * (self.pot + self.to_call))
        return min(max(wanted, bounds[0]), bounds[1])


class BotAgent(Agent):
    """An agent that plays as a bot says.

    Examples:
        >>> import endspiel as es
        >>> class Caller:
        ...     def strategy(self, state, hand):
        ...         return {0: 1.0}
        ...
        >>> rules = es.load_rules("leduc")
        >>> es.BotAgent(Caller(), rules).policy(es.start_state(rules), [(0,), (1,)], ())
        Choice(actions=(0,), probabilities=array([[1.],
               [1.]]))
    """

    def __init__(self, bot: Any, game: GameDef, name: str = "") -> None:
        self.bot = bot
        self.game = game
        self.name = name or type(bot).__name__
        self._all_at_once = callable(getattr(bot, "policy", None))
        if not self._all_at_once and not callable(getattr(bot, "strategy", None)):
            raise EndspielError(f"{self.name} is no bot: it has no method policy or strategy")

    def close(self) -> None:
        close = getattr(self.bot, "close", None)
        if callable(close):
            close()

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        choice = self.policy(state, [hole], board)
        return choice.actions[self.draws.choose(choice.probabilities[0].tolist())]

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        """How the bot plays these hands; those that the board blocks play uniformly."""
        public, live = PublicState(state, board), live_among(holes, board)
        hands = [hole for hole, alive in zip(holes, live, strict=True) if alive]
        choice = self._asked(public, hands) if hands else Choice(public.actions, np.zeros((0, 0)))
        probabilities = np.full((len(holes), len(choice.actions)), 1 / len(choice.actions))
        if hands:
            probabilities[live] = choice.probabilities
        return Choice(choice.actions, probabilities)

    def _asked(self, state: PublicState, hands: Sequence[Cards]) -> Choice:
        actions = self._actions(state)
        if self._all_at_once:
            answer = self._call("policy", state, np.array(hands, np.int64))
            choice = self._choice(state, actions, answer, len(hands))
        else:
            each = [self._call("strategy", state, hand) for hand in hands]
            choices = [self._choice(state, actions, answer, 1) for answer in each]
            choice = _side_by_side(choices)
        return self._checked(state, hands, choice)

    def _actions(self, state: PublicState) -> tuple[int, ...]:
        if not callable(getattr(self.bot, "actions", None)):
            return state.actions
        return self._legal(state, self._call("actions", state))

    def _call(self, method: str, *given: Any) -> Any:
        """What a method of the bot returns; its errors carry the bot's name and the place."""
        try:
            return getattr(self.bot, method)(*given)
        except MemoryError:
            raise
        except Exception as error:  # a bot may raise anything
            raise AgentError(
                f"bot {self.name} failed in {method} after {given[0].line!r}: "
                f"{type(error).__name__}: {error}"
            ) from error

    def _legal(self, state: PublicState, named: Any) -> tuple[int, ...]:
        """A bot's actions as legal, different ones."""
        try:
            actions = tuple(int(action) for action in named)
        except (TypeError, ValueError):
            raise self._wrong(state, f"names {named!r} as its actions, not whole numbers") from None
        for action in actions:
            if not state.table.can(action):
                why = _refusal(state.table, action)
                raise self._wrong(state, f"plays an illegal action: {why}")
        if not actions or len(set(actions)) < len(actions):
            raise self._wrong(state, f"must name one action or more, each once, not {actions}")
        return actions

    def _choice(
        self, state: PublicState, actions: tuple[int, ...], answer: Any, hands: int
    ) -> Choice:
        """A bot's answer for some hands as actions and probabilities [K, A]."""
        if isinstance(answer, Mapping):
            actions = self._legal(state, answer.keys())
            rows = [self._numbers(state, chance) for chance in answer.values()]
            wide = [row for row in rows if row.shape not in ((), (hands,))]
            if wide:
                raise self._wrong(
                    state, f"gives probabilities of shape {wide[0].shape} for {hands} hands"
                )
            return Choice(actions, np.stack([np.broadcast_to(row, hands) for row in rows], axis=1))
        given = self._numbers(state, answer)
        shape = (hands, len(actions))
        if given.shape != shape and not (hands == 1 and given.shape == shape[1:]):
            raise self._wrong(
                state,
                f"gives probabilities of shape {given.shape}, not {shape}: hands by actions "
                f"{actions}",
            )
        return Choice(actions, given.reshape(shape))

    def _numbers(self, state: PublicState, answer: Any) -> Floats:
        try:
            if answer is not None:  # which NumPy takes for a number
                return np.asarray(answer, np.float64)
            raise TypeError
        except (TypeError, ValueError):
            short = repr(answer)[:80]
            raise self._wrong(state, f"gives {short} where probabilities belong") from None

    def _checked(self, state: PublicState, hands: Sequence[Cards], choice: Choice) -> Choice:
        """Probabilities scaled to a sum of 1 where they are probabilities."""
        chances = choice.probabilities
        sums = chances.sum(axis=1)
        bad = ~np.isfinite(chances).all(axis=1) | (chances < 0).any(axis=1)
        bad |= ~(np.abs(sums - 1) <= SUM_ERROR)
        if bad.any():
            at = int(bad.argmax())
            raise self._wrong(
                state,
                f"plays {format_cards(hands[at])} with probabilities {chances[at].tolist()}, "
                "which are not from 0 to 1 with a sum of 1",
            )
        return Choice(choice.actions, chances / sums[:, None])

    def _wrong(self, state: PublicState, what: str) -> AgentError:
        return AgentError(f"bot {self.name} {what} (after {state.line!r})")


def _refusal(table: State, action: int) -> str:
    """Why an action is illegal."""
    try:
        table.verify(action)
    except EndspielError as error:
        return str(error)
    return ""


def _side_by_side(choices: Sequence[Choice]) -> Choice:
    """Choices of one hand each as one of all hands, over all actions that any of them takes."""
    actions = tuple(dict.fromkeys(action for one in choices for action in one.actions))
    found = np.zeros((len(choices), len(actions)))
    for row, one in zip(found, choices, strict=True):
        row[[actions.index(action) for action in one.actions]] = one.probabilities[0]
    return Choice(actions, found)


def is_bot(made: Any) -> bool:
    """Whether something is the class of a bot, not of an agent or a function that makes one."""
    methods = ("policy", "strategy")
    own = isinstance(made, type) and not issubclass(made, Agent)
    return own and any(callable(getattr(made, method, None)) for method in methods)


def make_bot(made: Callable[..., Any], game: GameDef, name: str) -> BotAgent:
    """The agent of a bot's class, which is called with the rules if it takes an argument."""
    try:
        parameters = inspect.signature(made).parameters.values()
        needed = [one for one in parameters if one.default is one.empty and one.kind in _PLACES]
        bot = made(game) if needed else made()
    except Exception as error:  # a bot may raise anything
        raise AgentError(f"{name} makes no bot: {type(error).__name__}: {error}") from error
    return BotAgent(bot, game, name)
