"""Endgame solving on real cards: the gadgets of the 2017 paper at the endgames' entrances.

The opponent's reach into an endgame is its choice in the gadget: by regret matching over suit
classes, between the halves of an iteration. What the classes are worth comes from the opponent's
half; the player then learns against the opponent's new reach. Several endgames are solved side by
side: arrays have a row for each [E].
"""

from dataclasses import dataclass

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.endgame.alternatives import Alternatives
from endspiel.endgame.entrance import Entrance, Terms
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats
from endspiel.kernels.board_arrays import Ints
from endspiel.reproduce.nlfh_alternatives import BaseStrategy, plain, with_reach
from endspiel.reproduce.nlfh_solvers import SCHEME, Endgames, LineSolver

SAFE = ("resolve", "maxmargin", "reach-maxmargin", "reach-maxmargin-improved")
TECHNIQUES = ("unsafe", *SAFE)
SMALL_GIFT = 1e-3  # of the largest margin there could be: less is no reason to let an entry go
PENALTY = 1.0  # mass of a held class, where all free classes together have 1
NEVER = 1e-12  # chance below which nothing is divided by it
MILLI = 1000.0


@dataclass(frozen=True)
class Refined:
    """Solved endgames; the refined player's strategy is the solver's average."""

    solver: LineSolver
    min_margin: Floats  # [E] milli big blinds of the opponent, once it has come
    passed: Floats  # [E] by how much the worst entry is over its limit, likewise
    gap: Floats  # [E] of the gadget game, in its own units


class SuitClasses:
    """The suit classes of the hands before the flop: arrays by hand [..., K] and class [..., C]."""

    def __init__(self, hands: Ints) -> None:
        _, self.of, self.hands = np.unique(
            hand_classes()[hands], return_inverse=True, return_counts=True
        )
        self._member = (self.of[:, None] == np.arange(len(self.hands))) / self.hands  # [K, C]

    def mean(self, by_hand: Floats) -> Floats:
        """Class means."""
        found: Floats = by_hand @ self._member
        return found

    def spread(self, by_class: Floats) -> Floats:
        """Each hand's equal part of its class."""
        part: Floats = (by_class / self.hands)[..., self.of]
        return part


def unsafe(base: BaseStrategy, endgames: Endgames, iterations: int) -> LineSolver:
    """The endgames as both base strategies reach them, solved for both players.

    Of a player who never comes, Bayes' rule says nothing: every hand then counts the same.
    """
    solver = base.backend.lines(base.game, endgames)
    for player in (0, 1):
        come = base.ranges_into(endgames, player)
        solver.set_range(player, np.where(come.any(axis=1, keepdims=True), come, 1.0))
    solver.start_from(base.solver)
    for _ in range(iterations):
        for player in (0, 1):
            solver.learn(player)
        solver.iteration += 1
    return solver


def refine(
    base: BaseStrategy, endgames: Endgames, player: int, technique: str, iterations: int
) -> Refined:
    """Solve endgames for a player by the gadget of a safe technique."""
    solver, opponent = base.backend.lines(base.game, endgames), 1 - player
    classes = SuitClasses(base.hands)
    entrance = Entrance(_terms(base, endgames, opponent, technique))
    solver.set_range(player, base.ranges_into(endgames, player))
    solver.set_range(opponent, classes.spread(entrance.choice().sum(axis=0)))
    solver.start_from(base.solver)
    for _ in range(iterations):
        by = SCHEME.at(solver.iteration + 1)
        entrance.remember(by)
        values = classes.mean(solver.learn(opponent))
        entrance.learn(values, by)
        solver.set_range(opponent, classes.spread(entrance.choice().sum(axis=0)))
        solver.learn(player)
        solver.iteration += 1
    return _measured(base, endgames, solver, entrance, player)


def _measured(
    base: BaseStrategy, endgames: Endgames, solver: LineSolver, entrance: Entrance, player: int
) -> Refined:
    """The average strategies' worth: the entries' values, and the gadgets' gaps."""
    opponent, terms, classes = 1 - player, entrance.terms, SuitClasses(base.hands)
    values = classes.mean(solver.best(opponent))
    most = entrance.best(values)
    free, held = entrance.average / entrance.weight
    solver.set_range(opponent, classes.spread(free + held))
    worth = (base.ranges_into(endgames, player) * solver.best(player)).sum(axis=1)
    least = -(worth + (free * terms.target + held * terms.limit).sum(axis=1))
    margins = (np.where(terms.free, terms.target, terms.limit) - values) / terms.weight
    over = (values - np.minimum(terms.target, terms.limit)) / terms.weight
    return Refined(
        solver, MILLI * margins.min(axis=1), MILLI * over.max(axis=1), MILLI * (most - least)
    )


def _terms(base: BaseStrategy, endgames: Endgames, opponent: int, technique: str) -> Terms:
    """On what terms the opponent may take each class [E, C]."""
    if technique not in SAFE:
        raise GameError(f"there is no safe technique {technique!r}: there are {', '.join(SAFE)}")
    reach, classes = technique.startswith("reach"), SuitClasses(base.hands)
    by_hand = [(with_reach if reach else plain)(base, e, opponent) for e in endgames]
    found = Alternatives(
        classes.mean(np.stack([x.base for x in by_hand])),
        classes.mean(np.stack([x.target for x in by_hand])),
        classes.mean(np.stack([x.limit for x in by_hand])),
    )
    mass = np.stack([base.mass(endgame, opponent) for endgame in endgames])
    weight = np.maximum(classes.mean(mass), NEVER)
    none, everywhere = np.zeros(weight.shape, dtype=bool), np.ones(weight.shape, dtype=bool)
    if technique == "resolve":
        each = np.broadcast_to(classes.hands.astype(np.float64), weight.shape)  # every hand
        return Terms(none, found.target, weight, everywhere, found.limit, each)
    free, held = everywhere, none
    if reach:
        floor = classes.mean(np.stack([base.floor(e, opponent) for e in endgames]))
        most = ((found.target - floor) / weight).max(axis=1, keepdims=True)
        held = found.gifts / weight > SMALL_GIFT * most
        if technique.endswith("improved"):
            free = ~held | held.all(axis=1, keepdims=True)
    return Terms(free, found.target, weight, held, found.limit, PENALTY / weight)
