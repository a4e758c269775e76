"""What a solver asks of a game, however it is laid out: the protocol of every backend.

A backend is a game with its storage (regrets and averages of both players) and its kernels. It
begins at K private states a player, each with a mass: a range, or the reaches with which a player
enters an endgame. All values are counterfactual: weighed by the other player's root masses and by
chance, not by the player's own, so that a player's masses times its values are its payoff.

Schemes, drivers, the run loop, exploitability, gadgets and nested solving are written once, above.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from endspiel.engine.schemes import Scheme
from endspiel.kernels.arrays import Discounts, Floats


class Scheduled(Protocol):
    """What learns by a scheme."""

    @property
    def longest_average(self) -> float:
        """The newest iteration must weigh at least one in this many in the average."""

    def accept(self, scheme: Scheme) -> None:
        """Get ready for a scheme, or refuse one that the kernels do not know.

        Where the current strategy is its solution, nothing is kept of the average, and the values
        below that name averages are those of current strategies.
        """


class Iterated(Scheduled, Protocol):
    """What a driver asks: iterations, and what they changed."""

    def iterate(self, schedule: Sequence[Discounts], alternating: bool) -> None:
        """Iterations of both players, player 0 first: many at once save the way into kernels."""

    def state(self) -> dict[str, Any]:
        """Everything that learning changed, as arrays."""

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state, which also has the driver's `iteration`."""


class Measured(Protocol):
    """What is asked to know what strategies are worth."""

    @property
    def zero_sum(self) -> bool:
        """Whether what one player wins, the other loses: not so with rake."""

    def root(self, player: int) -> Floats:
        """Mass [K] of each of a player's private states where the game begins."""

    def best_values(self, player: int) -> Floats:
        """What each private state [K] is worth by best play against the other's average."""

    def average_values(self, player: int) -> Floats:
        """What each private state [K] is worth when both follow their averages."""


class Backend(Iterated, Measured, Protocol):
    """A game, its stored strategies, and the walks over it.

    Whatever has these methods can be solved by a `Driver`; `make_backend` makes those of this
    package.

    Examples:
        >>> import endspiel as es
        >>> backend = es.make_backend(es.games.kuhn())
        >>> es.Driver(backend, es.SCHEMES["dcfr"]).advance(200)
        >>> value = backend.root(0) @ backend.average_values(0)  # masses times values
        >>> round(float(value), 2)  # -1/18
        -0.06
    """

    def set_root(self, player: int, reach: Floats) -> None:
        """Let a player begin with these masses [K]; what was learned stays."""

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """One player's half of an iteration; its values [K] at the root.

        The values are those of both players' strategies before this half changed them.
        """


class Learning(Protocol):
    """What learns by halves."""

    @property
    def learn(self) -> Callable[[int, Discounts], Floats]:
        """See `Backend`."""


def alternate(backend: Learning, schedule: Sequence[Discounts]) -> None:
    """Iterations in which the players learn in turn, by halves."""
    for discounts in schedule:
        for player in (0, 1):
            backend.learn(player, discounts)


def best_value(backend: Measured, player: int) -> float:
    """What a player's best response to the other's average earns it."""
    return float(np.dot(backend.root(player), backend.best_values(player)))


def exploitability(backend: Measured) -> float:
    """The mean of both players' gains by best responses, NashConv / 2, in the game's units.

    Each player's own payoff counts; in a zero-sum game what both have now adds up to nothing.
    """
    best = best_value(backend, 0) + best_value(backend, 1)
    if not backend.zero_sum:
        best -= average_value(backend, 0) + average_value(backend, 1)
    return best / 2


def average_value(backend: Measured, player: int = 0) -> float:
    """What a player earns when both follow their averages."""
    return float(np.dot(backend.root(player), backend.average_values(player)))
