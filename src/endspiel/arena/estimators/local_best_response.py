"""Local best response: what a player wins who knows the opponent's strategy and looks one step on.

After Lisý and Bowling (2017). The opponent's range is kept by Bayes' rule over its policy. At each
decision the player takes the action of greatest value as if both players checked and called to
the end afterwards: a bet wins the pot from what folds to it and is called by the rest. Whatever it
wins is a lower bound on what a best response wins, in games too large for a best response.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Final

import numpy as np

from endspiel.agent.base import Agent, AgentForm, AgentOption, Choice, make_agent
from endspiel.agent.moves import moves_of
from endspiel.arena.estimators.shares import Cards, Floats, all_holes, shares
from endspiel.betting.grow import Point, TreeSetting
from endspiel.betting.menu import STREET_NAMES, Sizing, StreetMenu, parse_menu
from endspiel.betting.no_limit import bet_amounts
from endspiel.cards.live import live_among
from endspiel.errors import EndspielError, RulesError
from endspiel.ranges.line import Action, range_along
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State

SIZES: Final = "50%, 100%, 200%, a"
POT_OR_ALL: Final = "100%, a"
# The literature's 56 bets are not listed there: 55 from a tenth of the pot to twenty pots, each as
# much larger than the last in proportion, and all-in.
MANY_SIZES: Final = ", ".join(f"{10 * 200 ** (at / 54):.2f}%" for at in range(55)) + ", a"
HURRY: Final = 0.05  # of its work that an agent does for an answer that only chooses bets
_FEW: Final = 100  # hands whose play can be computed; with more, each point would take seconds


@dataclass(frozen=True)
class ResponseOptions:
    """Where the player may do what."""

    sizes: str = SIZES  # bets considered in no-limit games, as menus write them
    bets: frozenset[int] = frozenset(range(len(STREET_NAMES)))  # rounds on which it may bet
    calls: frozenset[int] = frozenset()  # rounds on which it checks and calls whatever comes
    screen: int | None = None  # bets compared in earnest: those that look best to all hands

    @cached_property
    def sizing(self) -> Sizing:
        """The sizes as the menu of every street."""
        menu = parse_menu(self.sizes, raising=True)
        return Sizing.same(StreetMenu((menu, menu), (menu, menu)))


_ALL: Final = frozenset(range(len(STREET_NAMES)))
_EARLY: Final = frozenset({0, 1})  # before the flop, and on it
SETTINGS: Final = {  # those in which agents of the literature were measured, by name
    "fc": ResponseOptions(bets=frozenset()),
    "fcpa": ResponseOptions(POT_OR_ALL),
    "fcpa-turn": ResponseOptions(POT_OR_ALL, _ALL - _EARLY, _EARLY),
    "56-turn": ResponseOptions(MANY_SIZES, _ALL - _EARLY, _EARLY),
}


def setting_named(name: str) -> ResponseOptions:
    """Where and what the player of a known setting bets."""
    if name not in SETTINGS:
        raise EndspielError(f"no setting {name!r} of local best response: {', '.join(SETTINGS)}")
    return SETTINGS[name]


class Opponent:
    """An agent whose policy is known: how it answers, and what it may hold."""

    def __init__(self, game: GameDef, agent: Agent, name: str) -> None:
        self.game = game
        self.agent = agent
        self.name = name
        self.holes = all_holes(game)  # [K]
        self._choices: dict[tuple[str, Cards], Choice] = {}
        self._lines: dict[tuple[str, Cards], list[Action]] = {}
        self.slowest = 0.0  # seconds of the longest answer

    def begin(self, seed: int) -> None:
        """A new hand. An agent may take bets by dice that the seed throws, so nothing is kept."""
        self.agent.begin(seed)
        self._choices.clear()
        self._lines.clear()

    def choice(self, state: State, board: Cards) -> Choice:
        """How all its hands are played where it is to act."""
        found = self._choices.get((state.line, board))
        if found is None:
            begun = perf_counter()
            found = self.agent.policy(state, self.holes, board)
            self.slowest = max(self.slowest, perf_counter() - begun)
            if found is None:
                raise EndspielError(
                    f"agent {self.name} cannot tell how it plays every hand after {state.line!r}: "
                    "a local best response needs to know"
                )
            self._choices[state.line, board] = found
        return found

    def rough_choice(self, state: State, board: Cards) -> Choice:
        """About the same, for little work, by an agent that can hurry; it is not kept."""
        kept, self._choices = self._choices, self._choices.copy()
        try:
            with self.agent.hurried(HURRY):
                return self.choice(state, board)
        finally:
            self._choices = kept

    def weights(self, state: State, hole: Cards, board: Cards) -> Floats:
        """What it holds where the other player, who holds the hole cards, is to act: [K]."""
        live = live_among(self.holes, (*hole, *board)).astype(np.float64)
        return range_along(live, self._line(state, board), 1 - state.actor).weights

    def _line(self, end: State, board: Cards) -> list[Action]:
        """What it did so far, and how often it does so with each hand."""
        found = self._lines.get((end.line, board))
        if found is None:
            found = []
            for state, action in moves_of(end):
                if state.actor != end.actor:
                    choice = self.choice(state, board[: self.game.board_sizes[state.round]])
                    found.append(Action(state.actor, choice.chances(action)))
            self._lines[end.line, board] = found
        return found


class LocalBestResponse(Agent):
    """Plays against one agent, whose policy it asks for."""

    def __init__(self, game: GameDef, opponent: Opponent, options: ResponseOptions) -> None:
        if game.num_players != 2:
            raise RulesError(f"a local best response is for two players, not {game.num_players}")
        self.game = game
        self.opponent = opponent
        self.options = options

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self.opponent.begin(seed)

    def close(self) -> None:
        self.opponent.agent.close()

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        if state.round in self.options.calls:
            return CALL
        values = self.values(state, hole, board)
        return max(values, key=values.__getitem__)

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice | None:
        if len(holes) > _FEW:
            return None
        actions = considered(state, self.options)
        played = np.zeros((len(holes), len(actions)))
        for at, hole in enumerate(holes):
            played[
                at, actions.index(CALL if {*hole} & {*board} else self.act(state, hole, board))
            ] = 1
        return Choice(actions, played)

    def values(self, state: State, hole: Cards, board: Cards) -> dict[int, float]:
        """Chips each action wins over the hand if all is checked and called afterwards."""
        weights = self.opponent.weights(state, hole, board)
        ahead = -shares(self.game, hole, board)  # [K] of this hand against each of the opponent's
        other = 1 - state.actor
        total = float(weights.sum())
        called = float(weights @ ahead) / total
        found: dict[int, float] = {}
        for action in considered(state, self.options):
            if action == FOLD:
                found[action] = -state.spent[state.actor]
            elif action == CALL:
                found[action] = min(state.max_spent, *self.game.stacks) * called
            else:
                choice = self.opponent.choice(state.apply(action), board)
                stays = weights.copy()
                if FOLD in choice.actions:
                    stays *= 1 - choice.probabilities[:, choice.actions.index(FOLD)]
                stake = min(action, self.game.stacks[other])
                folded = (total - float(stays.sum())) * state.spent[other]
                found[action] = (folded + stake * float(stays @ ahead)) / total
        return found


def considered(state: State, options: ResponseOptions) -> tuple[int, ...]:
    """Actions that are compared: fold where legal, call, and on some streets bets."""
    passive = (FOLD, CALL) if state.can_fold() else (CALL,)
    bounds = state.raise_bounds()
    if bounds is None or state.round not in options.bets:
        return passive
    least, most = bounds
    if least == most:
        return (*passive, most)
    bets = {min(max(chips, least), most) for chips in _amounts(state, options.sizing)}
    return (*passive, *sorted(bets))


def _amounts(state: State, sizing: Sizing) -> list[int]:
    """Chips over the whole hand that sizes raise to."""
    game = state.game
    antes = min(game.blinds) == max(game.blinds)
    begun = state.street_start if state.round or not antes else game.blinds[0]
    table = TreeSetting(0, max(game.stacks), game.first_players, game.big_blind)
    point = Point(
        street=state.round,
        player=state.actor,
        spent=(state.spent[0], state.spent[1]),
        begun=begun,
        step=state.min_raise_to - state.max_spent,
        raises=state.raises,
        blind=state.round == 0 and not antes,
    )
    return [begun + chips for chips in bet_amounts(table, point, sizing)]


OPTIONS: Final = {
    "setting": AgentOption(", ".join(SETTINGS), "", "A setting of the literature; goes alone."),
    "sizes": AgentOption("bet sizes", SIZES, "The bets that it considers."),
    "streets": AgentOption("streets", ",".join(STREET_NAMES), "The streets on which it bets."),
    "calls": AgentOption("streets", "", "The streets on which it only checks and calls."),
}


def forms() -> tuple[AgentForm, ...]:
    """Return the spec of this agent."""
    text = "The local best response to AGENT; options stand before it: lbr+setting=fcpa+AGENT."
    return (AgentForm("lbr", "lbr+AGENT", text, OPTIONS, "+"),)


def make(game: GameDef, spec: str) -> Agent:
    """The agent ``lbr+SPEC``, or with options before the spec: ``lbr+sizes=100%,a+SPEC``.

    ``streets=turn,river`` bets on no other street; ``calls=preflop,flop`` checks and calls there;
    ``setting=fcpa-turn`` stands for all three, as ``SETTINGS`` has them.
    """
    chosen: dict[str, str] = {}
    while spec.partition("+")[0].partition("=")[0] in OPTIONS:
        option, _, spec = spec.partition("+")
        key, _, value = option.partition("=")
        chosen[key] = value
    if not spec:
        raise RulesError("agent lbr plays against an agent it knows: lbr+SPEC")
    opponent = Opponent(game, make_agent(spec, game), spec)
    return LocalBestResponse(game, opponent, _options(game, chosen))


def _options(game: GameDef, chosen: dict[str, str]) -> ResponseOptions:
    """What the options of a spec come to; a bad menu is refused now."""
    if "setting" in chosen:
        if len(chosen) > 1:
            raise EndspielError(
                "agent lbr: a setting says all there is; it goes with no other option"
            )
        return setting_named(chosen["setting"])
    options = ResponseOptions(
        chosen.get("sizes", SIZES),
        _streets(game, chosen.get("streets", ",".join(STREET_NAMES[: game.num_rounds]))),
        _streets(game, chosen.get("calls", "")),
    )
    _ = options.sizing
    return options


def _streets(game: GameDef, text: str) -> frozenset[int]:
    """Rounds by the names of their streets."""
    names = STREET_NAMES[: game.num_rounds]
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    for name in chosen:
        if name not in names:
            raise RulesError(f"agent lbr: {game.name} has no street {name!r}: {', '.join(names)}")
    return frozenset(names.index(name) for name in chosen)
