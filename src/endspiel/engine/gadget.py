"""The gadgets' root above any backend: with which states the opponent enters an endgame.

In a gadget game the opponent first decides, for each of its entries (hands, or classes of hands),
whether to come. Its choice is made here by regret matching, between the halves of an iteration; a
backend then walks the endgame with the reaches chosen. Many endgames may be entered side by side:
arrays are by entry [C], by endgame and entry [E, C], or by board, line and hand [B, L, C], in
whatever precision the terms have.
"""

from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from endspiel.engine.backend import Iterated, Scheduled
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, Scheme
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import add_advantages, add_plans, share_of

# What is learned at the root, as a state names it.
_LEARNED: Final = ("free_regret", "in_regret", "out_regret", "free_sum", "held_sum")
Values = Any  # [..., C]: an array in some precision, or a number where entries are alike


@dataclass(frozen=True)
class Terms:
    """Which entries the opponent may take, and on what terms."""

    free: Values  # [..., C] taken by choice among these
    target: Values  # [..., C] what taking a free one costs
    weight: Values  # [..., C] what is paid for a free one is divided by this
    held: Values  # [..., C] taken or not, each for itself
    limit: Values  # [..., C] what taking a held one costs
    penalty: Values  # [..., C] mass of each held entry


class GadgetRoot:
    """The opponent's choice at the gadget's root, entry by entry [..., C].

    It takes one of the free entries, for (v - target) / weight; beside that, it takes each held
    entry or not, for v - limit or 0, as often as its penalty says.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._chooses, self._holds = bool(terms.free.any()), bool(terms.held.any())
        nothing = 0.0 * terms.target
        each = terms.free * (nothing + 1.0)
        self._even = each / each.sum(axis=-1, keepdims=True).clip(min=1.0)
        self.free_regret, self.in_regret, self.out_regret = (0.0 * terms.target for _ in range(3))
        self._sums = 0.0 * terms.target, 0.0 * terms.target  # of free and held reaches
        self._weight = 0.0

    def choice(self) -> tuple[Values, Values]:
        """Reaches [..., C] of the free and of the held entries."""
        terms = self.terms
        return self._taken() / terms.weight, terms.held * terms.penalty * self._share()

    def reach(self) -> Values:
        """How often the opponent comes in by each entry [..., C], free or held."""
        free, held = self.choice()
        return free + held

    def _taken(self) -> Values:
        """Probability [..., C] of taking each free entry."""
        if not self._chooses:
            return self.free_regret
        positive = self.terms.free * self.free_regret.clip(min=0)
        return share_of(positive, positive.sum(axis=-1, keepdims=True), self._even)

    def _share(self) -> Values:
        """Probability [..., C] of taking each held entry rather than staying out."""
        if not self._holds:
            return self.in_regret
        come = self.in_regret.clip(min=0)
        return share_of(come, come + self.out_regret.clip(min=0), 0.5)

    def learn(self, values: Values, by: Discounts) -> None:
        """Learn from what each entry is worth in the endgame [..., C]."""
        terms = self.terms
        if self._chooses:
            # Regrets of the free never fall below zero: an entry comes back at once when it is
            # worth it. Held entries, of which there are many, would then come and go together.
            gains = (values - terms.target) / terms.weight
            news = gains - (self._taken() * gains).sum(axis=-1, keepdims=True)
            add_advantages(self.free_regret, news, by)
            self.free_regret = self.free_regret.clip(min=0)
        if self._holds:
            share, over = self._share(), values - terms.limit
            add_advantages(self.in_regret, (1 - share) * over, by)
            add_advantages(self.out_regret, -share * over, by)

    def remember(self, by: Discounts) -> None:
        """Add the present choice to the average."""
        for sums, reaches in zip(self._sums, self.choice(), strict=True):
            add_plans(sums, reaches, by)
        self._weight = self._weight * by.average + 1.0

    @property
    def mean(self) -> tuple[Values, Values]:
        """The average choice [..., C] of free and of held entries."""
        total = max(self._weight, 1e-300)
        return self._sums[0] / total, self._sums[1] / total

    def mean_reach(self) -> Values:
        """How often the opponent came in by each entry [..., C] on average."""
        free, held = self.mean
        return free + held

    def state(self) -> dict[str, Any]:
        """Regrets and averages of the choice, as arrays."""
        arrays = (self.free_regret, self.in_regret, self.out_regret, *self._sums)
        found = {name: np.array(array) for name, array in zip(_LEARNED, arrays, strict=True)}
        return {**found, "entry_weight": np.array([self._weight])}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        free, come, stay, *sums = (np.array(arrays[name]) for name in _LEARNED)
        self.free_regret, self.in_regret, self.out_regret = free, come, stay
        self._sums = sums[0], sums[1]
        self._weight = float(arrays["entry_weight"][0])

    def best(self, values: Values) -> Values:
        """What the opponent gets in each gadget [...] if it can have these values [..., C]."""
        terms = self.terms
        gains = np.where(terms.free, (values - terms.target) / terms.weight, -np.inf)
        free = np.where(terms.free.any(axis=-1), gains.max(axis=-1), 0.0)
        over = np.where(terms.held, terms.penalty * (values - terms.limit), 0.0)
        return free + np.maximum(over, 0.0).sum(axis=-1)

    def costs(self) -> Values:
        """What the average choice pays in each gadget [...] for what it takes."""
        (free, held), terms = self.mean, self.terms
        return (free * terms.target).sum(axis=-1) + (held * terms.limit).sum(axis=-1)

    def margins(self, values: Values) -> Values:
        """By how much each entry stays below what it costs [..., C], by weight."""
        terms = self.terms
        return (np.where(terms.free, terms.target, terms.limit) - values) / terms.weight


class EnteredBackend(Scheduled, Protocol):
    """What the root asks of a backend, also of one that has many endgames side by side."""

    def set_root(self, player: int, reach: Values) -> None:
        """Let a player begin with these masses [..., K]."""

    def learn(self, player: int, discounts: Discounts) -> Values:
        """One player's half of an iteration; its values [..., K] at the root."""


class MeasuredBackend(EnteredBackend, Protocol):
    """What it asks besides to know how far it has come."""

    def root(self, player: int) -> Values:
        """A player's masses [..., K] where the endgame begins."""

    def best_values(self, player: int) -> Values:
        """What each state [..., K] is worth by best play against the other's average."""


class KeptBackend(EnteredBackend, Iterated, Protocol):
    """What it asks besides to be written down."""


B_co = TypeVar("B_co", bound=EnteredBackend, covariant=True)


class GadgetSolve(Driver[B_co]):
    """The driver of a gadget: its root above a backend of the endgame.

    The player's masses are the backend's. The opponent comes by its choice at the root, and
    besides with what it is believed to hold: fixed reaches, none where the theorems shall hold.
    """

    def __init__(
        self,
        backend: B_co,
        scheme: Scheme,
        player: int,
        terms: Terms,  # [..., K] of the opponent's states
        believed: Values = 0.0,  # [..., K]
    ) -> None:
        if not scheme.alternating or scheme.solution == CURRENT:
            raise EndspielError("a gadget is solved by alternating schemes that average")
        super().__init__(backend, scheme)
        self.player, self.opponent = player, 1 - player
        self.root, self.believed = GadgetRoot(terms), believed
        self._enter(self.root.reach())

    def _enter(self, reach: Values) -> None:
        """Let the opponent into the endgame with reaches [..., K] of its choice."""
        self.backend.set_root(self.opponent, reach + self.believed)

    def advance(self, steps: int) -> None:
        """Iterations: the opponent, its choice at the root, then the player."""
        for by in self.schedule(steps):
            self.root.remember(by)
            self.root.learn(self.backend.learn(self.opponent, by), by)
            self._enter(self.root.reach())
            self._improve(by)
        self.iteration += steps

    def _improve(self, by: Discounts) -> None:
        """The player's half of an iteration."""
        self.backend.learn(self.player, by)

    def state(self: "GadgetSolve[KeptBackend]") -> dict[str, Any]:
        """Everything needed to go on later, the opponent's choice included, as arrays."""
        return {**super().state(), **self.root.state()}

    def restore(self: "GadgetSolve[KeptBackend]", arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        super().restore(arrays)
        self.root.restore(arrays)
        self._enter(self.root.reach())

    def gap(self: "GadgetSolve[MeasuredBackend]") -> Values:
        """How far both averages are from each gadget's equilibrium [...], in its units."""
        backend, root = self.backend, self.root
        values = backend.best_values(self.opponent)
        most = root.best(values) + (self.believed * values).sum(axis=-1)
        self._enter(root.mean_reach())
        worth = (backend.root(self.player) * backend.best_values(self.player)).sum(axis=-1)
        self._enter(root.reach())
        return most + worth + root.costs()

    def margin(self: "GadgetSolve[MeasuredBackend]") -> Values:
        """By how much the worst entry of each gadget [...] stays below what it costs, by weight."""
        terms, values = self.root.terms, self.backend.best_values(self.opponent)
        margins = np.where(terms.free | terms.held, self.root.margins(values), np.inf)
        return margins.min(axis=-1)
