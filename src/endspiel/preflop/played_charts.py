"""Play before the flop by charts of the hand's own depth, over the 169 classes.

The whole tree is solved once for a table's blinds and stacks, its flops worth what the charts that
come with the package say. A bet that the tree does not have is answered by solving the rest of the
tree with it, from just before the bet, with the ranges that play has led to. Below `SHORT` big
blinds the button moves all-in or folds, which is solved exactly; whatever else is done there is
answered by a tree too.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np

from endspiel.betting.sequences import NumberedDecision
from endspiel.betting.tree import BY_CALL, BY_FOLD, DECISION
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_tree import (
    BIG_BLIND,
    BUTTON,
    MadeBet,
    PreflopGame,
    PreflopSetting,
    first_sequence,
)
from endspiel.kernels.arrays import Float64s, Floats
from endspiel.preflop.shipped import FAR, OPENS, RAISES, RERAISES, shipped, starts_for
from endspiel.preflop.street import PreflopStreet
from endspiel.processors import one_blas_thread
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State
from endspiel.solvers.solve import solve

SHORT: Final = 6.0  # big blinds below which the button moves all-in or folds
WHOLE_ITERATIONS: Final = 800
REST_ITERATIONS: Final = 150
FAINTEST: Final = 1e-4  # of a class: what any may be held with after a bet that no tree has
# A bet that no tree has is made by mistake so often, by the hands that lose least by it: those
# that lose so much more, as a share of the pot, 1 / e as often.
MISTAKE, LEAST_LOSS = 0.01, 0.02
REMEMBERED: Final = 256  # rests of trees
HOLDEM_BOARD: Final = (0, 3, 1, 1)


class ChartDecision(NamedTuple):
    """A decision before the flop."""

    actions: tuple[int, ...]  # [A] at the table
    strategy: Floats  # [A, 169]
    ranges: tuple[Floats, Floats]  # [169] how each class of both players comes here
    again: int  # how often the rest of the tree was solved again for bets that it did not have


def obstacle(game: GameDef) -> str:
    """Why a game is not one that the charts are of; nothing where it is."""
    small, big, deepest = min(game.blinds), game.big_blind, FAR * shipped().reach[1]
    reasons = {
        "they are of two players": game.num_players != 2,
        "they are of no-limit betting": not game.no_limit,
        "they are of hold'em": game.num_board_cards != HOLDEM_BOARD
        or game.num_hole_cards != 2
        or len(game.deck) != NUM_CARDS,
        "the button posts the small blind and begins": game.first_players[0] != BUTTON
        or game.blinds[BIG_BLIND] != big,
        "two blinds are posted, one smaller than the other": not 0 < small < big,
        f"they are of stacks over one big blind, to {deepest:g}": not 1
        < min(game.stacks) / big
        <= deepest,
    }
    return next((reason for reason, there in reasons.items() if there), "")


@dataclass(frozen=True, eq=False)
class SolvedTree:
    """A tree, or the rest of one, with a strategy for every class."""

    preflop: PreflopGame
    behavior: tuple[Floats, Floats]  # [S - 1, 169] of each player: every action's probability
    put_in: Floats | None = None  # [169] how often the bet that it was solved with is made

    def shares(self, node: int) -> Floats:
        """How often every class takes each action of a decision: [A, 169]."""
        decision, first = self._decisions[node], self.first_row(node)
        return self.behavior[decision.player][first : first + decision.actions]

    def first_row(self, node: int) -> int:
        """The row of a decision's first action."""
        return (first_sequence(self._decisions[node].first) - 1) // NUM_CLASSES

    @cached_property
    def _decisions(self) -> dict[int, NumberedDecision]:
        return {one.node: one for one in self.preflop.numbering.decisions}

    def children(self, node: int) -> list[int]:
        """The nodes that follow a decision."""
        preflop = self.preflop
        return [child for child in preflop.tree.children(node) if preflop.allowed[child]]

    def after(self, node: int, action: int) -> int | None:
        """The node after an action at the table; None where the tree has none."""
        for child in self.children(node):
            if self.action(child) == action:
                return child
        return None

    def action(self, child: int) -> int:
        """What led to a node, as the table has it."""
        by = int(self.preflop.tree.action[child])
        return {BY_FOLD: FOLD, BY_CALL: CALL}.get(by, by)


class PlayedCharts:
    """Play before the flop in games of one rules file."""

    def __init__(self, game: GameDef) -> None:
        reason = obstacle(game)
        assert not reason, reason
        setting = setting_of(game)
        self.depth = setting.stack / setting.big_blind
        self.short = self.depth < SHORT
        self._stack = setting.stack
        self._whole = _whole_tree(setting)
        self._rests: OrderedDict[tuple[int, ...], SolvedTree] = OrderedDict()  # by what was done

    def decision(self, moves: Sequence[tuple[State, int]]) -> ChartDecision:
        """Where moves from the blinds lead; with no actions where the betting is over."""
        tree, node, ranges, again = self._whole, 0, _every_class(), 0
        done = [min(action, self._stack) for _, action in moves]  # neither can put in more
        for at, action in enumerate(done):
            player = int(tree.preflop.tree.player[node])
            child, put_in = tree.after(node, action), None
            if child is None:
                made = tuple(done[: at + 1])
                tree, again = self._rest(made, _Here(tree, node, ranges)), again + 1
                node, put_in = tree.preflop.tree.find(tree.preflop.path), tree.put_in
                child = tree.after(node, action)
                assert child is not None, "a bet that was made is in the tree"
            share = put_in
            if share is None:
                share = tree.shares(node)[tree.children(node).index(child)]
            own = ranges[player] * share
            ranges = (own, ranges[1]) if player == BIG_BLIND else (ranges[0], own)
            node = child
        if tree.preflop.tree.kind[node] != DECISION:
            return ChartDecision((), np.zeros((0, NUM_CLASSES)), ranges, again)
        actions = tuple(tree.action(child) for child in tree.children(node))
        return ChartDecision(actions, tree.shares(node), ranges, again)

    def _rest(self, made: tuple[int, ...], here: "_Here") -> SolvedTree:
        """The rest of a tree from a decision on, with what was done there."""
        rests = self._rests
        if made not in rests:
            rests[made] = here.solve_again(made)
        rests.move_to_end(made)
        if len(rests) > REMEMBERED:
            rests.popitem(last=False)
        return rests[made]


class _Here(NamedTuple):
    """A decision of a tree, and how each class [169] of both players comes to it."""

    tree: SolvedTree
    node: int
    ranges: tuple[Floats, Floats]

    def solve_again(self, made: tuple[int, ...]) -> SolvedTree:
        """Solve the rest of the tree with the last of the actions made so far."""
        before, action = self.tree.preflop, made[-1]
        tree, extra = before.tree, before.setting.extra
        if action > 0:
            one, two = tree.spent[self.node].tolist()
            extra = (*extra, MadeBet(int(tree.player[self.node]), (one, two), action))
        setting = replace(
            before.setting,
            opens=OPENS,
            reraises=RERAISES,
            max_raises=max(RAISES, 1 + sum(action > 0 for action in made)),
            limp=True,
            extra=extra,
        )
        first, second = (
            np.maximum(come, FAINTEST * float(come.max())) if come.any() else np.ones(NUM_CLASSES)
            for come in self.ranges
        )
        game = PreflopGame(setting, path=tree.line(self.node))
        street = _solve(game, (first, second), REST_ITERATIONS)
        found = _of(street)
        return replace(found, put_in=_put_in(found, street, action)) if action > 0 else found


def setting_of(game: GameDef) -> PreflopSetting:
    """The charts' tree with a table's blinds and stacks."""
    return PreflopSetting(
        min(game.stacks), game.blinds[BUTTON], game.big_blind,
        opens=OPENS, reraises=RERAISES, max_raises=RAISES,
    )  # fmt: skip


def hand_weights(classes: Floats) -> Float64s:
    """A range of hands [1326] from one of classes [169]."""
    found: Float64s = np.asarray(classes, np.float64)[hand_classes()]
    assert len(found) == NUM_HANDS
    return found


@lru_cache(maxsize=64)
def _whole_tree(setting: PreflopSetting) -> SolvedTree:
    """A table's tree; below `SHORT` big blinds that of push or fold."""
    if setting.stack >= SHORT * setting.big_blind:
        return _of(_solve(PreflopGame(setting), _every_class(), WHOLE_ITERATIONS))
    short = replace(setting, opens="a", reraises="", max_raises=1, limp=False)
    preflop = PreflopGame(short)
    profile = solve(preflop.game(), "lp").profile
    first, second = (rows[1:].reshape(-1, NUM_CLASSES) for rows in profile.behavior)
    return SolvedTree(preflop, (first, second))


def _solve(preflop: PreflopGame, ranges: tuple[Floats, Floats], iterations: int) -> PreflopStreet:
    """Solve a tree whose flops are worth what the charts say."""
    street = PreflopStreet(preflop, ranges)
    street.value_flops({line: start.share() for line, start in starts_for(preflop).items()})
    with one_blas_thread():
        Driver(street, SCHEMES["dcfr"]).advance(iterations)
    preflop.shares.clear()  # large, and of no more use
    return street


def _of(street: PreflopStreet) -> SolvedTree:
    return SolvedTree(street.preflop, (street.behavior(0), street.behavior(1)))


def _put_in(found: SolvedTree, street: PreflopStreet, action: int) -> Floats:
    """How often [169] a bet is made that was put in for it: as solved, or by mistake."""
    tree = found.preflop.tree
    node = tree.find(found.preflop.path)
    child, player = found.after(node, action), int(tree.player[node])
    assert child is not None, "a bet that was made is in the tree"
    place = found.children(node).index(child)
    first = found.first_row(node)
    rows = street.sequence_values(player)[1:][first : first + len(found.shares(node))]
    met = _met(player) @ street.ranges[1 - player]
    loss = (rows.max(axis=0) - rows[place]) / met / found.preflop.pot(child)
    mistaken: Floats = np.exp(-(loss - loss.min()) / LEAST_LOSS)
    put_in: Floats = found.shares(node)[place] + MISTAKE * mistaken
    return put_in


def _met(player: int) -> Floats:
    """How often a class of a player [169] meets each of the other's [169]."""
    chance = class_matchups().chance
    return chance if player == BIG_BLIND else chance.T


def _every_class() -> tuple[Floats, Floats]:
    return np.ones(NUM_CLASSES), np.ones(NUM_CLASSES)
