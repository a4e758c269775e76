"""Dilated entropy: the distance over a treeplex whose smoothed responses are softmaxes.

    d(x) = sum over states j of  w_j * x_parent(j) * KL(p_j || c_j)

where p_j is the behavior of plan x at state j and c the center, uniform at first (Hoda, Gilpin,
Pena, Sandholm 2010). It is zero at the center, positive elsewhere, and its Bregman distance is the
same sum with another center. Any positive weights w_j make it strongly convex inside the treeplex;
how fast a method converges depends on them, so several choices are given.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from endspiel.errors import GameError
from endspiel.game import Game, Treeplex
from endspiel.kernels.arrays import Floats

PROBES = 8  # plans of the other player that "spread" weights are measured against
SMALLEST_MASS = float(np.finfo(np.float64).tiny)  # below it a reciprocal overflows
SMALLEST_SPREAD = 1e-6  # share of the largest weight that every state keeps


class DilatedEntropy:
    """One player's distance, with everything the smoothed problem asks of it."""

    def __init__(self, plex: Treeplex, weights: Floats, center: Floats) -> None:
        self.plex = plex
        self.weights = weights  # [S] the same for all actions of a state
        self.center = center  # [S] behavior, all positive
        self._pull = weights * np.log(center)  # [S] what the center adds to a gradient
        self._pull[: plex.num_roots] = 0

    @cached_property
    def diameter(self) -> float:
        """The largest distance of any plan: the distance is convex, so a pure plan has it."""
        return self.plex.best_value(-self._pull)

    def respond(self, gradient: Floats, mu: float) -> tuple[float, Floats]:
        """Maximum of <gradient, x> - mu * d(x), and the plan [S] that attains it."""
        return self.plex.smoothed(gradient + mu * self._pull, mu * self.weights)

    def around(self, center: Floats) -> "DilatedEntropy":
        """The distance from another behavior [S]."""
        return DilatedEntropy(self.plex, self.weights, center)

    def recentered(self, plan: Floats, blend: float) -> "DilatedEntropy":
        """The distance from a plan [S], which is first blended with uniform behavior."""
        return self.around((1 - blend) * behavior_of(self.plex, plan) + blend * self.plex.uniform())

    @cached_property
    def modulus(self) -> float:
        """Strong convexity in the sum norm.

        The distance is a sum of v_s x_s log x_s, with v_s the weight of the sequence's state less
        the weights of the states that follow it. Where all v_s are positive, Cauchy-Schwarz on its
        Hessian gives 1 / (largest sum of x_s / v_s over all plans).
        """
        share = self.weights.copy()
        for block in self.plex:
            np.subtract.at(share, block.parent, block.of(self.weights)[0])
        roots = self.plex.num_roots
        if (share[roots:] <= 0).any():
            raise GameError(
                'these weights give no known strong convexity: take "global" or "treeplex"'
            )
        cost = np.zeros_like(share)
        cost[roots:] = 1 / share[roots:]
        size = self.plex.best_value(cost)
        return 1 / size if size > 0 else np.inf


def behavior_of(plex: Treeplex, plan: Floats) -> Floats:
    """The behavior [S] of a plan [S]; uniform where its masses are too small to divide by."""
    return plex.behavior(plan * (plan >= SMALLEST_MASS))


Gradient = Callable[[int, Floats], Floats]  # as Game.gradient


def weights_for(name: str, game: Game, player: int, gradient: Gradient) -> Floats:
    """Weights [S] by name, scaled so that the distance from uniform play is at most one.

    one        every state the same
    global     1 + the largest sum over an action's next states (Farina, Kroer, Sandholm 2021)
    treeplex   2 + twice that sum (Kroer, Waugh, Kilinc-Karzan, Sandholm 2020)
    spread     how far apart the state's best and worst values lie, measured against a few plans

    The first three know only the player's own tree. The last sees that a state which chance or
    the other player rarely brings about has small gradients, and smooths it as little.
    """
    plex = game.plexes[player]
    if name == "spread":
        weights = _spread(game, player, gradient)
    elif name in _RECURSIONS:
        weights = _recursive(plex, *_RECURSIONS[name])
    else:
        known = ", ".join([*_RECURSIONS, "spread"])
        raise GameError(f"EGT knows no weights named {name!r}, only {known}")
    diameter = DilatedEntropy(plex, weights, plex.uniform()).diameter
    return weights / diameter if diameter > 0 else weights


_RECURSIONS = {"one": (1, 0), "global": (1, 1), "treeplex": (2, 2)}


def _recursive(plex: Treeplex, own: float, below: float) -> Floats:
    """Weight of a state: own + below * (largest sum of the weights that follow an action)."""
    weights, total = np.ones(plex.num_sequences), np.zeros(plex.num_sequences)
    for b in range(plex.num_blocks - 1, -1, -1):
        block = plex.block(b)
        weight = own + below * block.of(total).max(axis=0)
        block.of(weights)[:] = weight
        np.add.at(total, block.parent, weight)
    return weights


def _spread(game: Game, player: int, gradient: Gradient) -> Floats:
    """Root mean square, over plans of the other, of each state's best less its worst value."""
    plex, other = game.plexes[player], game.plexes[1 - player]
    rng = np.random.default_rng(0)
    spreads = (plex.spread(gradient(player, other.random_plan(rng))) for _ in range(PROBES))
    weights: Floats = (sum(spread**2 for spread in spreads) / PROBES) ** 0.5
    top = float(weights.max())
    return weights.clip(SMALLEST_SPREAD * top) if top > 0 else weights + 1
