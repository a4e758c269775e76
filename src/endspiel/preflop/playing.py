"""A tree before the flop solved together with the flops after it.

Discounted counterfactual regret minimization before the flop goes on while flops come to be worth
other sums. A round has some iterations before the flop, and some on the flops of every line with
the ranges that the averages so far bring there. Between rounds a pot is shared by a matrix of both
players' classes that gives each class what it won on these flops, so that it answers to ranges that
move. Where that stands still, both players' strategies before the flop answer each other, and flops
are played as the ranges that come to them ask.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from endspiel.cards.class_equity import class_matchups
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_tree import PreflopGame
from endspiel.kernels.arrays import Floats
from endspiel.preflop.flop_lines import FlopLines, LineShares
from endspiel.preflop.street import PreflopStreet

RARE: Final = 0.005  # of hands: lines taken less often usually have a turn in one of RARELY rounds
RARELY: Final = 4
EARLY: Final = 10  # rounds in which flops may still be far off
BEFORE, BEFORE_EARLY = 30, 10  # iterations before the flop in a round
BEFORE_KNOWN: Final = 100  # and where what flops are worth was nearly known from the beginning
ON_FLOPS, ON_NEW_FLOPS = 5, 15  # iterations on flops in a round
LEAST: Final = 1e-9  # of a class: each has a share of the pot without opponents' hands


class LineGap(NamedTuple):
    """How far a line's pot is from being shared as play on its flops has it, in chips."""

    frequency: float
    mean: float  # too much for the big blind, over both ranges
    classes: float  # root mean square over the classes of the player with more of it
    uncertain: float  # standard error of what play has, by how much flops differ
    share: float  # the big blind's by play


@dataclass
class Playing:
    """A tree that is being solved with its flops."""

    preflop: PreflopGame
    flops: FlopLines
    rounds: int = 0
    rare: float = RARE  # of hands
    gaps: dict[int, LineGap] = field(default_factory=dict)  # by node, as last measured

    def __post_init__(self) -> None:
        self.street = PreflopStreet(self.preflop)
        self.driver = Driver(self.street, SCHEMES["dcfr"])
        self._new = True
        self._before: int | None = None  # iterations of a round, where it is not the usual number

    def begin(self, shares: Mapping[str, Floats]) -> None:
        """Begin where lines are nearly worth some shares of the pot [169, 169]."""
        here = {self.preflop.tree.line(node) for node in self.preflop.flop_nodes}
        known = {line: share for line, share in shares.items() if line in here}
        self.street.value_flops(known)
        self._before = BEFORE_KNOWN if known else None

    def change_flops(self, flops: FlopLines) -> None:
        """Go on with other flops, on which nothing is learned yet."""
        self.flops, self._new = flops, True

    def round(self) -> None:
        """Some iterations before the flop and on the flops."""
        usual = BEFORE if self.rounds >= EARLY else BEFORE_EARLY
        self.driver.advance(self._before or usual)
        everything = self._new or self.rounds % RARELY == 0
        due = {}
        for node in self.preflop.flop_nodes:
            ranges = self.street.coming(node)
            if everything or frequency(ranges) >= self.rare:
                due[node] = ranges
        news = {}
        for node, found in self.flops.values(due, ON_NEW_FLOPS if self._new else ON_FLOPS).items():
            new = shared(found, due[node])
            self.gaps[node] = self._gap(node, due[node], new, found)
            line = self.preflop.tree.line(node)
            if not (self._new and line in self.preflop.shares):  # new flops have yet to learn
                news[line] = new
        self.street.value_flops(news)
        self.rounds, self._new = self.rounds + 1, False

    def _gap(
        self, node: int, ranges: tuple[Floats, Floats], new: Floats, found: LineShares
    ) -> LineGap:
        met = _met(ranges)
        pot, wrong = float(self.preflop.pot(node)), met * (self.preflop.share(node) - new)
        squares = [float((wrong.sum(axis=axis) ** 2 / met.sum(axis=axis)).sum()) for axis in (0, 1)]
        return LineGap(
            frequency(ranges),
            pot * float(wrong.sum()),
            pot * max(squares) ** 0.5,
            pot * found.uncertain,
            float((met * new).sum()),
        )

    def state(self) -> dict[str, Any]:
        """What was learned before the flop, and what flops are worth, as arrays."""
        shares = {f"share {line}": share for line, share in self.preflop.shares.items()}
        return {**self.driver.state(), **shares}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Go on from a state; flops are learned again."""
        self.driver.restore(dict(arrays))
        named = {name.partition(" "): share for name, share in arrays.items()}
        self.street.value_flops(
            {line: s for (kind, _, line), s in named.items() if kind == "share"}
        )
        self._new = True


def frequency(ranges: tuple[Floats, Floats]) -> float:
    """How often two ranges of classes [169] are dealt."""
    return float(ranges[0] @ class_matchups().chance @ ranges[1])


def _met(ranges: tuple[Floats, Floats]) -> Floats:
    """How often the classes of two ranges meet [169, 169], all of them now and then; sum 1."""
    met: Floats = class_matchups().chance * np.outer(*(np.maximum(r, LEAST) for r in ranges))
    met /= met.sum()
    return met


def shared(found: LineShares, ranges: tuple[Floats, Floats]) -> Floats:
    """The big blind's share of a pot [169, 169] that gives both players' classes what they won.

    It is equity, and more or less by a number for each class of either player: `mine` is what the
    big blind's classes win beyond equity, the other's numbers included, and `theirs` the button's.
    """
    equity, met = class_matchups().equity, _met(ranges)
    first, second = met.sum(axis=1), met.sum(axis=0)
    rows, columns = met / first[:, None], met / second
    mine = found.shares[0] - (rows * equity).sum(axis=1)
    theirs = found.shares[1] - (columns * (1 - equity)).sum(axis=0)
    nowhere = float(first @ mine + second @ theirs)  # won by both together
    mine, theirs = mine - nowhere / 2, theirs - nowhere / 2
    one, two = mine, theirs
    for _ in range(50):
        two = theirs + one @ columns
        one = mine + rows @ two
    share: Floats = equity + one[:, None] - two[None, :]
    return share
