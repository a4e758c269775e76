"""A river endgame of the hand in play, solved exactly in buckets of hands by linear programming.

Algorithms 1 and 5 of the 2015 paper on the tree that the table's own pot, stacks and bets give. T
alone gives betting with few sequences a program many times as large as the paper's: T is lowered
until the payoffs are no more than `entries`. A program that the clock cuts short gives way to the
iterative solver on the same buckets, and so does one of single hands that is too large. What is
played is measured twice: in the buckets, where the program is exact, and on real cards, where no
two hands have to play alike. A river is judged by its gap on real cards: above the table's bound it
is solved again, with more buckets, or for longer where the program was not finished.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.attempts import MORE_BUCKETS, MORE_TIME
from endspiel.betting.tree import BettingTree
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board
from endspiel.endgame.river.buckets import (
    ALL_HANDS,
    CLUSTERINGS,
    PAPER_ALPHA,
    PAPER_T,
    POPULATIONS,
)
from endspiel.endgame.river.exact import (
    REFINEMENTS,
    UNFINISHED,
    RiverOptions,
    RiverSolution,
    build_river,
    finish_river,
    newton_needs,
    solve_river,
)
from endspiel.endgame.river.game import RiverGame
from endspiel.endgame.river.river import River
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.rules.state import State
from endspiel.solvers.memory import check_memory

Floats = NDArray[np.float64]
# Kept back of a move, to measure its strategy on real cards: 0.03 s in the middle, at most this.
MEASURING: Final = 0.2
# Payoffs of a program: two seconds of a processor, whatever the betting, as measured; the paper's
# hand has 600,000. Menus of 75 sequences and more have no more by T = 7500.
ENTRIES: Final = 1_000_000
LOWERED: Final = 1.02  # least factor by which T is lowered
FINER: Final = 2  # factor of T where buckets are too coarse; of payoffs its square
# Options of a program that are words, and those that a clustering has no use for.
PROGRAM_WORDS: Final = {
    "clustering": CLUSTERINGS,
    "population": POPULATIONS,
    "refine": tuple(REFINEMENTS),
}
PLAYED_AS: Final = {"lp": "plain lp", UNFINISHED: "the best step of lp"}
UNUSED: Final = {"kmeans": ("population",), ALL_HANDS: ("T", "alpha", "population")}


@dataclass(frozen=True)
class Program:
    """What the linear program is made of: hands in buckets, its size, and which equilibrium."""

    budget: int = PAPER_T  # the paper's T: buckets of a player times its betting sequences
    alpha: float = PAPER_ALPHA
    refine: str = ""  # "undominated", "quasi-perfect", or any equilibrium
    clustering: str = "occupied"  # one of CLUSTERINGS; the paper's is "equal"
    population: str = "range"  # of intervals of equity: see `equity_buckets`
    entries: int = ENTRIES  # payoffs at most

    def finer(self) -> "Program":
        """Return a program of more buckets."""
        return replace(self, budget=FINER * self.budget, entries=FINER**2 * self.entries)

    def options(self) -> RiverOptions:
        """The solver's options, without a limit on its time."""
        return RiverOptions(
            budget=None if self.clustering == ALL_HANDS else self.budget,
            alpha=self.alpha,
            clustering=self.clustering,
            population=self.population,
            refine=self.refine,
        )


def program_words(given: Mapping[str, str]) -> dict[str, str]:
    """Those of an agent's options that are words of its program, checked."""
    found = {name: given[name] for name in PROGRAM_WORDS if name in given}
    for name, word in found.items():
        if word not in PROGRAM_WORDS[name]:
            raise EndspielError(
                f"option {name} is {' or '.join(PROGRAM_WORDS[name])}, not {word!r}"
            )
    clustering = found.get("clustering", "")
    for name in UNUSED.get(clustering, ()):
        if name in given:
            raise EndspielError(f"clustering={clustering} leaves option {name} nothing to decide")
    return found


@dataclass(frozen=True, eq=False)
class BucketedRiver:
    """A solved endgame in which hands of one bucket play alike."""

    table: LiveEndgame
    solution: RiverSolution
    real_gap: float  # exploitability on real cards, as a share of the pot
    downgrade: str = ""  # why it is not what the program asks for: a clause without figures

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def board(self) -> tuple[int, ...]:
        return self.table.board

    @property
    def tree(self) -> BettingTree:
        return self.table.tree

    @property
    def gap(self) -> float:
        """Exploitability within the buckets, as a share of the pot."""
        return self.solution.exploitability

    @property
    def measured(self) -> str:
        """Where the real gap was measured, and the gap in the buckets beside it."""
        if self.solution.game.showdown is not None:  # every hand is a bucket of its own
            return "on real cards"
        one, two = self.solution.game.buckets
        return f"on real cards, {100 * self.gap:.3g}% in {one.count} and {two.count} buckets"

    def strategy(self, node: int) -> Floats:
        """Probability of each action at a node: [A, 1326]."""
        return self.solution.rows(node)

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        return self.table.ranges


def bucketed(table: LiveEndgame, options: RiverOptions) -> RiverGame:
    """Return the endgame in the buckets that the options ask for."""
    state = table.state
    behind = state.game.stacks[0] - state.max_spent
    river = River.of(table.board, state.pot, behind, table.ranges)
    level = state.max_spent  # before the river's first bet both have put in the same
    tree = replace(
        table.tree,
        pot=2 * level,
        stack=table.tree.stack - level,
        spent=table.tree.spent - level,
    )
    return build_river(river, options, tree)


def payoffs(form: RiverGame) -> int:
    """Return how many payoffs an endgame has: one for two buckets at each end of the betting."""
    one, two = form.buckets
    return one.count * two.count * len(form.street.terminals)


def within(table: LiveEndgame, program: Program) -> tuple[RiverGame, RiverOptions]:
    """Return the endgame with T, or with the greatest smaller one that `entries` allows, nearly."""
    options = program.options()
    form = bucketed(table, options)
    while (
        options.budget is not None
        and options.budget > 1
        and (excess := payoffs(form) / program.entries) > 1
    ):
        budget = int(options.budget / max(sqrt(excess), LOWERED))
        options = replace(options, budget=max(budget, 1))
        form = bucketed(table, options)
    return form, options


def solve_exactly(table: LiveEndgame, limits: Limits, program: Program) -> BucketedRiver:
    """Solve an endgame by linear programming in buckets, or as well as clock and memory allow."""
    form, options = within(table, program)
    lowered = options.budget != program.options().budget
    downgrades = ["T is lowered to what entries allows"] if lowered else []
    refused = _refusal(form, options, program.entries)
    if refused:
        target = RiverOptions.target if limits.target_units is None else limits.target_units
        options = replace(options, method="dcfr", refine="", target=target)
    seconds = max(limits.seconds_left() - MEASURING, 0.0)
    found = finish_river(form, replace(options, seconds=seconds))
    if found.method != (asked := program.refine or "lp"):
        played = PLAYED_AS.get(found.method, found.method)
        downgrades.append(f"{asked} {refused or 'was not finished'}: {played} is played")
    real = found.exploitability if form.showdown is not None else found.on_real_cards().mean
    return BucketedRiver(table, found, max(real, 0.0), "; ".join(downgrades))


class RiverProgram:
    """A river that is solved by a program, and by a larger one where that is not good enough."""

    def __init__(self, table: LiveEndgame, program: Program) -> None:
        self.best: BucketedRiver | None = None
        self.more = MORE_TIME  # what the last try had more than the one before
        self._table, self._program = table, program
        self._last: BucketedRiver | None = None

    def solve(self, limits: Limits) -> float:
        """Return the gap on real cards of the best try so far, as a share of the pot.

        A further try has more buckets where those of the last one are too coarse, else more time.
        """
        if self._last is not None:
            self.more = MORE_TIME
            if self._last.gap < self._last.real_gap / 2:
                self.more, self._program = MORE_BUCKETS, self._program.finer()
        self._last = solve_exactly(self._table, limits, self._program)
        if self.best is None or self._last.real_gap < self.best.real_gap:
            self.best = self._last
        return self.best.real_gap


def _refusal(form: RiverGame, options: RiverOptions, entries: int) -> str:
    """Why the linear program is not even begun; nothing where it is."""
    if options.budget is None and payoffs(form) > entries:
        return "has more payoffs than entries"
    try:
        check_memory(newton_needs(form), None, "the linear program", "solve by dcfr")
    except EndspielError:
        return "does not fit in memory"
    return ""


def rehearse_programs() -> None:
    """Load what programs need, for few buckets and for many, before the clock runs."""
    hands = parse_range("88+,A8s+,KQo")
    river = River.of(parse_board("Ks Th 7s 4d 2c"), 100, 50, (hands, hands))
    for budget in (1000, None):
        one_step = RiverOptions(budget=budget, observe=lambda steps, gap: True)
        solve_river(river, one_step).on_real_cards()
