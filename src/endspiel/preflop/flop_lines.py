"""What lines before the flop are worth to each class, by play on a set of flops.

Every line keeps what was learned on its flops, so that ranges that move a little need few further
iterations. A few flops are kinder to some classes than all flops are: a class's mean equity against
a random hand is known exactly, and what it is too much on these flops is taken off its share.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
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
from endspiel.cards.removal import unblocked_weights
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_tree import BIG_BLIND, PreflopGame
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Floats
from endspiel.values.many_flops import FlopPlace, ManyFlops, flop_place
from endspiel.values.nets import ValueNet

BET: Final = "66%"
RAISE, SHORT_RAISE = "60%", "a"
SHORT: Final = 4.0  # pots behind from which on down a raise is all-in
TOGETHER: Final = 13  # flops that a net is asked about at once
LEAST: Final = 1e-6  # of a class in a range: all learn what they would do


class LineShares(NamedTuple):
    """What a line's pot is worth to both players, on all flops as far as some can say."""

    shares: Floats  # [2, 169] of the pot, against the other's range: each player's own
    uncertain: float  # standard error of the mean over both ranges, by how much flops differ


class Known(NamedTuple):
    """What larger sets of flops say of this one, for a line."""

    kinder: Floats  # [2, 169] share of the pot that classes get too much here
    uncertain: float  # standard error of the larger set's mean, as a share of the pot


class _Values(NamedTuple):
    """Counterfactual values of a few flops' hands, and the weight that each hand meets."""

    won: Floats  # [2, F, 1326] less half the pot
    met: Floats  # [2, F, 1326]
    pairs: Floats  # [F]


@dataclass
class FlopLines:
    """The lines of a tree on a set of flops, valued by a net."""

    preflop: PreflopGame
    flops: Sequence[WeightedBoard]
    net: ValueNet
    workers: int
    known: dict[int, Known] = field(default_factory=dict)  # by node
    _drivers: dict[tuple[int, int], Driver[ManyFlops]] = field(default_factory=dict)

    def values(
        self, ranges: dict[int, tuple[Floats, Floats]], iterations: int
    ) -> dict[int, LineShares]:
        """What lines, by node, are worth to ranges [169] that come to them."""
        parts = [(node, part) for node in ranges for part in range(0, len(self.flops), TOGETHER)]

        def solve(which: tuple[int, int]) -> _Values:
            return self._solve(which, ranges[which[0]], iterations)

        with threadpool_limits(1, "blas"), ThreadPoolExecutor(self.workers) as threads:
            found = list(threads.map(solve, parts))
        by_node: dict[int, list[_Values]] = {node: [] for node in ranges}
        for (node, _), values in zip(parts, found, strict=True):
            by_node[node].append(values)
        return {node: self._line(node, values, ranges[node]) for node, values in by_node.items()}

    def kinder(self, node: int) -> Floats:
        """What is taken off the shares of a line's classes: [2, 169]."""
        return self.known[node].kinder if node in self.known else np.zeros((2, NUM_CLASSES))

    def _solve(
        self, which: tuple[int, int], ranges: tuple[Floats, Floats], iterations: int
    ) -> _Values:
        """Go on with a few flops of a line."""
        node, part = which
        if which not in self._drivers:
            places = self._places[part : part + TOGETHER]
            flops = ManyFlops(flop_tree(self.preflop, node), places, self.net)
            self._drivers[which] = Driver(flops, SCHEMES["dcfr"])
        driver = self._drivers[which]
        flops = driver.backend
        flops.set_ranges([_held(each) for each in ranges])
        driver.advance(iterations)
        count = len(flops.flops)
        held = [rows.reshape(count, NUM_HANDS) for rows in flops.ranges]
        live = np.stack([flop.live for flop in flops.flops])
        met = np.stack([unblocked_weights(held[1 - player]) * live for player in (0, 1)])
        won = np.stack([flops.average_values(p).reshape(count, NUM_HANDS) * live for p in (0, 1)])
        return _Values(won, met, (held[0] * met[0]).sum(axis=1))

    def _line(
        self, node: int, parts: Sequence[_Values], ranges: tuple[Floats, Floats]
    ) -> LineShares:
        """Means over the flops, by class and of the whole line."""
        won, met = (np.concatenate([p[at] for p in parts], axis=1) for at in (0, 1))
        pairs = np.concatenate([part.pairs for part in parts])
        held = [_held(each) for each in ranges]
        shares, kinder = list[Floats](), np.zeros(len(self.flops))
        for player in (0, 1):
            sums = [np.tensordot(self._weights, rows[player], 1) for rows in (won, met)]
            total, weight = (np.bincount(hand_classes(), each, NUM_CLASSES) for each in sums)
            shares.append(0.5 + total / weight - self._kinder)
            above = self._equities - _random_equity()[hand_classes()]
            own = (held[player] * met[player] * above).sum(axis=1) / pairs
            kinder += own / 2 if player == BIG_BLIND else -own / 2
        evs = 0.5 + (held[BIG_BLIND] * won[BIG_BLIND]).sum(axis=1) / pairs - kinder
        weights = self._weights * pairs
        uncertain = _standard_error(evs, weights / weights.sum())
        if node in self.known:
            uncertain = self.known[node].uncertain
        return LineShares(np.stack(shares) - self.kinder(node), uncertain)

    @cached_property
    def _places(self) -> list[FlopPlace]:
        with ThreadPoolExecutor(self.workers) as threads:
            return list(threads.map(flop_place, [tuple(flop.cards) for flop in self.flops]))

    @cached_property
    def _weights(self) -> Floats:
        weights = np.array([flop.weight for flop in self.flops])
        found: Floats = weights / weights.sum()
        return found

    @cached_property
    def _equities(self) -> Floats:
        """Equity of every hand against a random one on each flop [F, 1326]; 0 for dead hands."""
        return np.stack([place.equity for place in self._places])

    @cached_property
    def _kinder(self) -> Floats:
        """By how much equity against a random hand is above that on all flops: [169]."""
        live = np.stack([place.live for place in self._places])
        sums = [self._weights @ rows for rows in (self._equities, live)]
        total, weight = (np.bincount(hand_classes(), each, NUM_CLASSES) for each in sums)
        found: Floats = total / weight - _random_equity()
        return found


def flop_menus(preflop: PreflopGame, node: int) -> Sizing:
    """The bets on the flop after a line."""
    short = preflop.behind(node) <= SHORT * preflop.pot(node)
    menu, later = StreetMenu.parse(BET, SHORT_RAISE if short else RAISE), StreetMenu.parse("", "")
    return Sizing((None, menu, later, later), max_raises=2)


def flop_tree(preflop: PreflopGame, node: int) -> BettingTree:
    """The betting on the flop after a line, played for chips without rake."""
    pot, behind, every = preflop.pot(node), preflop.behind(node), np.ones(NUM_HANDS)
    return Spot(ANY_FLOP, pot, behind, (every, every), flop_menus(preflop, node)).tree()


def _held(classes: Floats) -> Floats:
    """A range of hands [1326] that has some of every class [169]."""
    found: Floats = np.maximum(classes, LEAST)[hand_classes()]
    return found


def _random_equity() -> Floats:
    """Equity of each class against a random hand before the flop: [169]."""
    matchups = class_matchups()
    found: Floats = (matchups.chance * matchups.equity).sum(axis=1) / matchups.chance.sum(axis=1)
    return found


def _standard_error(values: Floats, weights: Floats) -> float:
    """Of a weighted mean of shares; one alone says nothing of how far off it is."""
    if len(values) < 2:
        return 0.5
    squares = float((weights**2) @ (values - weights @ values) ** 2)
    return sqrt(squares * len(values) / (len(values) - 1))
