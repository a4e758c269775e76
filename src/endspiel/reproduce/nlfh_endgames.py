"""Endgame solving on real cards: the gadgets of the 2017 paper at the endgames' entrances.

The opponent enters by suit classes. Several endgames are solved side by side: arrays have a row for
each [E].
"""

from dataclasses import dataclass

import numpy as np

from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.techniques import SMALL_GIFT, Entries, Technique, named
from endspiel.engine.backend import alternate
from endspiel.engine.gadget import GadgetSolve, MeasuredBackend, Terms
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.reproduce.nlfh_alternatives import BaseStrategy, plain, with_reach
from endspiel.reproduce.nlfh_solvers import SCHEME, Endgames, LineSolver, schedule
from endspiel.reproduce.nlfh_symmetry import SuitClasses

NEVER = 1e-12  # chance below which nothing is divided by it
MILLI = 1000.0


@dataclass(frozen=True)
class Refined:
    """Solved endgames; the refined player's strategy is the solver's average."""

    solver: LineSolver
    min_margin: Floats  # [E] milli big blinds of the opponent, once it has come
    passed: Floats  # [E] by how much the worst entry is over its limit, likewise
    gap: Floats  # [E] of the gadget game, in its own units


def unsafe(base: BaseStrategy, endgames: Endgames, iterations: int) -> LineSolver:
    """The endgames as both base strategies reach them, solved for both players.

    Of a player who never comes, Bayes' rule says nothing: every hand then counts the same.
    """
    solver = LineSolver(base.game, endgames, base.flops)
    for player in (0, 1):
        come = base.ranges_into(endgames, player)
        solver.set_root(player, np.where(come.any(axis=1, keepdims=True), come, 1.0))
    solver.start_from(base.solver)
    alternate(solver, schedule(iterations))
    return solver


class EnteredByClass:
    """Endgames into which one player comes by suit class [..., C], the other by hand [..., K]."""

    def __init__(self, solver: MeasuredBackend, classes: SuitClasses, player: int) -> None:
        self.solver, self.classes, self.player = solver, classes, player
        self.longest_average, self.accept = solver.longest_average, solver.accept

    def root(self, player: int) -> Floats:
        root = self.solver.root(player)
        return self.classes.total(root) if player == self.player else root

    def set_root(self, player: int, reach: Floats) -> None:
        by_hand = self.classes.spread(reach) if player == self.player else reach
        self.solver.set_root(player, by_hand)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        return self._told(player, self.solver.learn(player, discounts))

    def best_values(self, player: int) -> Floats:
        return self._told(player, self.solver.best_values(player))

    def _told(self, player: int, values: Floats) -> Floats:
        return self.classes.mean(values) if player == self.player else values


def refine(
    base: BaseStrategy, endgames: Endgames, player: int, technique: str, iterations: int
) -> Refined:
    """Solve endgames for a player by the gadget of a safe technique."""
    solver, opponent = LineSolver(base.game, endgames, base.flops), 1 - player
    backend = EnteredByClass(solver, SuitClasses(base.hands), opponent)
    terms = _terms(base, endgames, opponent, named(technique))
    backend.set_root(player, base.ranges_into(endgames, player))
    gadget = GadgetSolve(backend, SCHEME, player, terms)
    solver.start_from(base.solver)
    gadget.advance(iterations)
    values = backend.best_values(opponent)
    over = (values - np.minimum(terms.target, terms.limit)) / terms.weight
    margins, passed = gadget.root.margins(values).min(axis=1), over.max(axis=1)
    return Refined(solver, MILLI * margins, MILLI * passed, MILLI * gadget.gap())


def _terms(base: BaseStrategy, endgames: Endgames, opponent: int, technique: Technique) -> Terms:
    """On what terms the opponent may take each class [E, C]."""
    classes = SuitClasses(base.hands)
    by_hand = [
        (with_reach if technique.uses_gifts else plain)(base, endgame, opponent)
        for endgame in endgames
    ]
    found = Alternatives(
        classes.mean(np.stack([x.base for x in by_hand])),
        classes.mean(np.stack([x.target for x in by_hand])),
        classes.mean(np.stack([x.limit for x in by_hand])),
    )
    mass = np.stack([base.mass(endgame, opponent) for endgame in endgames])
    weight = np.maximum(classes.mean(mass), NEVER)
    floor = classes.mean(np.stack([base.floor(endgame, opponent) for endgame in endgames]))
    small = SMALL_GIFT * ((found.target - floor) / weight).max(axis=1, keepdims=True)
    everywhere = np.ones(weight.shape, dtype=bool)
    return technique.terms(
        Entries(found, weight, everywhere, classes.hands.astype(float), small, small * weight)
    )
