"""The betting before the flop as a backend of the engine, over the 169 classes.

It is the game of `PreflopGame`, whose ends pay a matrix each. Nearly all of these are made of three
matrices that ends have in common (chances, equities, ties) and of a number for each class: all ends
together then take three products of matrices. What flops are worth may change while the game is
being solved.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from endspiel.betting.streets import StreetEnd, cut_street
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.game import Profile
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON, PreflopGame
from endspiel.kernels.arrays import Discounts, Float64s, Floats
from endspiel.solvers.boards.plans import BOTH, StreetBackend

EXACT = 1e-9  # shares this near equity and a number a class are made of these


class _Paid(NamedTuple):
    """What one player gets at ends [T]: share of it x `of`, chance to tie x `tie`, and `fixed`."""

    of: Floats  # [T]
    tie: Floats  # [T]
    fixed: Floats  # [T]


class PreflopStreet(StreetBackend):
    """A game before the flop and what was learned of it; payoffs are the game's."""

    def __init__(self, preflop: PreflopGame, ranges: tuple[Floats, Floats] | None = None) -> None:
        """Players come with ranges [169], or with everything."""
        self.preflop = preflop
        every = np.ones(NUM_CLASSES)
        street = cut_street(preflop.tree, [0], preflop.allowed)
        super().__init__(street, np.arange(NUM_CLASSES), ranges or (every, every), 1.0)
        self.zero_sum = preflop.prizes is None and not preflop.rake
        matchups = class_matchups()
        ends = street.terminals
        self._paid = [self._terms(ends, player) for player in BOTH]
        # What a class of the other brings [169, 2 or 3 x 169]: chance, chance x own equity, and
        # chance x tie where ties are paid.
        chance, equity, tie = matchups.chance, matchups.equity, matchups.tie
        brought = [chance, chance * equity, chance * tie]
        met = brought, [chance.T, (chance * (1.0 - equity)).T, brought[2].T]
        parts = [2 + bool(paid.tie.any()) for paid in self._paid]
        self._brings = [
            np.concatenate([part.T for part in met[player][: parts[player]]], axis=1)
            for player in BOTH
        ]
        self._of_ends = [
            np.array([end.seqs[player] for end in ends], dtype=np.int64) for player in BOTH
        ]
        self._sums = [np.zeros((street.size[player], len(ends))) for player in BOTH]  # [S, T]
        for player in BOTH:
            self._sums[player][self._of_ends[player], np.arange(len(ends))] = 1.0
        self._flops = np.flatnonzero([preflop.behind(e.node) > 0 and e.folder < 0 for e in ends])
        # [2, T, 169] beyond equity, by classes of either player, where pots are shared so.
        self._beyond = np.zeros((2, len(ends), NUM_CLASSES))
        self._general: dict[int, tuple[Floats, Floats]] = {}  # by place: [169 of the other, own]
        for at, end in enumerate(ends):
            self._value_end(at, end)

    def value_flops(self, shares: Mapping[str, Floats]) -> None:
        """Let lines, by name, be worth other shares of the pot [169, 169] of the big blind."""
        self.preflop.shares.update(shares)
        nodes = {self.preflop.tree.find(line) for line in shares}
        for at, end in enumerate(self.street.terminals):
            if end.node in nodes:
                self._value_end(at, end)

    def _value_end(self, at: int, end: StreetEnd) -> None:
        """Take up how the pot of an end is shared."""
        self._general.pop(at, None)
        if end.folder >= 0:
            return
        share, equity = self.preflop.share(end.node), class_matchups().equity
        beyond = beyond_equity(share)
        made = equity + beyond[0][:, None] - beyond[1][None, :]
        if float(np.abs(made - share).max()) <= EXACT:
            self._beyond[:, at] = beyond
            return
        chance = class_matchups().chance
        first, second = (self.preflop.payoff(end.node, p) * chance for p in (BIG_BLIND, BUTTON))
        self._beyond[:, at] = 0.0
        self._general[at] = np.ascontiguousarray(first.T), second

    def _terms(self, ends: list[StreetEnd], player: int) -> _Paid:
        """What ends pay a player."""
        found = np.array([self.preflop.terms(end.node, player) for end in ends]).reshape(-1, 3)
        return _Paid(found[:, 0], found[:, 1], found[:, 2])

    def line_values(
        self, player: int, mode: int, reaches: list[Float64s], discounts: Discounts | None
    ) -> Floats:
        """All lines end here: see `_ends`."""
        return np.zeros((0, NUM_CLASSES))

    def _ends(self, player: int, theirs: Float64s, lines: Floats) -> Float64s:
        """What sequences lead to at once [S, 169], by the other's reaches [S', 169]."""
        others, brings = self._of_ends[1 - player], self._brings[player]
        met, won, *tied = np.split(theirs @ brings, brings.shape[1] // NUM_CLASSES, axis=1)
        of, tie, fixed = (part[:, None] for part in self._paid[player])
        worth = of * won[others] + fixed * met[others]
        if tied:
            worth += tie * tied[0][others]
        flops = self._flops
        own, other = self._beyond[player, flops], self._beyond[1 - player, flops]
        given = (other * theirs[others[flops]]) @ brings[:, :NUM_CLASSES]
        worth[flops] += of[flops] * (own * met[others[flops]] - given)
        for at, payoffs in self._general.items():
            worth[at] = theirs[others[at]] @ payoffs[player]
        found: Float64s = self._sums[player] @ worth
        return found

    @cached_property
    def seqs(self) -> dict[int, tuple[int, int]]:
        """Both players' last sequences before each end, by node."""
        return {end.node: end.seqs for end in self.street.terminals}

    def coming(self, node: int) -> tuple[Floats, Floats]:
        """How often each class [169] of both players comes to an end by the averages."""
        first, second = (self.reaches(player)[self.seqs[node][player]] for player in BOTH)
        return first, second

    def profile(self) -> Profile:
        """The averages, as a profile of `PreflopGame.game`."""
        first, second = (
            np.concatenate([np.ones(1), self.behavior(player).reshape(-1)]) for player in BOTH
        )
        return Profile((first, second))


def beyond_equity(share: Floats) -> Floats:
    """What classes of either player get beyond equity [2, 169], from a share [169, 169]."""
    beyond = share - class_matchups().equity
    return np.stack([beyond[:, 0], beyond[0, 0] - beyond[0, :]])
