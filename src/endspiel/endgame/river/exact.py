"""River endgames solved on a clock: exactly, by linear programming, or by iterations.

Iterations come first in any case. They take milliseconds, and their strategy is the answer where
the deadline comes before the linear program's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from endspiel.betting.menu import Sizing
from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.cards.deck import hand_index
from endspiel.cards.text import format_hand
from endspiel.endgame.river.buckets import (
    ALL_HANDS,
    CLUSTERINGS,
    PAPER_ALPHA,
    PAPER_T,
    POPULATIONS,
    RiverBuckets,
    bucket_number,
    equity_buckets,
    hand_buckets,
    kmeans_buckets,
    occupied_buckets,
)
from endspiel.endgame.river.game import RiverGame, num_sequences, river_tree
from endspiel.endgame.river.menus import river_menu
from endspiel.endgame.river.river import River
from endspiel.engine.limits import Limits
from endspiel.engine.run import run
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.errors import BettingError, CardError, GameError
from endspiel.game import Exploitability, Profile, exploitability
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.kernels.arrays import Float64s
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.lp import Equilibrium, Options, PrecisionWarning
from endspiel.solvers.lp import solve as solve_program
from endspiel.solvers.lp.highs import SolverError
from endspiel.solvers.lp.interior import InteriorSolver, Observe
from endspiel.solvers.lp.public_tree import newton_bytes, public_tree
from endspiel.solvers.lp.sparse_showdown import solve_sparse
from endspiel.solvers.methods import EXACT as EXACT_METHODS
from endspiel.solvers.solve import exact_solver

METHODS = ("lp", "dcfr")
REFINEMENTS = tuple(name for name in EXACT_METHODS if name != "lp")
UNFINISHED = "unfinished lp"  # made by the linear program's steps, which did not reach its end
SCOUTING = 1500  # iterations before the linear program
EXACT = 1e-10  # gap that the linear program is solved to, as a share of the pot
ENDED = ("time", "observer")  # ends of a program that is not continued
CERTIFIED = 1e-6  # widest gap of an answer that counts as the linear program's
SPARE_SECONDS = 0.005  # for the last measurement and the way back


@dataclass(frozen=True)
class RiverOptions:
    """How to solve a river endgame."""

    method: str = "lp"  # or "dcfr"
    menu: Sizing | None = None  # by pot and stack where None
    seconds: float = inf  # from the call to the answer
    budget: int | None = PAPER_T  # the paper's T; None: no card abstraction, every hand by itself
    alpha: float = PAPER_ALPHA
    target: float = 3e-3  # of dcfr, as a share of the pot
    clustering: str = "equal"  # Algorithm 5; or another of CLUSTERINGS; "all-hands" is no budget
    population: str = "range"  # see `equity_buckets`
    refine: str = ""  # of lp: one of REFINEMENTS in its place, as far as the time allows
    observe: Observe = lambda steps, gap: False  # gets each step of the program; True ends it

    def __post_init__(self) -> None:
        for name, value, known in (
            ("method", self.method, METHODS),
            ("clustering", self.clustering, CLUSTERINGS),
            ("population", self.population, POPULATIONS),
            ("refinement", self.refine, ("", *REFINEMENTS)),
        ):
            if value not in known:
                there = " or ".join(filter(None, known))
                raise GameError(f"a river has no {name} {value!r}: it is {there}")
        if self.refine and self.method != "lp":
            raise GameError(f"{self.refine} refines the linear program, not {self.method}")


@dataclass(frozen=True, eq=False)
class RiverSolution:
    """Both players' strategies in a river endgame, for every hand at every line."""

    game: RiverGame
    profile: Profile
    method: str  # what made the strategies: "lp", its refinement, UNFINISHED or "dcfr"
    value: float  # player 0's payoff as a share of the pot, beyond half of it
    exploitability: float  # mean of both best-response gains in the abstraction, share of the pot
    iterations: int  # of the method: steps of a linear program, or iterations of CFR
    seconds: float
    scouting_iterations: int = 0  # of CFR, before the linear program and not counted above

    @property
    def tree(self) -> BettingTree:
        """The betting."""
        return self.game.tree

    def actions(self, line: str) -> list[str]:
        """What may follow a line, such as ``c b1500``; in the order of `probabilities`."""
        return self.tree.words(self._decision(line))

    def probabilities(self, line: str, hand: Sequence[int] | None = None) -> Float64s:
        """The strategy of the player to act: [A] with a hand of two cards, [A, 1326] for all.

        Hands that the board rules out have zeros.
        """
        rows = self.rows(self._decision(line))
        if hand is None:
            return rows
        number = hand_index(*hand)
        if self.game.buckets[0].of[number] < 0:
            raise CardError(f"{format_hand(hand)} holds a card of the board")
        return rows[:, number]

    def rows(self, node: int) -> Float64s:
        """The strategy at a decision of the betting tree, by hand: [A, 1326]."""
        player = int(self.tree.player[node])
        of, K = self.game.buckets[player].of, self.game.buckets[player].count
        behavior = self.profile.behavior[player].reshape(-1, K)
        rows = behavior[self.game.street.decision_at(player, node).span]
        by_hand: Float64s = np.where(of >= 0, rows[:, of], 0.0)
        return by_hand

    def on_real_cards(self) -> Exploitability:
        """The strategies' exploitability on real cards, where hands need not play alike."""
        river, tree = self.game.river, self.game.tree
        hands = RiverGame(river, tree, (hand_buckets(river, 0), hand_buckets(river, 1)))
        behavior = []
        for player in (0, 1):
            held = np.flatnonzero(river.ranges[player] > 0)
            held = held[np.argsort(hands.buckets[player].of[held])]
            of, K = self.game.buckets[player].of[held], self.game.buckets[player].count
            behavior.append(self.profile.behavior[player].reshape(-1, K)[:, of].ravel())
        return exploitability(hands.game, Profile((behavior[0], behavior[1])))

    def _decision(self, line: str) -> int:
        node = self.tree.find(line)
        if self.tree.kind[node] != DECISION:
            raise BettingError(f"no player decides after {line!r}: the betting is over")
        return node


def solve_river(river: River, options: RiverOptions | None = None) -> RiverSolution:
    """Solve an endgame before a deadline; the result names the method that made it."""
    options = options or RiverOptions()
    start = perf_counter()
    found = finish_river(build_river(river, options), options, start)
    return replace(found, seconds=perf_counter() - start)


def finish_river(
    game: RiverGame, options: RiverOptions, start: float | None = None
) -> RiverSolution:
    """Solve an endgame that is built; the time runs from a start, which is now by default."""
    ends = (perf_counter() if start is None else start) + options.seconds - SPARE_SECONDS
    if options.method == "dcfr" and options.budget is None and game.river.stack:
        return _by_boards(game, options, ends)
    return _by_states(game, options, ends)


def build_river(river: River, options: RiverOptions, tree: BettingTree | None = None) -> RiverGame:
    """The endgame to be solved: menu, betting tree and buckets, as the options have them.

    A betting tree that is given takes the menu's place.
    """
    tree = tree or river_tree(river, options.menu or river_menu(river.pot, river.stack))
    sequences = num_sequences(cut_streets(tree)[0])
    buckets = [_buckets(river, player, sequences[player], options) for player in (0, 1)]
    return RiverGame(river, tree, (buckets[0], buckets[1]))


def _buckets(river: River, player: int, sequences: int, options: RiverOptions) -> RiverBuckets:
    if options.budget is None or options.clustering == ALL_HANDS:
        return hand_buckets(river, player)
    number = bucket_number(options.budget, sequences)
    if options.clustering == "kmeans":
        return kmeans_buckets(river, player, number, options.alpha)
    made = occupied_buckets if options.clustering == "occupied" else equity_buckets
    return made(river, player, number, options.alpha, options.population)


class _Made(NamedTuple):
    """Strategies, what made them, and in how many of its iterations or steps."""

    method: str
    profile: Profile
    steps: int


def _by_states(river: RiverGame, options: RiverOptions, ends: float) -> RiverSolution:
    """Iterations over buckets, then the linear program where it is asked for and in time."""
    start = perf_counter()
    exact = options.method == "lp"
    limits = Limits(
        target_units=None if exact else options.target,
        iterations=SCOUTING if exact else None,
        deadline_seconds=ends,
    )
    scouted = made = _scout(river, limits)
    if exact and scouted.steps == SCOUTING:  # else the time is up
        made = _exactly(river, scouted, ends, options.observe)
    answer = exploitability(river.game, made.profile)
    if exact and answer.mean <= CERTIFIED:
        made = made._replace(method="lp", steps=0 if made is scouted else made.steps)
        if options.refine and river.street.decisions[0]:
            refined = _refined(river, options.refine, ends)
            if refined is not None:
                made = _Made(options.refine, refined.profile, refined.iterations)
                answer = exploitability(river.game, made.profile)
    scouting = 0 if made is scouted else scouted.steps
    gap, seconds = max(answer.mean, 0.0), perf_counter() - start
    method, found, steps = made
    return RiverSolution(river, found, method, answer.value, gap, steps, seconds, scouting)


def _refined(river: RiverGame, refinement: str, ends: float) -> Equilibrium | None:
    """A better equilibrium of the same game by HiGHS; None where it is not found in time."""
    left = ends - perf_counter()
    if left <= 0:
        return None
    with catch_warnings():
        simplefilter("ignore", PrecisionWarning)  # its gap is measured and reported
        try:
            return exact_solver(refinement)(river.game, options=Options(time_limit=left))
        except SolverError:
            return None


def _scout(river: RiverGame, limits: Limits) -> _Made:
    """Iterate up to the limits."""
    if river.showdown is not None and river.street.decisions[0]:  # hands: by the board kernels
        on_boards = _BoardScout(river)
        _iterate(on_boards.solver, limits)
        return _Made("dcfr", on_boards.profile(), on_boards.solver.iteration)
    solver = CFR(river.game, SPOT_SCHEMES["dcfr"])
    _iterate(solver, limits)
    return _Made("dcfr", solver.average(), solver.iteration)


def _iterate(solver: CFR | BoardCFR, limits: Limits) -> float:
    """Iterations up to the limits; the gap, where there is a target."""
    if limits.target_units is None:
        return run(solver, lambda: inf, limits, every=SCOUTING)[0][-1].exploitability
    trace, _ = run(solver, lambda: max(solver.exploitability(), 0.0), limits)
    return trace[-1].exploitability


def newton_needs(river: RiverGame) -> int:
    """Bytes that the equations of the linear program take, known before it is begun."""
    decisions = sum(len(nodes) for nodes in river.street.decisions)
    actions = sum(size - 1 for size in river.street.size)
    return newton_bytes(decisions, actions, max(buckets.count for buckets in river.buckets))


def _exactly(river: RiverGame, scouted: _Made, ends: float, observe: Observe) -> _Made:
    """The linear program's answer; by HiGHS where rounding stops interior points.

    What was scouted, where no step of the program improves it.
    """
    if not river.street.decisions[0]:
        return scouted
    sizes = river.buckets[0].count, river.buckets[1].count
    tree = public_tree(river.tree, river.street, sizes)
    forms = np.stack([river.joint, river.advantage])
    program = InteriorSolver(river.game, river.street, tree, forms)
    found = program.solve(scouted.profile, EXACT, ends, observe)
    made = _Made(UNFINISHED, found.profile, found.steps)
    if found.profile is scouted.profile:
        made = scouted
    if found.gap <= CERTIFIED or perf_counter() >= ends or found.stopped in ENDED:
        return made
    try:
        whole = by_highs(river, Options(time_limit=ends - perf_counter(), shortlist=False))
    except SolverError:
        return made
    return _Made(UNFINISHED, whole.profile, whole.iterations) if whole.gap < found.gap else made


def by_highs(river: RiverGame, options: Options) -> Equilibrium:
    """Build the program in HiGHS, by running sums over hands that are not in buckets."""
    if river.showdown is None:
        return solve_program(river.game, options)
    return solve_sparse(river.game, river.street, river.showdown, options)


def _by_boards(river: RiverGame, options: RiverOptions, ends: float) -> RiverSolution:
    """Iterations over all hands by the board kernels."""
    start = perf_counter()
    found = _BoardScout(river)
    gap = _iterate(found.solver, Limits(target_units=options.target, deadline_seconds=ends))
    profile, value, steps = found.profile(), found.solver.value(), found.solver.iteration
    return RiverSolution(river, profile, "dcfr", value, gap, steps, perf_counter() - start)


class _BoardScout:
    """Iterations over all hands, each a bucket of its own, by the board kernels."""

    def __init__(self, river: RiverGame) -> None:
        self.river = river
        self.cards = card_tree(river.river.board, river.river.ranges, symmetry=False)
        self.solver = BoardCFR(CardGame(river.tree, self.cards), SPOT_SCHEMES["dcfr"])

    def profile(self) -> Profile:
        """The averages as behavior over buckets."""
        behavior = []
        for player, buckets in enumerate(self.river.buckets):
            by_place = self.solver.store.behavior(0, 0, player)
            ordered = np.empty_like(by_place)
            ordered[:, buckets.of[self.cards.streets[0][0].hands[player]]] = by_place
            behavior.append(np.concatenate([np.ones(buckets.count), ordered.ravel()]))
        return Profile((behavior[0], behavior[1]))
