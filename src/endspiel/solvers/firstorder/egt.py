"""Excessive gap technique: first-order equilibrium finding with a certificate.

Each player i has a smoothed best-response value against a plan of the other,

    f_i(z) = max over own plans x of  <gradient_i(z), x> - mu_i * d_i(x),

with d_i the dilated entropy. Nesterov (2005) keeps a pair of plans for which the sum of both
smoothed values is at most zero: the excessive gap condition. As d_i is at most its diameter D_i,
the duality gap of such a pair (the sum of the unsmoothed values, twice the exploitability) is at
most mu_0 D_0 + mu_1 D_1. A step shrinks one mu and moves the pair so that the condition stays true.

The step's Bregman projection needs no code of its own. From the smoothed response to z, with the
gradient tau / (1 - tau) times that of the new plan, it is the smoothed response to the mixed plan
with the new mu: for entropy both are softmaxes of the same sum. And gradients are linear, so those
of mixed plans are mixed, not computed: three products a step, or two where the same player's mu
shrinks again, and none to check the condition or to know the duality gap.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Floats
from endspiel.solvers.firstorder.dilated import DilatedEntropy, behavior_of, weights_for

FIRST_TAU = 0.5
LEAST_TAU = 1e-9  # where this is still refused, rounding hides the condition
BAND = 1.5  # one player's mu shrinks until it is this many times smaller than the other's
BLEND, BLEND_DECAY = 0.1, 0.6  # share of uniform play in the k-th new center: 0.1 * 0.6^k
VECTORS = 24  # vectors [S] a player that are there at the peak
ROUNDING = 16 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class EGTOptions:
    """Which EGT: how states are weighed, how mu shrinks, when the distance gets a new center."""

    weights: str = "spread"  # a name that `dilated.weights_for` knows
    aggressive: bool = True  # longest steps that keep the condition; else Nesterov's schedule
    recenter: float = 0.2  # start again from the best pair when its gap is this share; 0: never

    def __post_init__(self) -> None:
        if not 0 <= self.recenter < 1:
            raise GameError(f"EGT recenters at a share of the gap below 1, not {self.recenter}")
        if self.recenter and not self.aggressive:
            raise GameError("EGT by Nesterov's schedule keeps its center: recenter must be 0")


PLAIN = EGTOptions("global", aggressive=False, recenter=0.0)


@dataclass(frozen=True)
class Pair:
    """Both players' plans, what each player's sequences earn against the other's, and both mu."""

    plans: tuple[Floats, Floats]  # [S0], [S1]
    gradients: tuple[Floats, Floats]  # [S0], [S1]
    mu: tuple[float, float]


class EGT:
    """A running solve by the excessive gap technique."""

    def __init__(self, game: Game, options: EGTOptions | None = None) -> None:
        game.require_perfect_recall("EGT")
        self.game = game
        self.options = options or EGTOptions()
        self.iteration = 0
        self.gradients = 0  # products with the payoff matrix so far
        self.recenterings = 0
        self.distances = self._distance(0), self._distance(1)
        self._tau = FIRST_TAU
        self._player: int  # whose mu shrank last
        self._reply: Floats | None  # gradient against that player's newest response
        self.gap = np.inf  # duality gap of the best pair: twice its exploitability
        self._accept(1, self._search(1.0) if self.options.aggressive else self._safe_start(), None)
        self._first_mu = max(self.pair.mu)
        self._first_gap = self.gap

    def _distance(self, player: int) -> DilatedEntropy:
        plex = self.game.plexes[player]
        weights = weights_for(self.options.weights, self.game, player, self._gradient)
        return DilatedEntropy(plex, weights, plex.uniform())

    def _gradient(self, player: int, plan: Floats) -> Floats:
        self.gradients += 1
        return self.game.gradient(player, plan)

    @property
    def bound(self) -> float:
        """The certificate of the current pair: its duality gap is at most this."""
        return self._bound(self.pair)

    def _bound(self, pair: Pair) -> float:
        return sum(mu * d.diameter for mu, d in zip(pair.mu, self.distances, strict=True))

    def step(self) -> None:
        """Shrink one player's mu; start again around the best pair where the options say so."""
        self.iteration += 1
        if self.gap <= 0 or self.bound <= self._rounding(self.pair):
            return
        if self.options.aggressive:
            self._shrink_freely()
        else:
            player = 1 - self._player
            reply = self._reply_to_response(player)
            self._accept(player, *self._shrunk(player, 2 / (self.iteration + 2), reply))
        if self.gap < self.options.recenter * self._first_gap:
            self._recenter()

    def _shrink_freely(self) -> None:
        """The longest step of the halvings of tau that keeps the condition (Hoda et al. 2010)."""
        sizes = [mu * d.diameter for mu, d in zip(self.pair.mu, self.distances, strict=True)]
        same = sizes[self._player] * BAND >= sizes[1 - self._player]
        player = self._player if same else 1 - self._player
        known = self._reply if same else None
        reply = self._reply_to_response(player) if known is None else known
        while self._tau > LEAST_TAU:
            pair, next_reply = self._shrunk(player, self._tau, reply)
            if self.excess(pair) <= 0:
                self._accept(player, pair, next_reply)
                return
            self._tau /= 2

    def _reply_to_response(self, p: int) -> Floats:
        """The other player's gradient [S] against player p's smoothed response."""
        _, response = self.distances[p].respond(self.pair.gradients[p], self.pair.mu[p])
        return self._gradient(1 - p, response)

    def _shrunk(self, p: int, tau: float, reply: Floats) -> tuple[Pair, Floats]:
        """Nesterov's step on player p's mu: a pair, and the gradient against p's new response."""
        q, old = 1 - p, self.pair
        middle = _mix(old.gradients[q], reply, tau)
        _, answer = self.distances[q].respond(middle, old.mu[q])
        slope = _mix(old.gradients[p], self._gradient(p, answer), tau)
        mu = (1 - tau) * old.mu[p]
        _, response = self.distances[p].respond(slope, mu)
        next_reply = self._gradient(q, response)
        pair = Pair(
            _ordered(p, _mix(old.plans[p], response, tau), _mix(old.plans[q], answer, tau)),
            _ordered(p, slope, _mix(old.gradients[q], next_reply, tau)),
            (mu, old.mu[1]) if p == 0 else (old.mu[0], mu),
        )
        return pair, next_reply

    def _accept(self, player: int, pair: Pair, reply: Floats | None) -> None:
        self.pair, self._player, self._reply = pair, player, reply
        gap = self._duality_gap(pair)
        if gap < self.gap:
            self.gap, self._best = gap, pair.plans

    def _duality_gap(self, pair: Pair) -> float:
        both = zip(self.game.plexes, pair.gradients, strict=True)
        return sum(plex.best_value(slope) for plex, slope in both)

    def excess(self, pair: Pair | None = None) -> float:
        """Sum of both smoothed values, rounding forgiven: the condition wants it not positive."""
        pair = pair or self.pair
        both = zip(self.distances, pair.gradients, pair.mu, strict=True)
        total = sum(distance.respond(slope, mu)[0] for distance, slope, mu in both)
        return total - self._rounding(pair)

    def _rounding(self, pair: Pair) -> float:
        """A few units in the last place of the terms that cancel in the condition."""
        (x, y), (slope0, slope1) = pair.plans, pair.gradients
        size = float(abs(slope0) @ x + abs(slope1) @ y) + self._bound(pair)
        return ROUNDING * size

    def _against_center(self) -> Floats:
        """Player 1's gradient [S1] against the center of player 0's distance."""
        center = self.game.plexes[0].walk_down(self.distances[0].center)
        return self._gradient(1, center)

    def _respond_twice(self, slope: Floats, mu: float) -> Pair:
        """Nesterov's first pair: smoothed responses to the center's slope, and to that response."""
        one, two = self.distances
        _, y = two.respond(slope, mu)
        against = self._gradient(0, y)
        _, x = one.respond(against, mu)
        return Pair((x, y), (against, self._gradient(1, x)), (mu, mu))

    def _search(self, mu: float) -> Pair:
        """The first pair of the smallest mu, by halving or doubling, that meets the condition."""
        slope = self._against_center()
        pair = self._respond_twice(slope, mu)
        if self.excess(pair) > 0:
            while self.excess(pair) > 0:
                mu *= 2
                pair = self._respond_twice(slope, mu)
            return pair
        while self._duality_gap(pair) > 0 and self._bound(pair) > self._rounding(pair):
            mu /= 2
            smaller = self._respond_twice(slope, mu)
            if self.excess(smaller) > 0:
                break
            pair = smaller
        return pair

    def _safe_start(self) -> Pair:
        """The first pair of a mu for which tau = 2 / (k + 3) keeps the condition at every step k.

        A step may have tau^2 / (1 - tau) <= mu_0 mu_1 / L^2, L = max |A| / sqrt(modulus_0
        modulus_1). The product of both mu falls as 2 / ((k + 1) (k + 2)), so twice L^2 will do.
        """
        payoffs = self.game.matrix.data
        largest = float(np.abs(payoffs).max()) if len(payoffs) else 0.0
        one, two = self.distances
        mu = largest * float(np.sqrt(2 / (one.modulus * two.modulus)))
        return self._respond_twice(self._against_center(), mu or 1.0)

    def _recenter(self) -> None:
        """Measure distance from the best pair, and start again there: its responses are near.

        Restarts in the manner of Gilpin, Pena, Sandholm (2012), whose proof is for the Euclidean
        distance. A little uniform play keeps every action within reach of the new center.
        """
        self.recenterings += 1
        blend = BLEND * BLEND_DECAY**self.recenterings
        one, two = self.distances
        self.distances = (
            one.recentered(self._best[0], blend),
            two.recentered(self._best[1], blend),
        )
        self._first_gap = self.gap
        self._tau = FIRST_TAU
        self._accept(self._player, self._search(self._first_mu), None)
        self._first_mu = max(self.pair.mu)

    def average(self) -> Profile:
        """The pair with the smallest duality gap so far: the solution."""
        one, two = self.game.plexes
        return Profile((behavior_of(one, self._best[0]), behavior_of(two, self._best[1])))

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        counts = [self.iteration, self.gradients, self.recenterings, self._player]
        scalars = [*self.pair.mu, self._tau, self._first_mu, self.gap, self._first_gap]
        reply = np.zeros(0) if self._reply is None else self._reply
        arrays: dict[str, Any] = {"counts": np.array(counts), "scalars": np.array(scalars)}
        for player in (0, 1):
            arrays[f"plan{player}"] = self.pair.plans[player]
            arrays[f"gradient{player}"] = self.pair.gradients[player]
            arrays[f"best{player}"] = self._best[player]
            arrays[f"center{player}"] = self.distances[player].center
        return arrays | {"reply": reply}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration, self.gradients, self.recenterings, self._player = map(int, arrays["counts"])
        if self._player not in (0, 1):
            raise ValueError(f"player {self._player} is none")
        if len(arrays["reply"]) not in (0, self.game.plexes[1 - self._player].num_sequences):
            raise ValueError("the reply is not one of this game")
        if any(arrays[f"center{player}"].min() <= 0 for player in (0, 1)):
            raise ValueError("a center is not inside its player's strategies")
        mu0, mu1, self._tau, self._first_mu, self.gap, self._first_gap = map(
            float, arrays["scalars"]
        )
        plans, slopes, best = (
            (arrays[f"{name}0"], arrays[f"{name}1"]) for name in ("plan", "gradient", "best")
        )
        self.pair, self._best = Pair(plans, slopes, (mu0, mu1)), best
        self._reply = arrays["reply"] if len(arrays["reply"]) else None
        one, two = self.distances
        self.distances = one.around(arrays["center0"]), two.around(arrays["center1"])


def _mix(old: Floats, new: Floats, tau: float) -> Floats:
    return (1 - tau) * old + tau * new


def _ordered(p: int, own: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The pair (own, other) of player p in the players' order."""
    return (own, other) if p == 0 else (other, own)
