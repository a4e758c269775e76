"""Following a hand through a blueprint's betting tree, whatever is bet at the table.

Every action at the table is taken for one of the tree's:

- A fold, check or call is itself.
- A bet or raise to exactly what one of the tree's would be here (``table_action``) is that one, so
  our own bets are always found again. Where several come to the same chips, because the stack or
  the least raise cuts them, the strategy's probability of all of them belongs to the action.
- Any other bet is taken for a neighbor by a reverse mapping. What chance decides is drawn from the
  hand's seed and the number of the action alone: once a hand, however often it is asked.

Sizes are shares of the pot after calling, so blinds and stacks of the table need not be the tree's.
All-in is always all-in.

The tree may still lose the table. A bet taken for all-in and called leaves chips behind at the
table and none in the tree; a raise more than the tree knows leaves the tree's street finished. From
there on the hand is followed from the nearest node: of the decisions of the same player on the same
street, against a bet or not as at the table, the one with the most similar share of the stack at
stake and share of it yet to be called. The steps before stay as they were.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.base import Draws
from endspiel.arrays import Float64s
from endspiel.betting.translation import DEFAULT_MAPPING, Bet, choices, find_mapping
from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE, DECISION
from endspiel.blueprint.blueprint import Blueprint
from endspiel.errors import RulesError
from endspiel.ranges.line import Action
from endspiel.rules.acpc import parse_action
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

NOWHERE: Final = -1  # in place of a node: the tree has no decision of the player on the street
_ACTION: Final = re.compile(r"[fc]|r[0-9]*")
_MIX: Final = 0x9E3779B97F4A7C15  # sets the draws of a hand's actions far apart
_REMEMBERED: Final = 1 << 13

Cards = tuple[int, ...]


class Step(NamedTuple):
    """One action of the hand as the tree has it."""

    node: int  # where it was taken
    actions: tuple[int, ...]  # places among the node's actions that it stands for, the first led on
    player: int  # position
    street: int

    def share(self, blueprint: Blueprint, board: Sequence[int]) -> Float64s:
        """How often a blueprint takes the action with each hand on a board: [1326]."""
        return np.asarray(blueprint.hands(self.node, board)[list(self.actions)].sum(axis=0))


class _Place(NamedTuple):
    """Where the hand stands at the table and in the tree."""

    state: State
    node: int
    steps: tuple[Step, ...]
    number: int  # actions so far


# Nodes [M], whether each faces a bet [M], the log share of the stack at stake [M], share owed [M].
_Decisions = tuple[NDArray[np.int64], NDArray[np.bool_], Float64s, Float64s]


class Follower:
    """The tree's view of the hand being played."""

    def __init__(self, blueprint: Blueprint, game: GameDef, mapping: str = DEFAULT_MAPPING) -> None:
        check_game(blueprint, game)
        self.blueprint = blueprint
        self.tree = blueprint.tree
        self.mapping = find_mapping(mapping)
        self._root = _Place(start(game), self._settle(0, start(game)), (), 0)
        self._last = self._root
        self._seed = 0
        self._known: dict[tuple[str, int, int], tuple[tuple[int, ...], float | None]] = {}

    def begin(self, seed: int) -> None:
        """A new hand, whose seed decides what off-tree bets are taken for."""
        self._seed = seed
        self._last = self._root

    def node(self, state: State) -> int:
        """The decision that stands for a state of the hand, or NOWHERE."""
        return self._follow(state).node

    def steps(self, state: State) -> tuple[Step, ...]:
        """What was done so far, as the tree has it; what it has no place for is left out."""
        return self._follow(state).steps

    def line(
        self,
        state: State,
        board: Cards,
        blueprints: tuple[Blueprint, Blueprint] | None = None,
        street: int = 0,
    ) -> list[Action]:
        """What was done since a street began, and how often it is done with each hand on a board.

        By the blueprint that is followed, or by that of each position.
        """
        by = blueprints or (self.blueprint, self.blueprint)
        return [
            Action(step.player, step.share(by[step.player], board))
            for step in self.steps(state)
            if step.street >= street
        ]

    def table_actions(self, state: State, node: int) -> list[int]:
        """What each action of a node is at the table: [A]; some may come to the same."""
        return [self.table_action(state, node, at) for at in range(int(self._columns[2][node]))]

    def table_action(self, state: State, node: int, at: int) -> int:
        """What a node's action, by its place, is at the table: legal there, with its pot."""
        actions, first_child, _, levels = self._columns
        child = first_child[node] + at
        if actions[child] == BY_FOLD:
            return FOLD if state.can_fold() else CALL
        if actions[child] == BY_CALL:
            return CALL
        bounds = state.raise_bounds()
        if bounds is None:
            return CALL
        least, most = bounds
        if levels[child] == self.tree.stack:
            return most
        level = levels[node]
        share = (levels[child] - level) / (self.tree.pot + 2 * level)
        chips = state.max_spent + round(share * 2 * state.max_spent)
        return min(max(chips, least), most)

    @cached_property
    def _columns(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """By node: what led there, the first child, how many, what a call must match."""
        tree = self.tree
        levels: list[int] = tree.spent.max(axis=1).tolist()
        return tree.action.tolist(), tree.first_child.tolist(), tree.num_children.tolist(), levels

    def _follow(self, state: State) -> _Place:
        place = self._last
        if not state.line.startswith(place.state.line):
            place = self._root
        if len(state.line) > len(place.state.line):
            for text in _ACTION.findall(state.line, len(place.state.line)):
                place = self._advance(place, parse_action(place.state, text))
            self._last = place
        return place

    def _advance(self, place: _Place, action: int) -> _Place:
        """The place after one more action at the table."""
        state, node, steps, number = place
        following = state.apply(action)
        if node == NOWHERE:
            return _Place(following, self._settle(NOWHERE, following), steps, number + 1)
        taken = self._taken_for(state, node, action, number)
        if not taken:  # a fold where the tree has none
            return _Place(following, NOWHERE, steps, number + 1)
        steps = (*steps, Step(node, taken, state.actor, state.round))
        child = self._columns[1][node] + taken[0]
        return _Place(following, self._settle(child, following), steps, number + 1)

    def _taken_for(self, state: State, node: int, action: int, number: int) -> tuple[int, ...]:
        """Places among a node's actions that an action at the table stands for."""
        key = (state.line, action, node)
        found = self._known.get(key)
        if found is None:
            found = self._meanings(state, node, action)
            if len(self._known) < _REMEMBERED:
                self._known[key] = found
        places, low_chance = found
        if low_chance is None:
            return places
        draws = Draws(self._seed ^ (number + 1) * _MIX)
        draws.uniform()  # the first depends too plainly on the seed
        return places[:1] if draws.uniform() < low_chance else places[1:]

    def _meanings(
        self, state: State, node: int, action: int
    ) -> tuple[tuple[int, ...], float | None]:
        """Places that an action stands for; with a chance, the first so often, else the second."""
        here = self.table_actions(state, node)
        same = [at for at, chips in enumerate(here) if chips == action]
        if action == CALL:  # the tree's own call leads on
            actions, first_child, _, _ = self._columns
            same.sort(key=lambda at: actions[first_child[node] + at] != BY_CALL)
        all_in = action == state.game.stacks[state.actor]
        if same or action == FOLD:
            # Of bets that come to all-in the tree's own all-in, the last, leads on.
            return tuple(reversed(same) if all_in else same), None
        last_bet = state.max_spent - state.street_start
        bet = Bet.of_chips(action - state.street_start, last_bet, 2 * state.max_spent, all_in)
        options = choices(self.tree, node, bet, self.mapping)
        places = tuple(child - self._columns[1][node] for child, _ in options)
        return places, options[0][1] if len(options) > 1 else None

    def _settle(self, node: int, state: State) -> int:
        """The decision of the player to act at the table, at a node or after it, or nearest."""
        if state.actor < 0:
            return NOWHERE
        tree = self.tree
        while node != NOWHERE and tree.kind[node] == CHANCE:
            node = int(tree.first_child[node])
        if (
            node != NOWHERE
            and tree.kind[node] == DECISION
            and tree.player[node] == state.actor
            and tree.street[node] == state.round
        ):
            return node
        return self._nearest(state)

    def _nearest(self, state: State) -> int:
        """The most similar decision of the player to act on the street, or NOWHERE."""
        nodes, faced, at_stake, owed = self._decisions[state.round][state.actor]
        same = faced == state.can_fold()
        if same.any():
            nodes, at_stake, owed = nodes[same], at_stake[same], owed[same]
        if not len(nodes):
            return NOWHERE
        here = log(max(state.max_spent, 1) / state.game.stacks[state.actor])
        far = abs(at_stake - here) + abs(owed - state.to_call / max(state.max_spent, 1))
        return int(nodes[far.argmin()])

    @cached_property
    def _decisions(self) -> list[list[_Decisions]]:
        """Decisions by street and player."""
        tree = self.tree
        before = tree.pot // 2
        level = np.maximum(before + tree.spent.max(axis=1), 1)
        found: list[list[_Decisions]] = []
        for street in range(4):
            found.append([])
            for player in range(2):
                of = (tree.kind == DECISION) & (tree.street == street) & (tree.player == player)
                nodes = np.flatnonzero(of)
                owed = (level[nodes] - before - tree.spent[nodes, player]) / level[nodes]
                at_stake = np.log(level[nodes] / (before + tree.stack))
                found[-1].append((nodes, owed > 0, at_stake, owed))
        return found


_LIMITS: Final = ("blinds in big blinds", "raises in big blinds", "raises a round", "stacks")


def _limits(game: GameDef) -> tuple[Sequence[Fraction | int], ...]:
    """What fixes the betting of a limit game, in whatever chips; nothing where sizes are free.

    No bet there is taken for another: a game with other bets is another game.
    """
    if game.no_limit:
        return ()
    unit = game.big_blind
    blinds, raises = (
        tuple(Fraction(chips, unit) for chips in amounts)
        for amounts in (game.blinds, game.raise_sizes)
    )
    most = 1 + sum(size * count for size, count in zip(raises, game.max_raises, strict=True))
    stacks = tuple(min(Fraction(stack, unit), most) for stack in game.stacks)
    return blinds, raises, game.max_raises, stacks


def check_game(blueprint: Blueprint, game: GameDef) -> None:
    """Refuse a game whose cards or betting the blueprint knows nothing of."""
    own = blueprint.game
    for what, mine, theirs in (
        ("players", own.num_players, game.num_players),
        ("hole cards", own.num_hole_cards, game.num_hole_cards),
        ("board cards by round", own.num_board_cards, game.num_board_cards),
        ("cards in the deck", len(own.deck), len(game.deck)),
        ("first players by round", own.first_players, game.first_players),
        ("no-limit betting", own.no_limit, game.no_limit),
        *zip(_LIMITS, _limits(own), _limits(game), strict=False),
    ):
        if mine != theirs:
            raise RulesError(
                f"blueprint {blueprint.path.name} is for {own.name}, which has {what} "
                f"{_shown(mine)}; {game.name} has {_shown(theirs)}"
            )


def _shown(value: object) -> str:
    """Numbers as they are read: fractions plainly, several in brackets."""
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)
