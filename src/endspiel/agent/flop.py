"""Flops at the table: the street solved to its end by a value net, and off-tree bets within it.

The street is solved from its start as the ranges say, the bets made before our first decision in
the tree. Play is followed through the solution for as long as it has the actions. An off-tree bet
of the opponent is put into the tree of a new solve that begins just before it, with the ranges that
led there: ours by the strategies we played. Nothing is carried over for a gadget, which with a
net's values costs more than it protects. How both leave the flop is how they come to the turn.

What is solved depends on the line, the board and the ranges alone, and planned by sizes, not by
the clock, which only decides what is done about a solve whose gap is too wide (`attempts`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent.attempts import Solve, Standard, solve_well
from endspiel.agent.clock import UNTIMED, MoveTime
from endspiel.agent.moves import Move, street_moves
from endspiel.agent.planning import NEAR_ALL_IN
from endspiel.agent.stages import OWN_BET, Cards, EndgameEntry, Outcome, Stage, stage_ranges
from endspiel.arrays import Float64s
from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.run_outs import run_out_shares
from endspiel.cards.streets import FLOP
from endspiel.endgame.safe.nested_solve import NestedSolve, Unsolved
from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.run import run
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.processors import one_blas_thread
from endspiel.ranges.line import with_every_hand
from endspiel.rules.state import State
from endspiel.values.depth import DepthLimited, NetValues
from endspiel.values.nets import ValueNet

SCHEME: Final = SCHEMES["dcfr"]
LEAST_ITERATIONS: Final = 100
MOST_ITERATIONS: Final = 400
LOOK: Final = 50  # iterations between two looks at the gap
# Seconds of one core that the net takes to answer, and for each line besides.
QUESTION_SECONDS: Final = 1.3e-3
LINE_SECONDS: Final = 1e-4
FLOP_SECONDS: Final = 1.6  # of a solve
_NOTHING: Final = StreetMenu.parse("", "")
BY_NET: Final = "as the ranges say, what follows the flop valued by a net"


def _flop_menu(bets: str, raises: str, most: int) -> Sizing:
    menus = (None, StreetMenu.parse(bets, raises), _NOTHING, _NOTHING)
    return Sizing(
        menus, max_raises=most, add_allin_threshold=NEAR_ALL_IN, force_allin_threshold=0.15
    )


@cache
def flop_menus() -> tuple[Sizing, ...]:
    """Menus of a flop, the richest first."""
    return (
        _flop_menu("33%, 66%, 100%, 200%", "50%, 100%", 4),
        _flop_menu("33%, 66%, 100%, 200%", "100%", 3),
        _flop_menu("50%, 100%, 200%", "100%", 3),
        _flop_menu("50%, 100%", "100%", 3),
        _flop_menu("50%, 100%", "100%", 2),
        _flop_menu("100%", "100%", 2),
    )


class FlopPlan(NamedTuple):
    """What is solved, and for how long."""

    sizing: Sizing
    lines: int  # that go on to the turn
    iterations: int

    @property
    def seconds(self) -> float:
        """About how long it takes on one core."""
        return self.iterations * _iteration_seconds(self.lines)

    def fits(self, work: float) -> bool:
        """Return whether seconds of one core allow the iterations that it needs."""
        return LEAST_ITERATIONS * _iteration_seconds(self.lines) <= work


def _iteration_seconds(lines: int) -> float:
    return 2 * (QUESTION_SECONDS + LINE_SECONDS * lines)


def plan_flop(
    state: State, work: float, menus: Callable[[], Sequence[Sizing]] = flop_menus
) -> tuple[FlopPlan, ...]:
    """The richest menu with which the work, in seconds of one core, allows enough iterations.

    Then the leaner ones; the leanest is alone where no menu is lean enough.
    """
    plans = []
    for sizing in menus():
        lines = _open_lines(state, sizing)
        iterations = int(min(max(work / _iteration_seconds(lines), 1), MOST_ITERATIONS))
        plans.append(FlopPlan(sizing, lines, iterations))
    last = len(plans) - 1
    fitting = (at for at, plan in enumerate(plans) if plan.fits(work))
    return tuple(plans[next(fitting, last) :])


@lru_cache(maxsize=256)
def _open_lines(state: State, sizing: Sizing) -> int:
    """Lines of a menu that go on to the turn; one decision after the other asks for a start's."""
    return len(cut_streets(state_tree(state, sizing))[0].out)


@dataclass(frozen=True, eq=False)
class FlopEndgame:
    """A flop from a state on, to its end; its averages are a strategy once it has been solved."""

    state: State
    board: Cards
    ranges: tuple[Float64s, Float64s]  # [1326] how often each player comes here with each hand
    sizing: Sizing
    net: ValueNet
    made: tuple[Move, ...] = ()  # bets since: in the tree whatever the menu

    @cached_property
    def tree(self) -> BettingTree:
        """The betting of the flop; later streets have none."""
        return state_tree(self.state, self.sizing, self.made)

    @cached_property
    def solver(self) -> Driver[DepthLimited]:
        """The solve, valued by the net."""
        street = DepthLimited(
            self.tree,
            self.ranges,
            self.board,
            lambda lines: NetValues(self.net, self.board, run_out_shares, lines),
        )
        return Driver(street, SCHEME)

    def solve(self, limits: Limits) -> float:
        """Solve it; what best responses on the flop would gain, as a share of the pot.

        Called again, it goes on from there.
        """
        with one_blas_thread():
            trace, _ = run(self.solver, self.solver.exploitability, limits, every=LOOK)
        return trace[-1].exploitability

    def strategy(self, node: int) -> Float64s:
        """Probability [A, 1326] of each action at a node of the flop."""
        street, player = self.solver.backend.street, int(self.tree.player[node])
        if node not in street.decisions[player]:
            raise GameError(f"no decision after {self.tree.line(node)!r} on this street")
        at = street.decisions[player].index(node)
        return self._strategies[player][at] * live_hands(self.board)

    @cached_property
    def _strategies(self) -> list[list[Float64s]]:
        return [self.solver.backend.strategy(player) for player in (0, 1)]


class FlopEntry(NamedTuple):
    """A flop to solve, and how the players come there."""

    start: State
    board: Cards
    made: tuple[Move, ...]  # bets since its start
    ranges: tuple[Float64s, Float64s]  # [1326] by position


@dataclass(frozen=True)
class FlopApproach:
    """How flops are solved."""

    net: ValueNet
    work: float = FLOP_SECONDS  # seconds of one core
    menus: Callable[[], Sequence[Sizing]] = flop_menus
    doubt: float = 0.0  # what every hand of the opponent weighs at least, of its likeliest one


FirstEntry = Callable[[State, Cards, int], EndgameEntry | Unsolved]


class FlopStages:
    """The flops of the hand being played: a backend of `NestedSolve`, move by move."""

    def __init__(
        self, approach: FlopApproach, first_entry: FirstEntry, standard: Callable[[], Standard]
    ) -> None:
        self.approach, self.standard = approach, standard
        self.seat = 0
        self.root: Stage | None = None  # where the newest solve begins
        self._first_entry = first_entry
        self._solved: dict[tuple[int, str, Cards, tuple[int, ...]], Stage] = {}
        self._left_out: dict[tuple[int, str, Cards, tuple[int, ...]], Unsolved] = {}
        self._time = UNTIMED

    def begin(self) -> None:
        """A new hand."""
        self.root = None
        self._solved.clear()
        self._left_out.clear()

    def solve(self, state: State, board: Cards, time: MoveTime) -> Outcome:
        """The stage of a decision of ours on a flop."""
        return self._along(street_moves(state), state, board, state.actor, time)

    def leave(
        self, state: State, board: Cards, seat: int, time: MoveTime
    ) -> EndgameEntry | Unsolved:
        """How both come to the start of a turn, by what they did on the flop."""
        moves = street_moves(state, FLOP)
        stage = self._along(moves, moves[0].state, board[:-1], seat, time)
        if isinstance(stage, Unsolved):
            return stage
        return EndgameEntry(stage_ranges(stage, seat, board), None, np.zeros(NUM_HANDS))

    def _along(
        self, moves: list[Move], here: State, board: Cards, seat: int, time: MoveTime
    ) -> Outcome:
        """Where moves lead from a flop's start."""
        self.seat, self._time = seat, time
        ours = [at for at, move in enumerate(moves) if move.state.actor == seat]
        first = ours[0] if ours else len(moves)
        start = moves[0].state if moves else here
        entry = self._first_entry(start, board, seat)
        if isinstance(entry, Unsolved):
            return entry
        root = self.enter(FlopEntry(start, board, tuple(moves[:first]), entry.ranges))
        if isinstance(root, Unsolved):
            return root
        return NestedSolve(self, root).observe(moves[first:])

    def follow(self, place: Stage, action: Move) -> Stage | None:
        """Where a move leads in a solution; None if it is off its tree."""
        return place.after(action.action)

    def carry(self, place: Stage, action: Move) -> FlopEntry | Unsolved:
        """The solve that begins just before an off-tree bet of the opponent."""
        if action.state.actor == self.seat:
            return OWN_BET
        board = place.endgame.board
        return FlopEntry(action.state, board, (action,), stage_ranges(place, self.seat, board))

    def enter(self, entry: FlopEntry) -> Outcome:
        """A flop as planned, followed to where play stands in it; as before if it is known."""
        approach, (start, board, made, ranges) = self.approach, entry
        plans = plan_flop(start, approach.work, approach.menus)
        on_menu, with_made = (state_tree(start, plans[0].sizing, bets) for bets in ((), made))
        extra = made if with_made.num_nodes > on_menu.num_nodes else ()
        key = self.seat, start.line, board, tuple(move.action for move in extra)
        if key in self._left_out:  # trying again would take the turn's time
            return self._left_out[key]
        if key not in self._solved:
            own, other = with_every_hand(ranges[self.seat], board), ranges[1 - self.seat]
            if approach.doubt:
                other = with_every_hand(other, board, approach.doubt)
            both = (own, other) if self.seat == 0 else (other, own)

            def build(plan: FlopPlan) -> tuple[FlopEndgame, Solve]:
                flop = FlopEndgame(start, board, both, plan.sizing, approach.net, made)
                return flop, flop.solve

            found = solve_well(plans, build, self.standard(), self._time)
            if isinstance(found, Unsolved):
                self._left_out[key] = found
                return found
            zero, one = np.zeros(NUM_HANDS), np.ones(NUM_HANDS)
            self._solved[key] = Stage(found.endgame, 0, found.gap, zero, one, BY_NET, found.how)
        self.root = stage = self._solved[key]
        for move in made:
            following = stage.after(move.action)
            if following is None:
                raise AssertionError("the bets made are in the tree")
            stage = following
        return stage
