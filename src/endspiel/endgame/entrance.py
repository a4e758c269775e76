"""The gadgets' root on real cards: with which hands the opponent comes into an endgame.

In a gadget game the opponent first decides, for each of its entries (hands, or classes of hands),
whether to come. Its choice is made here by regret matching, between the halves of an iteration;
the board kernels then walk the endgame with the reaches chosen. Many endgames may be entered side
by side: arrays are by entry [C], or by endgame and entry [E, C].
"""

from dataclasses import dataclass

import numpy as np

from endspiel.endgame.cut import Bools
from endspiel.kernels.arrays import Discounts, Floats


@dataclass(frozen=True)
class Terms:
    """Which entries the opponent may take into an endgame, and on what terms."""

    free: Bools  # [..., C] taken by choice among these
    target: Floats  # [..., C] what taking a free one costs
    weight: Floats  # [..., C] what is paid for a free one is divided by this
    held: Bools  # [..., C] taken or not, each for itself
    limit: Floats  # [..., C] what taking a held one costs
    penalty: Floats  # [..., C] mass of each held entry


class Entrance:
    """The opponent's choice at the gadget's root, entry by entry [..., C].

    It takes one of the free entries, for (v - target) / weight; beside that, it takes each held
    entry or not, for v - limit or 0, as often as its penalty says.
    """

    def __init__(self, terms: Terms) -> None:
        shape = terms.free.shape
        self.terms = terms
        self.free_regret = np.zeros(shape)
        self.in_regret, self.out_regret = np.zeros(shape), np.zeros(shape)
        self.average = np.zeros((2, *shape))  # sums of free and held reaches
        self.weight = 0.0

    def choice(self) -> Floats:
        """Reaches [2, ..., C] of the free and the held entries."""
        terms, come = self.terms, self._taken() / self.terms.weight
        return np.stack([come, np.where(terms.held, terms.penalty * self._share(), 0.0)])

    def _taken(self) -> Floats:
        """Probability [..., C] of taking each free entry."""
        free = np.where(self.terms.free, np.maximum(self.free_regret, 0.0), 0.0)
        total = free.sum(axis=-1, keepdims=True)
        even = self.terms.free / np.maximum(self.terms.free.sum(axis=-1, keepdims=True), 1)
        taken: Floats = np.divide(free, total, out=even, where=total > 0)
        return taken

    def _share(self) -> Floats:
        """Probability [..., C] of taking each held entry rather than staying out."""
        come, stay = np.maximum(self.in_regret, 0.0), np.maximum(self.out_regret, 0.0)
        total = come + stay
        share: Floats = np.divide(come, total, out=np.full(come.shape, 0.5), where=total > 0)
        return share

    def learn(self, values: Floats, by: Discounts) -> None:
        """Learn from what each entry is worth in the endgame [..., C]."""
        terms, taken, share = self.terms, self._taken(), self._share()
        gains, over = (values - terms.target) / terms.weight, values - terms.limit
        # Regrets of the free never fall below zero: an entry comes back at once when it is worth
        # it. Held entries, of which there are many, would then all come and go together.
        news = gains - (taken * gains).sum(axis=-1, keepdims=True)
        np.maximum(self.free_regret * by[0] + news, 0.0, out=self.free_regret)
        _add(self.in_regret, (1 - share) * over, by)
        _add(self.out_regret, -share * over, by)

    def remember(self, by: Discounts) -> None:
        """Add the present choice to the average."""
        self.average = self.average * by[2] + self.choice()
        self.weight = self.weight * by[2] + 1.0

    @property
    def mean(self) -> Floats:
        """The average choice [2, ..., C]."""
        return np.asarray(self.average / max(self.weight, 1e-300))

    def best(self, values: Floats) -> Floats:
        """What the opponent gets in each gadget [...] if it can have these values [..., C]."""
        terms = self.terms
        gains = np.where(terms.free, (values - terms.target) / terms.weight, -np.inf)
        free = np.where(terms.free.any(axis=-1), gains.max(axis=-1), 0.0)
        over = np.where(terms.held, terms.penalty * (values - terms.limit), 0.0)
        found: Floats = free + np.maximum(over, 0.0).sum(axis=-1)
        return found


def _add(regret: Floats, news: Floats, by: Discounts) -> None:
    regret *= np.where(regret > 0, by[0], by[1])
    regret += news
