"""Endgames one after the other in one hand: solved when they begin, again at bets off the menu.

The unsafe techniques trust the ranges that the blueprint gives: whenever something is bet that is
not in the tree, the street is solved again from its start with the bets made in it. The safe ones
let the opponent choose its range; a bet off the menu begins a nested endgame, so that nothing
already guaranteed is given up.

Reach-Maxmargin is without the paper's improvement here, which drops the margins of hands that gave
something away: it asks for a lower bound on what they get elsewhere once everything is solved, and
the gifts known at the table are estimates by the blueprint's buckets. The improvement is where that
bound is exact: `endgame.safe.refine` and the tables of flop hold'em (`reproduce`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.attempts import (
    AS_PLANNED,
    MORE_TIME,
    MOST_ITERATIONS,
    PLAYABLE,
    Solve,
    Standard,
    solve_well,
)
from endspiel.agent.clock import UNTIMED, MoveTime
from endspiel.agent.exact import Program, RiverProgram
from endspiel.agent.moves import Move, street_moves
from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.betting.tree import BY_CALL, BY_FOLD, BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.nested_solve import NestedSolve, Unsolved
from endspiel.endgame.safe.reach import given_away
from endspiel.endgame.safe.techniques import Technique
from endspiel.engine.limits import Limits, TracePoint
from endspiel.ranges.line import came_with, ranges_along, tree_line, with_every_hand
from endspiel.rules.state import CALL, FOLD, State

Floats = NDArray[np.float64]
Cards = tuple[int, ...]
RIVER_CARDS: Final = 5

OWN_BET: Final = Unsolved("our own bet is not one of this endgame's")


class EndgameEntry(NamedTuple):
    """How the players come to an endgame."""

    ranges: tuple[Floats, Floats]  # [1326] by position
    alternatives: Floats | None  # [1326] what the opponent's hands get in place of it, in chips
    gifts: Floats  # [1326] what they gave away before, in chips


class Entrance(NamedTuple):
    """A safe endgame to be solved."""

    state: State  # where it begins
    board: Cards
    entry: EndgameEntry


class Solved(Protocol):
    """A solved endgame, by whatever method; `LiveEndgame` is one."""

    @property
    def state(self) -> State:
        """Where it begins."""

    @property
    def board(self) -> Cards:
        """The cards dealt by then."""

    @property
    def tree(self) -> BettingTree:
        """The betting from there on."""

    def strategy(self, node: int) -> Floats:
        """Probability of each action at a node: [A, 1326]."""

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """What both players hold where it begins: [1326] each."""


class Stage(NamedTuple):
    """A solved endgame and where the hand stands in it."""

    endgame: Solved
    node: int
    gap: float  # its exploitability or the gadget's gap, as a share of the pot
    gifts: Floats  # [1326] that the opponent had made before it
    belief: Floats  # [1326] how it should come; 1 where the endgame's own range has it already
    note: str = ""  # what its solution is not, though it was asked for
    how: str = AS_PLANNED  # see `attempts`

    @property
    def actions(self) -> tuple[int, ...]:
        """What may be done here, as the table has it: [A]."""
        tree, begun = self.endgame.tree, self.endgame.state.street_start
        words = {BY_FOLD: FOLD, BY_CALL: CALL}
        found = (int(tree.action[child]) for child in tree.children(self.node))
        return tuple(words[a] if a in words else a + begun for a in found)

    def after(self, action: int) -> "Stage | None":
        """The stage after an action at the table; None where the tree has no such action."""
        if action not in self.actions:
            return None
        tree = self.endgame.tree
        node = int(tree.first_child[self.node]) + self.actions.index(action)
        return self._replace(node=node)


Outcome = Stage | Unsolved


@dataclass(frozen=True)
class Approach:
    """How endgames are solved."""

    technique: Technique
    menus: Callable[[State], Sequence[Sizing | None]]  # from a state on, the richest first
    limits: Limits
    trust: float = 0.0  # see `Offer`
    threads: int = 1
    program: Program = field(default_factory=Program)  # of unsafe-lp
    rake: Rake = NO_RAKE  # of unsafe
    doubt: float = 0.0  # in the opponent's range, of the techniques that believe it
    playable: float = PLAYABLE  # the widest gap of a solve that is played

    @property
    def standard(self) -> Standard:
        """When a solve ends, and how good it must be."""
        return Standard(self.limits, self.playable)


class _MenuPlan(NamedTuple):
    """A solve with a menu: as many iterations as it takes, at a cost by its tree's size."""

    sizing: Sizing | None
    iterations: int
    nodes: int

    @property
    def seconds(self) -> float:
        """What all iterations cost, in units of a node's iteration."""
        return float(self.iterations * self.nodes)


class Stages:
    """The endgames of the hand being played, for the player at a position."""

    def __init__(self, approach: Approach) -> None:
        self.approach = approach
        self.seat = 0
        self.root: Stage | None = None  # where the newest endgame begins
        self._time = UNTIMED  # of the decision being solved

    def begin(self) -> None:
        """A new hand."""
        self.root = None

    def observe(self, tell: Callable[[TracePoint], None]) -> None:
        """Observe the gaps of every solve from now on as they are measured."""
        limits = replace(self.approach.limits, observe=tell)
        self.approach = replace(self.approach, limits=limits)

    def solve(self, state: State, board: Cards, entry: EndgameEntry, time: MoveTime) -> Outcome:
        """The stage of a decision of ours; what must be solved for it is solved in time."""
        self.seat, self._time = state.actor, time
        solve = self._solve_nested if self.approach.technique.is_safe else self._solve_street
        return solve(state, board, entry)

    def entry_after(self, moves: list[Move], board: Cards) -> EndgameEntry | None:
        """How the players leave a street that was solved, by all its moves, for the next one."""
        if self.root is None or len(self.root.endgame.board) + 1 != len(board):
            return None
        endgame = self.root.endgame
        befores = [move.state for move in moves]
        if endgame.state not in befores or not isinstance(endgame, LiveEndgame):
            return None
        stage = self._follow(self.root, moves[befores.index(endgame.state) :])
        if stage is None:
            return None
        values = None
        if self.approach.technique.is_safe:
            values = endgame.entry_values(stage.node, board[-1], 1 - self.seat)
        return EndgameEntry(self.ranges(stage, board), values, stage.gifts)

    def ranges(self, stage: Stage, board: Cards) -> tuple[Floats, Floats]:
        """What both hold [1326] at a stage, on its board or on the next street's."""
        return stage_ranges(stage, self.seat, board)

    def _known(self, board: Cards) -> Stage | None:
        """Where the newest endgame begins, if it is one of this board."""
        return self.root if self.root is not None and self.root.endgame.board == board else None

    def _plans(self, state: State, made: tuple[Move, ...] = ()) -> list[_MenuPlan]:
        """Solves of an endgame with each of its menus."""
        approach = self.approach
        most = approach.limits.iterations or MOST_ITERATIONS
        return [
            _MenuPlan(sizing, most, state_tree(state, sizing, made).num_nodes)
            for sizing in approach.menus(state)
        ]

    def _solve_street(self, state: State, board: Cards, entry: EndgameEntry) -> Outcome:
        """Unsafe: the street as it is known, or solved once more with the bets made."""
        moves, root = street_moves(state), self._known(board)
        start = moves[0].state if moves else state
        if root is not None and root.endgame.state == start:
            known = self._follow(root, moves)
            if known is not None:
                return known
        solved = self._solve_trusting(Entrance(start, board, entry), tuple(moves))
        if isinstance(solved, Unsolved):
            return solved
        self.root, stage = solved, self._follow(solved, moves)
        if stage is None:
            raise AssertionError("the bets made are in the tree")
        return stage

    def _solve_trusting(self, entrance: Entrance, made: tuple[Move, ...]) -> Outcome:
        """A street as the ranges say, with the bets made in it; we may hold anything."""
        approach, (start, board, (ranges, _, gifts)) = self.approach, entrance
        own, other = with_every_hand(ranges[self.seat], board), ranges[1 - self.seat]
        if approach.doubt:
            other = with_every_hand(other, board, approach.doubt)
        both = (own, other) if self.seat == 0 else (other, own)

        def build(plan: _MenuPlan) -> tuple[LiveEndgame, Solve]:
            game = LiveEndgame(
                start, board, both, plan.sizing, approach.threads, made, rake=approach.rake
            )
            return game, game.solve

        plans, told = self._plans(start, made), np.ones(NUM_HANDS)
        if approach.technique.by_program and len(board) == RIVER_CARDS:
            return self._solve_program(plans, lambda plan: build(plan)[0], gifts)
        solved = solve_well(plans, build, approach.standard, self._time)
        if isinstance(solved, Unsolved):
            return solved
        return Stage(solved.endgame, 0, solved.gap, gifts, told, how=solved.how)

    def _solve_program(
        self, plans: list[_MenuPlan], build: Callable[[_MenuPlan], LiveEndgame], gifts: Floats
    ) -> Outcome:
        """A river by linear programming, judged by its gap on real cards."""

        def begin(plan: _MenuPlan) -> tuple[RiverProgram, Solve]:
            river = RiverProgram(build(plan), self.approach.program)
            return river, river.solve

        solved = solve_well(plans, begin, self.approach.standard, self._time)
        if isinstance(solved, Unsolved):
            return solved
        river, found = solved.endgame, solved.endgame.best
        if found is None:
            raise AssertionError("what is found was tried")
        words = [river.more if solved.how == MORE_TIME else solved.how, found.downgrade]
        how = "; ".join(word for word in words if word not in ("", AS_PLANNED)) or AS_PLANNED
        return Stage(found, 0, solved.gap, gifts, np.ones(NUM_HANDS), how=how)

    def _solve_nested(self, state: State, board: Cards, entry: EndgameEntry) -> Outcome:
        """Safe: the street from its start, and an endgame within for each bet off the menu."""
        moves = street_moves(state)
        befores = [*(move.state for move in moves), state]
        root: Outcome | None = self._known(board)
        if not isinstance(root, Stage) or root.endgame.state not in befores:
            root = self.enter(Entrance(befores[0], board, entry))
            if isinstance(root, Unsolved):
                return root
        nested = NestedSolve(self, root)
        stage = nested.observe(moves[befores.index(root.endgame.state) :])
        if isinstance(stage, Stage):
            self.root = nested.root
        return stage

    def carry(self, place: Stage, action: Move) -> Entrance | Unsolved:
        """The endgame after a bet that the stage's tree does not have.

        In place of it every hand of the opponent gets CBV(I), what it had before the bet by its
        best play, and what it gave away is carried on.
        """
        if action.state.actor == self.seat:
            return OWN_BET
        endgame = place.endgame
        if not isinstance(endgame, LiveEndgame):
            raise AssertionError("safe techniques solve all hands")
        ranges = self.ranges(place, endgame.board)
        entry = EndgameEntry(ranges, endgame.best_values(place.node), place.gifts)
        return Entrance(action.state.apply(action.action), endgame.board, entry)

    def enter(self, entry: Entrance) -> Outcome:
        """An endgame that the opponent enters with the hands it likes, on the technique's terms."""
        state, board, (ranges, alternatives, gifts) = entry
        if alternatives is None:
            raise AssertionError("safe techniques need the opponent's alternative values")
        approach, belief = self.approach, ranges[1 - self.seat]
        own, live = with_every_hand(ranges[self.seat], board), live_hands(board)
        both = (own, live) if self.seat == 0 else (live, own)
        offer = Offer(alternatives, gifts, belief, approach.trust)

        def build(plan: _MenuPlan) -> tuple[LiveEndgame, Solve]:
            game = LiveEndgame(state, board, both, plan.sizing, approach.threads)
            return game, partial(game.solve_safely, self.seat, approach.technique, offer)

        solved = solve_well(self._plans(state), build, approach.standard, self._time)
        if isinstance(solved, Unsolved):
            return solved
        left = gifts_left(offer, solved.endgame, 1 - self.seat)
        return Stage(solved.endgame, 0, solved.gap, left, belief, how=solved.how)

    def follow(self, place: Stage, action: Move) -> Stage | None:
        """Where a move leads in an endgame, and the opponent's gifts; None if it leaves it."""
        following = place.after(action.action)
        if following is None:
            return None
        if action.state.actor != self.seat and self.approach.technique.uses_gifts:
            return following._replace(gifts=place.gifts + given_by(place, following.node))
        return following

    def _follow(self, stage: Stage, moves: Iterable[Move]) -> Stage | None:
        """Where moves lead in an endgame; None if they leave it."""
        for move in moves:
            following = self.follow(stage, move)
            if following is None:
                return None
            stage = following
        return stage


@runtime_checkable
class SolvesEndgames(Protocol):
    """An agent whose endgames can be inspected."""

    stages: Stages


def stage_ranges(stage: Stage, seat: int, board: Cards) -> tuple[Floats, Floats]:
    """What both hold [1326] at a stage of the player at a seat, on its board or on the next.

    A safe solve has left the opponent's range to its choice: its belief replaces it.
    """
    endgame = stage.endgame
    came = [came_with(player, weights) for player, weights in enumerate(endgame.ranges)]
    believed = came_with(1 - seat, stage.belief)
    played = tree_line(endgame.tree, stage.node, endgame.strategy)
    one, two = ranges_along(board, [*came, believed, *played])
    return one.weights, two.weights


def gifts_left(offer: Offer, endgame: LiveEndgame, other: int) -> Floats:
    """What is left of the opponent's gifts [1326] after a safe solve, in chips.

    The solve may leave a hand its alternative and what it gave away on its way here. What it left
    of that has been given back, and later solves must not give it back once more.
    """
    unspent = offer.alternatives + offer.gifts - endgame.root_values(other)
    left: Floats = np.clip(unspent, 0.0, np.maximum(offer.gifts, 0.0))
    return left


def given_by(stage: Stage, child: int) -> Floats:
    """What the opponent's hands give away by an action within an endgame: [1326], in chips."""
    endgame = stage.endgame
    if not isinstance(endgame, LiveEndgame):
        return np.zeros(len(stage.gifts))
    place = child - int(endgame.tree.first_child[stage.node])
    gifts: Floats = given_away(endgame.action_values(stage.node), place)
    return gifts
