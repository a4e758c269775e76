"""Endgames from the turn on, one for every decision, each within the one before.

The first is the turn from its start, solved as the ranges say that the blueprint leads to: of what
the opponent could have had elsewhere only the blueprint's coarse values are known there, and they
would cost more than they protect. From then on the values that
the opponent's hands can get are exact, and every decision is solved again by a gadget on them:

- after the opponent's answer on the same street, at that decision: in place of it a hand has
  CBV(I, a), or, where the last tree has no such bet, CBV(I), its best before the bet;
- on a new street, from its start with the opponent's bet in the tree: in place of it a hand has
  what the last solve leaves it on that card.

A hand has its gifts besides. By the theorem no hand need get more where the opponent may bet what
it could in the last tree, as in limit games. Its bets off that tree, and the larger menus of later
trees, may be worth more to it whatever is played; then the largest gain of a hand and the mean gain
are made small together (`half_dealt`).

Where a solve after an answer would leave a hand more than the last one did, by more than its gap,
or does not come within its bound in time, play goes on in the last solve if that has the bet made.
A new street has no such solve: the last tree lacks most of its bets, and going on in it loses more
to them than solving with its own menu.

Whatever is solved depends on the line, the board and the ranges alone, never on what was asked for
before. The clock only decides what is done about a solve whose gap is too wide (`attempts`).
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent.attempts import EARLIER, PLAYABLE, Solve, Standard, solve_well
from endspiel.agent.clock import UNTIMED, MoveTime
from endspiel.agent.exploiting import Exploiter, Left, Passage, live_endgame
from endspiel.agent.moves import Move, moves_of
from endspiel.agent.planning import (
    WORK,
    SolvePlan,
    StreetWork,
    menus_for,
    plan_solve,
    without_negligible,
)
from endspiel.agent.stages import (
    OWN_BET,
    Cards,
    EndgameEntry,
    Floats,
    Outcome,
    Stage,
    gifts_left,
    given_by,
    stage_ranges,
)
from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.nested_solve import NestedSolve, Unsolved
from endspiel.endgame.safe.techniques import REACH_MAXMARGIN, Technique, half_dealt
from endspiel.engine.limits import Limits, TracePoint
from endspiel.ranges.line import FAINTEST, with_every_hand
from endspiel.rules.state import CALL, FOLD, State

TURN: Final = 2
REMEMBERED: Final = 40_000_000  # entries of endgames that are kept during a hand, 8 bytes each
THREADS: Final = 2  # on any machine, since their number decides the order of sums
TARGET: Final = Limits(target_units=0.003)
TRUSTED: Final = "as the ranges say"


class TableDecision(NamedTuple):
    """A decision of ours, and what has happened since the one before: our action, then others'."""

    state: State
    board: Cards
    since: tuple[Move, ...]


class Nested(NamedTuple):
    """An endgame to solve, and how the players come there."""

    start: State
    board: Cards
    made: tuple[Move, ...]  # bets since its start
    ranges: tuple[Floats, Floats]  # [1326] hands that are solved, by position
    entry: EndgameEntry | None  # none trusts the ranges
    left: Left | None = None  # the last endgame
    going_on: Stage | None = None  # where play stands in the last endgame, if its tree goes on


# How both players come to the first street that is solved.
FirstEntry = Callable[[State, Cards, int], EndgameEntry | Unsolved]
_Key = tuple[int, str, Cards, tuple[int, ...]]  # seat, start, board, bets that are in no menu


@dataclass(frozen=True)
class NestedApproach:
    """How endgames are solved."""

    technique: Technique = REACH_MAXMARGIN  # of all but the first
    limits: Limits = TARGET
    work: StreetWork = WORK
    street: int = TURN  # the first to be solved
    trust: float = 0.0  # see `Offer`
    threads: int = THREADS
    menus: Callable[[State], Sequence[Sizing | None]] = menus_for
    doubt: float = 0.0  # in the opponent's range, of solves that believe it
    playable: float = PLAYABLE  # the widest gap of a solve that is played

    @property
    def standard(self) -> Standard:
        """When a solve ends, and how good it must be."""
        return Standard(self.limits, self.playable)


class NestedStages:
    """The endgames of the hand being played: a backend of `NestedSolve`, decision by decision."""

    def __init__(self, approach: NestedApproach, first_entry: FirstEntry) -> None:
        self.approach = approach
        self.seat = 0
        self.root: Stage | None = None  # where the newest endgame begins
        self.remembered = REMEMBERED
        self._first_entry = first_entry
        self._solved: OrderedDict[_Key, Stage] = OrderedDict()
        self._places: dict[tuple[str, Cards], Stage] = {}  # of decisions, by line and board
        self._left_out: set[tuple[str, Cards]] = set()  # decisions that were not solved in time
        self._time = UNTIMED
        self.exploiter: Exploiter | None = None  # none plays the solutions as they are

    def begin(self) -> None:
        """A new hand."""
        self.root = None
        self._solved.clear()
        self._places.clear()
        self._left_out.clear()

    def hurried(self, share: float) -> "NestedStages":
        """A copy with a share of the work: it reads these stages' solves, and adds none to them."""
        other, turn_river = copy(self), (share * work for work in self.approach.work)
        other.approach = replace(self.approach, work=StreetWork(*turn_river), playable=inf)
        other._solved, other._places = self._solved.copy(), self._places.copy()
        other._left_out = self._left_out.copy()
        return other

    def observe(self, tell: Callable[[TracePoint], None]) -> None:
        """Observe the gaps of every solve from now on as they are measured."""
        limits = replace(self.approach.limits, observe=tell)
        self.approach = replace(self.approach, limits=limits)

    def ranges(self, stage: Stage, board: Cards) -> tuple[Floats, Floats]:
        """What both hold [1326] at a stage, on its board or on the next street's."""
        return stage_ranges(stage, self.seat, board)

    def strategy(self, stage: Stage) -> Floats:
        """How often every hand takes each action where we are to act: [A, 1326].

        Hands of ours that are left out, because we hardly ever come with them, check and fold.
        """
        found, weights = stage.endgame.strategy(stage.node), stage.endgame.ranges[self.seat]
        left_out = (weights <= 0) & (live_hands(stage.endgame.board) > 0)
        passive = FOLD if FOLD in stage.actions else CALL
        found[:, left_out] = 0.0
        found[stage.actions.index(passive), left_out] = 1.0
        return found

    def solve(self, state: State, board: Cards, time: MoveTime) -> Outcome:
        """The stage of a decision of ours; what must be solved for it is solved in time."""
        self.seat, self._time = state.actor, time
        first, *rest = self._since_left_out(self._decisions(state, board))
        known = [at for at, one in enumerate(rest) if (one.state.line, one.board) in self._places]
        if known:
            begun, rest = rest[known[-1]], rest[known[-1] + 1 :]
            start: Outcome = self._places[begun.state.line, begun.board]
        else:
            start = self._first(first)
        found = start
        if isinstance(start, Stage):
            found = NestedSolve(self, start).observe(rest)
        if isinstance(found, Unsolved):
            self._left_out.add((state.line, board))
        else:
            self.root = found._replace(node=0)
        return found

    def _decisions(self, state: State, board: Cards) -> list[TableDecision]:
        """Our decisions from the first street that is solved to a state, with what led to each."""
        late = [move for move in moves_of(state) if move.state.round >= self.approach.street]
        ends = [at for at, move in enumerate(late) if move.state.actor == self.seat]
        befores = [*(late[at].state for at in ends), state]
        begins = [0, *ends]
        sizes = state.game.board_sizes
        return [
            TableDecision(before, board[: sizes[before.round]], tuple(late[begin:end]))
            for before, begin, end in zip(befores, begins, [*ends, len(late)], strict=True)
        ]

    def _since_left_out(self, decisions: list[TableDecision]) -> list[TableDecision]:
        """Our decisions after the last one that was left to the strategy file.

        Solving starts afresh there, with the ranges of the strategy file: at the decision itself
        on the same street, else where its street begins.
        """
        left = [(one.state.line, one.board) in self._left_out for one in decisions[:-1]]
        if not any(left):
            return decisions
        after = len(left) - left[::-1].index(True)
        before, (first, *rest) = decisions[after - 1], decisions[after:]
        street = first.state.round
        fresh = () if before.state.round == street else first.since
        since = tuple(move for move in fresh if move.state.round == street)
        return [first._replace(since=since), *rest]

    def follow(self, place: Stage, action: TableDecision) -> Stage | None:
        """Every decision is solved again, whether the last tree has what led to it or not."""
        return None

    def carry(self, place: Stage, action: TableDecision) -> Nested | Unsolved:
        """The endgame of the next decision, with what the last one leaves the opponent's hands."""
        own, *others = action.since
        stage = place.after(own.action)
        if stage is None:
            return OWN_BET
        if own.state.round == action.state.round:
            return self._after_answer(stage, others[0], action)
        return self._after_card(stage, others, action)

    def _after_answer(self, stage: Stage, answer: Move, decision: TableDecision) -> Nested:
        """The endgame after the opponent's answer on the same street."""
        endgame, following = live_endgame(stage), self._followed(stage, answer)
        values = endgame.action_values(stage.node)  # [A, 1326]
        if following is None:  # off-tree: CBV(I), without information
            left = Left(stage, values.max(axis=0))
        else:
            left = Left(following, values[stage.actions.index(answer.action)])
        ranges = self.ranges(left.stage, endgame.board)
        entry = EndgameEntry(ranges, left.values, left.stage.gifts)
        found = self._nested(entry, (decision.state, endgame.board, ()))
        return found._replace(left=left, going_on=following)

    def _after_card(self, stage: Stage, others: list[Move], decision: TableDecision) -> Nested:
        """The endgame from the start of a new street."""
        endgame, street = live_endgame(stage), stage.endgame.state.round
        start = decision.state
        for move in (move for move in others if move.state.round == street):
            following = self._followed(stage, move)
            if following is None:
                raise AssertionError("only a call closes a street, and every tree has it")
            stage = following
        made = tuple(move for move in others if move.state.round > street)
        if made:
            start = made[0].state
        board = decision.board
        values = endgame.entry_values(stage.node, board[-1], 1 - self.seat)
        entry = EndgameEntry(self.ranges(stage, board), values, stage.gifts)
        found = self._nested(entry, (start, board, made))
        return found._replace(left=Left(stage, values))

    def _followed(self, stage: Stage, move: Move) -> Stage | None:
        """The stage after an action of the opponent, with what it gave away by it."""
        following = stage.after(move.action)
        if following is None or not self.approach.technique.uses_gifts:
            return following
        return following._replace(gifts=stage.gifts + given_by(stage, following.node))

    def _nested(self, entry: EndgameEntry, at: tuple[State, Cards, tuple[Move, ...]]) -> Nested:
        """An endgame that the opponent may enter with any hand.

        An unsafe technique trusts the ranges once more.
        """
        start, board, made = at
        live, own = live_hands(board), entry.ranges[self.seat]
        if not self.approach.technique.is_safe:
            return Nested(start, board, made, self._believed(entry.ranges, board), None)
        return Nested(
            start, board, made, self._by_seat(without_negligible(own * live), live), entry
        )

    def _believed(self, ranges: tuple[Floats, Floats], board: Cards) -> tuple[Floats, Floats]:
        """Ranges of a solve that trusts them.

        The opponent's hands that hardly ever come are solved too where a safe solve, which any hand
        may enter, can follow.
        """
        live, doubt = live_hands(board), self.approach.doubt
        own = without_negligible(ranges[self.seat] * live)
        other = ranges[1 - self.seat] * live
        if self.approach.technique.is_safe or doubt:
            return self._by_seat(own, with_every_hand(other, board, max(doubt, FAINTEST)))
        return self._by_seat(own, without_negligible(other))

    def _by_seat(self, own: Floats, other: Floats) -> tuple[Floats, Floats]:
        return (own, other) if self.seat == 0 else (other, own)

    def _first(self, decision: TableDecision) -> Outcome:
        """The first street, solved from its start as the ranges say."""
        state, board, made = decision
        start = made[0].state if made else state
        entry = self._first_entry(start, board, self.seat)
        if isinstance(entry, Unsolved):
            return entry
        return self.enter(Nested(start, board, made, self._believed(entry.ranges, board), None))

    def enter(self, entry: Nested) -> Outcome:
        """An endgame as planned, followed to where play stands in it; as before if it is known."""
        approach, (start, board, made, ranges, *_) = self.approach, entry
        one, two = (int((weights > 0).sum()) for weights in ranges)
        plans = plan_solve(start, (one, two), approach.work, approach.menus)
        on_menu, with_made = (state_tree(start, plans[0].sizing, bets) for bets in ((), made))
        extra = made if with_made.num_nodes > on_menu.num_nodes else ()
        key = self.seat, start.line, board, tuple(move.action for move in extra)
        root: Outcome | None = self._solved.get(key)
        if root is None:
            root = self._solve(entry, plans)
            if entry.going_on is not None and not self._better(root):
                return self._go_on(entry.going_on, start, board)
            if isinstance(root, Stage) and self.exploiter is not None:
                limits = replace(approach.limits, deadline_seconds=self._time.latest)
                root = self.exploiter.respond(root, self.seat, entry.left, limits)
        if isinstance(root, Unsolved):
            return root
        self._remember(key, root)
        stage, state = root, start
        for move in made:
            following = self._followed(stage, move)
            if following is None:
                raise AssertionError("the bets made are in the tree")
            stage, state = following, state.apply(move.action)
        self._places[state.line, board] = stage
        return stage

    def _go_on(self, stage: Stage, state: State, board: Cards) -> Stage:
        """Play on in the last endgame, in place of solving the decision again."""
        self._places[state.line, board] = stage = stage._replace(how=EARLIER)
        return stage

    def _better(self, root: Outcome) -> bool:
        """Return whether a safe solve is better than playing on in the last endgame.

        Playing on leaves every hand of the opponent what it had. A solve that leaves one of them
        more, by more than its gap, is worse, unless the opponent's range is trusted anyway.
        """
        if isinstance(root, Unsolved) or self.approach.trust:
            return isinstance(root, Stage)
        measured = live_endgame(root).diagnostics
        return measured.get("margin", 0.0) >= -measured.get("gap", 0.0)

    def _solve(self, entry: Nested, plans: Sequence[SolvePlan]) -> Outcome:
        """An endgame solved: by its gadget, or as the ranges say where nothing else is known."""
        approach, nested = self.approach, entry.entry
        offer, technique = None, half_dealt(approach.technique)
        if nested is not None:
            if nested.alternatives is None:
                raise AssertionError("safe techniques need the opponent's alternative values")
            belief = nested.ranges[1 - self.seat]
            offer = Offer(nested.alternatives, nested.gifts, belief, approach.trust)

        def build(plan: SolvePlan) -> tuple[LiveEndgame, Solve]:
            endgame = LiveEndgame(
                entry.start, entry.board, entry.ranges, plan.sizing, approach.threads, entry.made
            )
            if offer is None:
                return endgame, endgame.solve
            return endgame, partial(endgame.solve_safely, self.seat, technique, offer)

        found = solve_well(plans, build, approach.standard, self._time)
        if isinstance(found, Unsolved):
            return found
        endgame, gap, how = found
        if offer is None:
            return Stage(endgame, 0, gap, np.zeros(NUM_HANDS), np.ones(NUM_HANDS), TRUSTED, how)
        left = gifts_left(offer, endgame, 1 - self.seat)
        note = f"by {technique.name} within the last one"
        return Stage(endgame, 0, gap, left, offer.belief, note, how)

    def passages(self, state: State, board: Cards, seat: int) -> list[Passage]:
        """The decisions of a seat that were solved on the way to a state, and what followed."""
        self.seat = seat
        places = [
            (self._places.get((one.state.line, one.board)), following.since)
            for one, following in pairwise(self._decisions(state, board))
        ]
        return [Passage(stage, moves) for stage, moves in places if stage is not None]

    def _remember(self, key: _Key, root: Stage) -> None:
        """Keep an endgame, and forget those not asked for longest where they are too many."""
        self._solved[key] = root
        self._solved.move_to_end(key)
        sizes = [live_endgame(stage).game.store_size for stage in self._solved.values()]
        while len(sizes) > 1 and sum(sizes) > self.remembered:
            _, gone = self._solved.popitem(last=False)
            sizes.pop(0)
            places = self._places.items()
            self._places = {at: one for at, one in places if one.endgame is not gone.endgame}
