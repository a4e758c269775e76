"""What lines before the flop are worth to each class, by play on a set of flops.

Every line keeps what was learned on its flops, so that ranges that move a little need few further
iterations. A few flops are kinder to some classes than all flops are: a class's mean equity against
a random hand is known exactly, and what it is too much on these flops is taken off its share.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from endspiel.batch.boards import WeightedBoard
from endspiel.batch.preflop_flops import ANY_FLOP
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.tree import BettingTree
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_tree import BIG_BLIND, PreflopGame
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Float64s, Floats
from endspiel.values.many_flops import FlopPlace, ManyFlops, flop_place
from endspiel.values.nets import ValueNet

BET: Final = "66%"
RAISE, SHORT_RAISE = "60%", "a"
SHORT: Final = 4.0  # pots behind from which on down a raise is all-in
TOGETHER: Final = 13  # flops that a net is asked about at once
LEAST: Final = 1e-6  # of a class in a range: all learn what they would do
ALL_FLOPS: Final = 1755  # up to suits
Ranges = tuple[Floats, Floats]  # [169] of the big blind and the button


class LineShares(NamedTuple):
    """What a line's pot is worth to both players, on all flops as far as some can say."""

    shares: Floats  # [2, 169] of the pot, against the other's range: each player's own
    uncertain: float  # standard error of the mean over both ranges, by how much flops differ


class Known(NamedTuple):
    """What a better measurement says of these flops, for a line."""

    kinder: Floats  # [2, 169] share of the pot that classes get too much here
    uncertain: float | None = None  # standard error of the better mean, as a share of the pot


class Apart(NamedTuple):
    """By how much two measurements of a line's flops differ, as shares of the pot."""

    shares: Floats  # [2, 169] mean of each class of both players
    uncertain: float  # standard error of the mean over both ranges, by how much flops differ
    errors: Floats  # [2, 169] standard errors of the classes' means
    held: Floats  # [2, 169] share of each class in its player's range

    def smoothed(self) -> Floats:
        """The classes' means [2, 169], nearer to that of their range the less is known of them.

        How much classes truly differ is what their means differ by beyond their standard errors.
        """
        means = (self.held * self.shares).sum(axis=1, keepdims=True)
        noise = self.errors**2
        apart = (self.held * ((self.shares - means) ** 2 - noise)).sum(axis=1, keepdims=True)
        true = np.maximum(apart, 0.0)
        found: Floats = means + (self.shares - means) * true / np.maximum(true + noise, LEAST**2)
        return found


class _Met(NamedTuple):
    """Two ranges on a set of flops."""

    weights: Floats  # [2, F, 169] that the classes of each player meet
    pairs: Floats  # [F]
    lucky: Floats  # [F] share of the pot by which the big blind's range is better than before


@dataclass
class FlopSet:
    """Flops with weights, and how their means differ from those of all flops."""

    flops: Sequence[WeightedBoard]
    workers: int

    @property
    def is_whole(self) -> bool:
        """Whether these are all flops, up to suits."""
        return len(self.flops) == ALL_FLOPS

    @cached_property
    def weights(self) -> Floats:
        """How often each flop is dealt [F]; sum 1."""
        weights = np.array([flop.weight for flop in self.flops])
        found: Floats = weights / weights.sum()
        return found

    @cached_property
    def places(self) -> list[FlopPlace]:
        """Where the hands of each flop stand."""
        with ThreadPoolExecutor(self.workers) as threads:
            return list(threads.map(flop_place, [tuple(flop.cards) for flop in self.flops]))

    def line(self, won: Floats, ranges: Ranges, known: Known | None = None) -> LineShares:
        """Means over the flops of what classes won [2, F, 169], less half the pot."""
        met, shares = self._met(ranges), list[Floats]()
        for player in (0, 1):
            total, weight = (np.tensordot(self.weights, x[player], 1) for x in (won, met.weights))
            shares.append(_mean(total, weight, random_equity() - 0.5) + 0.5 - self._kinder)
        sums = won[BIG_BLIND] * _per_hand(ranges[BIG_BLIND])
        evs = 0.5 + sums.sum(axis=1) / met.pairs - met.lucky
        weights = self.weights * met.pairs
        uncertain = 0.0 if self.is_whole else standard_error(evs, weights / weights.sum())
        found = LineShares(np.stack(shares), uncertain)
        return found if known is None else _corrected(found, known)

    def apart(self, more: Floats, ranges: Ranges) -> "Apart":
        """By how much means differ where classes win more [2, F, 169]."""
        met = self._met(ranges)
        total, weight = (np.tensordot(self.weights, rows, (0, 1)) for rows in (more, met.weights))
        evs = (more[BIG_BLIND] * _per_hand(ranges[BIG_BLIND])).sum(axis=1) / met.pairs
        weights = self.weights * met.pairs
        mean = _mean(total, weight, np.zeros(NUM_CLASSES))
        off = (self.weights[:, None] * (more - mean[:, None] * met.weights)) ** 2
        spread = np.sqrt(off.sum(axis=1) * len(more[0]) / max(len(more[0]) - 1, 1))
        held = weight * np.stack([_per_hand(each) for each in ranges])
        return Apart(
            mean,
            standard_error(evs, weights / weights.sum()),
            _mean(spread, weight, np.zeros(NUM_CLASSES)),
            held / held.sum(axis=1, keepdims=True),
        )

    def _met(self, ranges: Ranges) -> _Met:
        held = [held_hands(each) for each in ranges]
        live = np.stack([live_hands(tuple(flop.cards)) for flop in self.flops])
        met = np.stack([unblocked_weights(held[1 - player] * live) * live for player in (0, 1)])
        pairs = (held[0] * met[0]).sum(axis=1)
        lucky = np.zeros(len(self.flops))
        for player, sign in ((BIG_BLIND, 0.5), (1 - BIG_BLIND, -0.5)):
            if not self.is_whole:
                above = self._equities - random_equity()[hand_classes()]
                lucky += sign * (held[player] * met[player] * above).sum(axis=1) / pairs
        return _Met(np.stack([by_class(rows) for rows in met]), pairs, lucky)

    @cached_property
    def _equities(self) -> Floats:
        """Equity of every hand against a random one on each flop [F, 1326]; 0 for dead hands."""
        return np.stack([place.equity for place in self.places])

    @cached_property
    def _kinder(self) -> Floats:
        """By how much equity against a random hand is above that on all flops: [169]."""
        if self.is_whole:
            return np.zeros(NUM_CLASSES)
        live = np.stack([place.live for place in self.places])
        total, weight = (by_class(self.weights @ rows) for rows in (self._equities, live))
        return _mean(total, weight, random_equity()) - random_equity()


@dataclass
class FlopLines:
    """The lines of a tree on a set of flops, valued by a net."""

    preflop: PreflopGame
    boards: FlopSet
    net: ValueNet
    known: dict[int, Known] = field(default_factory=dict)  # by node
    _drivers: dict[tuple[int, int], Driver[ManyFlops]] = field(default_factory=dict)

    def values(self, ranges: dict[int, Ranges], iterations: int) -> dict[int, LineShares]:
        """What lines, by node, are worth to ranges [169] that come to them."""
        return {
            node: self.boards.line(won, ranges[node], self.known.get(node))
            for node, won in self.won(ranges, iterations).items()
        }

    def won(self, ranges: dict[int, Ranges], iterations: int) -> dict[int, Floats]:
        """What classes win on each flop [2, F, 169], less half the pot, by node."""
        starts = range(0, len(self.boards.flops), TOGETHER)
        parts = [(node, part) for node in ranges for part in starts]

        def solve(which: tuple[int, int]) -> Floats:
            return self._solve(which, ranges[which[0]], iterations)

        with threadpool_limits(1, "blas"), ThreadPoolExecutor(self.boards.workers) as threads:
            found = list(threads.map(solve, parts))
        by_node: dict[int, list[Floats]] = {node: [] for node in ranges}
        for (node, _), won in zip(parts, found, strict=True):
            by_node[node].append(won)
        return {node: np.concatenate(won, axis=1) for node, won in by_node.items()}

    def kinder(self, node: int) -> Floats:
        """What is taken off the shares of a line's classes: [2, 169]."""
        return self.known[node].kinder if node in self.known else np.zeros((2, NUM_CLASSES))

    def _solve(self, which: tuple[int, int], ranges: Ranges, iterations: int) -> Floats:
        """Go on with a few flops of a line: what classes win there [2, F, 169]."""
        node, part = which
        if which not in self._drivers:
            places = self.boards.places[part : part + TOGETHER]
            tree = flop_tree(self.preflop.pot(node), self.preflop.behind(node))
            flops = ManyFlops(tree, places, self.net)
            self._drivers[which] = Driver(flops, SCHEMES["dcfr"])
        driver = self._drivers[which]
        flops = driver.backend
        flops.set_ranges([held_hands(each) for each in ranges])
        driver.advance(iterations)
        count = len(flops.flops)
        live = np.stack([flop.live for flop in flops.flops])
        won = [flops.average_values(p).reshape(count, NUM_HANDS) * live for p in (0, 1)]
        return np.stack([by_class(rows) for rows in won])


def flop_menus(pot: int, behind: int) -> Sizing:
    """The bets on the flop, by the pot and what is behind it."""
    short = behind <= SHORT * pot
    menu, later = StreetMenu.parse(BET, SHORT_RAISE if short else RAISE), StreetMenu.parse("", "")
    return Sizing((None, menu, later, later), max_raises=2)


def flop_tree(pot: int, behind: int) -> BettingTree:
    """The betting on the flop, played for chips without rake."""
    every = np.ones(NUM_HANDS)
    return Spot(ANY_FLOP, pot, behind, (every, every), flop_menus(pot, behind)).tree()


def held_hands(classes: Floats) -> Float64s:
    """A range of hands [1326] that has some of every class [169]."""
    found: Float64s = np.maximum(classes, LEAST)[hand_classes()]
    return found


def by_class(hands: Floats) -> Floats:
    """Sums over the hands [..., 1326] of each class: [..., 169]."""
    found: Floats = np.asarray(hands, np.float64) @ _classes_of_hands()
    return found


@cache
def _classes_of_hands() -> Floats:
    """1 where a hand is of a class: [1326, 169]."""
    return np.eye(NUM_CLASSES)[hand_classes()]


def _mean(total: Floats, weight: Floats, otherwise: Floats) -> Floats:
    """Means of classes [..., 169], or something else of those that the flops leave no hand."""
    found = np.broadcast_to(otherwise, total.shape).copy()
    np.divide(total, weight, out=found, where=weight > 0)
    return found


def _per_hand(classes: Floats) -> Floats:
    """How often each hand of a class [169] is held, some of every class."""
    return np.maximum(classes, LEAST)


def _corrected(found: LineShares, known: Known) -> LineShares:
    uncertain = found.uncertain if known.uncertain is None else known.uncertain
    return LineShares(found.shares - known.kinder, uncertain)


def random_equity() -> Floats:
    """Equity of each class against a random hand before the flop: [169]."""
    matchups = class_matchups()
    found: Floats = (matchups.chance * matchups.equity).sum(axis=1) / matchups.chance.sum(axis=1)
    return found


def standard_error(values: Floats, weights: Floats) -> float:
    """Of a weighted mean of shares; one alone says nothing of how far off it is."""
    if len(values) < 2:
        return 0.5
    squares = float((weights**2) @ (values - weights @ values) ** 2)
    return sqrt(squares * len(values) / (len(values) - 1))
