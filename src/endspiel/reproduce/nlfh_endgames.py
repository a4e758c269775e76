"""Endgame solving on real cards: the gadgets of the 2017 paper at the board kernels' root.

The opponent's reach into an endgame is its choice in the gadget: by regret matching over suit
classes, between the halves of an iteration. What the classes are worth comes from the opponent's
walk over the boards; the player then learns against the opponent's new reach.
"""

from dataclasses import dataclass

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.endgame.alternatives import Alternatives
from endspiel.endgame.cut import Bools
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.board import BEST
from endspiel.kernels.board_arrays import Ints
from endspiel.reproduce.nlfh_alternatives import SCHEME, BaseStrategy, plain, with_reach
from endspiel.reproduce.nlfh_game import (
    FLOP,
    PREFLOP,
    UNIT,
    Endgame,
    disjoint_mass,
    root_range,
    set_root,
    street_rows,
    take_out,
)
from endspiel.solvers.board_cfr import BoardCFR

SAFE = ("resolve", "maxmargin", "reach-maxmargin", "reach-maxmargin-improved")
TECHNIQUES = ("unsafe", *SAFE)
SMALL_GIFT = 1e-3  # of the largest margin there could be: less is no reason to let an entry go
PENALTY = 1.0  # mass of a held class, where all free classes together have 1
NEVER = 1e-12  # chance below which nothing is divided by it
MILLI = 1000.0


@dataclass(frozen=True)
class Terms:
    """Which suit classes the opponent may take into the endgame, and on what terms."""

    free: Bools  # [C] taken by choice among these
    target: Floats  # [C] what taking a free one costs
    weight: Floats  # [C] what is paid for a free one is divided by this
    held: Bools  # [C] taken or not, each for itself
    limit: Floats  # [C] what taking a held one costs
    penalty: Floats  # [C] mass of each held class


@dataclass(frozen=True)
class Refined:
    """A solved endgame; the refined player's strategy is the solver's average."""

    solver: BoardCFR
    min_margin: float  # milli big blinds of the opponent, once it has come
    passed: float  # by how much the worst entry is over its limit, likewise
    gap: float  # of the gadget game, in its own units


class Classes:
    """The suit classes of the hands before the flop: arrays by hand [K] and by class [C]."""

    def __init__(self, hands: Ints) -> None:
        _, self.of, self.hands = np.unique(
            hand_classes()[hands], return_inverse=True, return_counts=True
        )

    def mean(self, by_hand: Floats) -> Floats:
        """Class means [C]."""
        return np.bincount(self.of, by_hand) / self.hands

    def spread(self, by_class: Floats) -> Floats:
        """Each hand's equal part [K] of its class."""
        part: Floats = (by_class / self.hands)[self.of]
        return part


class Entrance:
    """The opponent's choice at the gadget's root, class by class [C].

    It takes one of the free classes, for (v - target) / weight; beside that, it takes each held
    class or not, for v - limit or 0, as often as its penalty says.
    """

    def __init__(self, terms: Terms) -> None:
        count = len(terms.free)
        self.terms = terms
        self.free_regret = np.zeros(count)
        self.in_regret, self.out_regret = np.zeros(count), np.zeros(count)
        self.average = np.zeros((2, count))  # sums of free and held reaches
        self.weight = 0.0

    def choice(self) -> Floats:
        """Reaches [2, C] of the free and the held classes."""
        terms, come = self.terms, self._taken() / self.terms.weight
        return np.stack([come, np.where(terms.held, terms.penalty * self._share(), 0.0)])

    def _taken(self) -> Floats:
        """Probability [C] of taking each free class."""
        free = np.where(self.terms.free, np.maximum(self.free_regret, 0.0), 0.0)
        total = free.sum()
        if total > 0:
            return np.asarray(free / total)
        return self.terms.free / max(int(self.terms.free.sum()), 1)

    def _share(self) -> Floats:
        """Probability [C] of taking each held class rather than staying out."""
        come, stay = np.maximum(self.in_regret, 0.0), np.maximum(self.out_regret, 0.0)
        total = come + stay
        share: Floats = np.divide(come, total, out=np.full(len(come), 0.5), where=total > 0)
        return share

    def learn(self, values: Floats, by: Discounts) -> None:
        """Learn from what each class is worth in the endgame [C]."""
        terms, taken, share = self.terms, self._taken(), self._share()
        gains, over = (values - terms.target) / terms.weight, values - terms.limit
        # Regrets of the free never fall below zero: a class comes back at once when it is worth it.
        # Held classes, of which there are many, would then all come and go together.
        np.maximum(self.free_regret * by[0] + gains - taken @ gains, 0.0, out=self.free_regret)
        _add(self.in_regret, (1 - share) * over, by)
        _add(self.out_regret, -share * over, by)

    def remember(self, by: Discounts) -> None:
        """Add the present choice to the average."""
        self.average = self.average * by[2] + self.choice()
        self.weight = self.weight * by[2] + 1.0

    def best(self, values: Floats) -> float:
        """What the opponent gets in the gadget if it can have these values [C]."""
        terms = self.terms
        gains = (values - terms.target) / terms.weight
        free = float(gains[terms.free].max(initial=-np.inf))
        over = np.where(terms.held, terms.penalty * (values - terms.limit), 0.0)
        return (free if terms.free.any() else 0.0) + float(np.maximum(over, 0.0).sum())


def _add(regret: Floats, news: Floats, by: Discounts) -> None:
    regret *= np.where(regret > 0, by[0], by[1])
    regret += news


def unsafe(base: BaseStrategy, endgame: Endgame, iterations: int) -> BoardCFR:
    """The endgame as both base strategies reach it, solved for both players.

    Of a player who never comes, Bayes' rule says nothing: every hand then counts the same.
    """
    solver = _solver(base, endgame)
    for player in (0, 1):
        come = base.range_into(endgame, player)
        set_root(solver.game, player, come if come.any() else np.ones_like(come))
    _start_from_base(base, endgame, solver)
    solver.step(iterations)
    return solver


def refine(
    base: BaseStrategy, endgame: Endgame, player: int, technique: str, iterations: int
) -> Refined:
    """Solve an endgame for a player by the gadget of a safe technique."""
    solver, opponent = _solver(base, endgame), 1 - player
    classes = Classes(base.game.cards.streets[PREFLOP][0].hands[opponent])
    entrance = Entrance(_terms(base, endgame, opponent, technique, classes))
    set_root(solver.game, player, base.range_into(endgame, player))
    _come(solver, opponent, classes, entrance.choice())
    _start_from_base(base, endgame, solver)
    for _ in range(iterations):
        by = SCHEME.at(solver.iteration + 1)
        entrance.remember(by)
        solver.learn(opponent)
        entrance.learn(classes.mean(solver.root_values(opponent)), by)
        _come(solver, opponent, classes, entrance.choice())
        solver.learn(player)
        solver.iteration += 1
    return _measured(base, solver, entrance, classes, player)


def _measured(
    base: BaseStrategy, solver: BoardCFR, entrance: Entrance, classes: Classes, player: int
) -> Refined:
    """The average strategies' worth: the entries' values, and the gadget's gap."""
    opponent, terms = 1 - player, entrance.terms
    values = classes.mean(solver.hand_values(opponent, BEST))
    most = entrance.best(values)
    free, held = entrance.average / entrance.weight
    _come(solver, opponent, classes, np.stack([free, held]))
    worth = root_range(solver.game, player) @ solver.hand_values(player, BEST)
    least = -float(worth + free @ terms.target + held @ terms.limit)
    margins = (np.where(terms.free, terms.target, terms.limit) - values) / terms.weight
    over = (values - np.minimum(terms.target, terms.limit)) / terms.weight
    return Refined(
        solver, MILLI * float(margins.min()), MILLI * float(over.max()), MILLI * (most - least)
    )


def _solver(base: BaseStrategy, endgame: Endgame) -> BoardCFR:
    return BoardCFR(base.game.cut(endgame), SCHEME, base.solver.threads)


def _start_from_base(base: BaseStrategy, endgame: Endgame, solver: BoardCFR) -> None:
    """Regrets as if everybody had played the base strategy for one iteration, and lost the pot.

    From even strategies, an endgame of eight ranks had a gap of 37 after 100 iterations, not 26.
    """
    game = solver.game
    for player in (0, 1):
        take_out(base.solver, solver, player)
        others = root_range(game, 1 - player).sum()
        size = np.float32(others * game.tree.chance[FLOP] * endgame.spent / UNIT)
        average = street_rows(solver, FLOP, player)
        regret = street_rows(solver, FLOP, player, solver.kept.regret)
        plan = game.streets[FLOP]
        for first, actions in zip(plan.first[player], plan.actions[player], strict=True):
            rows = slice(first - len(plan.starts), first - len(plan.starts) + actions)
            total = average[:, rows].sum(axis=1, keepdims=True)
            regret[:, rows] = size * average[:, rows] / np.where(total > 0, total, 1)
        average[:] = 0


def _come(solver: BoardCFR, opponent: int, classes: Classes, choice: Floats) -> None:
    """Let the opponent come in by its choice [2, C]."""
    set_root(solver.game, opponent, classes.spread(choice.sum(axis=0)))


def _terms(
    base: BaseStrategy, endgame: Endgame, opponent: int, technique: str, classes: Classes
) -> Terms:
    """On what terms the opponent may take each class [C]."""
    if technique not in SAFE:
        raise GameError(f"there is no safe technique {technique!r}: there are {', '.join(SAFE)}")
    reach = technique.startswith("reach")
    by_hand = (with_reach if reach else plain)(base, endgame, opponent)
    found = Alternatives(*(classes.mean(x) for x in (by_hand.base, by_hand.target, by_hand.limit)))
    start = base.range_into(endgame, 1 - opponent)
    mass = disjoint_mass(base.game.cards.streets[PREFLOP][0].hands[opponent], start)
    weight = np.maximum(classes.mean(mass) / base.solver.game.pairs, NEVER)
    count = len(classes.hands)
    none, everywhere = np.zeros(count, dtype=bool), np.ones(count, dtype=bool)
    if technique == "resolve":
        each = classes.hands.astype(np.float64)  # every hand for itself
        return Terms(none, found.target, weight, everywhere, found.limit, each)
    free, held = everywhere, none
    if reach:
        floor = classes.mean(base.floor(endgame, opponent))
        given = found.gifts / weight > SMALL_GIFT * float(((found.target - floor) / weight).max())
        free = ~given if technique.endswith("improved") and not given.all() else everywhere
        held = given
    return Terms(free, found.target, weight, held, found.limit, PENALTY / weight)
