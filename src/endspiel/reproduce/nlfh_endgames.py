"""Endgame solving on real cards: the gadgets of the 2017 paper at the endgames' entrances.

The opponent's reach into an endgame is its choice in the gadget: by regret matching over suit
classes, between the halves of an iteration. What the classes are worth comes from the opponent's
half; the player then learns against the opponent's new reach. Several endgames are solved side by
side: arrays have a row for each [E].
"""

from dataclasses import dataclass

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.endgame.gadget_root import GadgetRoot
from endspiel.endgame.reach import Alternatives
from endspiel.endgame.techniques import SMALL_GIFT, Entries, Technique, Terms, named
from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.kernels.arrays import Floats
from endspiel.kernels.board_arrays import Ints
from endspiel.reproduce.nlfh_alternatives import BaseStrategy, plain, with_reach
from endspiel.reproduce.nlfh_solvers import SCHEME, Endgames, LineSolver

NEVER = 1e-12  # chance below which nothing is divided by it
MILLI = 1000.0


@dataclass(frozen=True)
class Refined:
    """SolvedStreet endgames; the refined player's strategy is the solver's average."""

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
    for t in range(1, iterations + 1):
        for player in (0, 1):
            solver.learn(player, SCHEME.at(t, LONGEST_AVERAGE))
    return solver


def refine(
    base: BaseStrategy, endgames: Endgames, player: int, technique: str, iterations: int
) -> Refined:
    """Solve endgames for a player by the gadget of a safe technique."""
    solver, opponent = base.backend.lines(base.game, endgames), 1 - player
    classes = SuitClasses(base.hands)
    entrance = GadgetRoot(_terms(base, endgames, opponent, named(technique)))
    solver.set_range(player, base.ranges_into(endgames, player))
    solver.set_range(opponent, classes.spread(entrance.reach()))
    solver.start_from(base.solver)
    for t in range(1, iterations + 1):
        by = SCHEME.at(t, LONGEST_AVERAGE)
        entrance.remember(by)
        values = classes.mean(solver.learn(opponent, by))
        entrance.learn(values, by)
        solver.set_range(opponent, classes.spread(entrance.reach()))
        solver.learn(player, by)
    return _measured(base, endgames, solver, entrance, player)


def _measured(
    base: BaseStrategy, endgames: Endgames, solver: LineSolver, entrance: GadgetRoot, player: int
) -> Refined:
    """The average strategies' worth: the entries' values, and the gadgets' gaps."""
    opponent, terms, classes = 1 - player, entrance.terms, SuitClasses(base.hands)
    values = classes.mean(solver.best(opponent))
    most = entrance.best(values)
    solver.set_range(opponent, classes.spread(entrance.mean_reach()))
    worth = (base.ranges_into(endgames, player) * solver.best(player)).sum(axis=1)
    least = -(worth + entrance.costs())
    margins = entrance.margins(values)
    over = (values - np.minimum(terms.target, terms.limit)) / terms.weight
    return Refined(
        solver, MILLI * margins.min(axis=1), MILLI * over.max(axis=1), MILLI * (most - least)
    )


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
