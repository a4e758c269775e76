"""Best responses, counterfactual best-response values, and exploitability.

Exploitability is the mean of both players' best-response gains (NashConv / 2), in the game's own
units; the supplement's equation 13 makes the profile an e-equilibrium with e at most twice it.
"""

from dataclasses import dataclass

import numpy as np

from endspiel.errors import GameError
from endspiel.game.game import Game, Profile
from endspiel.kernels.arrays import Floats


@dataclass(frozen=True)
class Exploitability:
    """How far a profile is from equilibrium, and between which values it lies.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> found = es.exploitability(game, es.Profile.uniform(game))
        >>> [round(gain, 4) for gain in found.gains], round(found.mean, 4)
        ([0.375, 0.5417], 0.4583)
    """

    value: float  # player 0's payoff when both follow the profile
    best: tuple[float, float]  # each player's best-response payoff, in that player's own sign
    unit: float | None = None  # one big blind in payoff units
    second: float | None = None  # player 1's payoff, in its own sign, where it is not -value

    @property
    def gains(self) -> tuple[float, float]:
        """What each player gains by best responding instead (the supplement's epsilon_i)."""
        second = -self.value if self.second is None else self.second
        return self.best[0] - self.value, self.best[1] - second

    @property
    def mean(self) -> float:
        """The mean of both gains: the exploitability."""
        if self.second is not None:
            return sum(self.gains) / 2
        return (self.best[0] + self.best[1]) / 2

    @property
    def milli_big_blinds(self) -> float:
        """The exploitability in thousandths of a big blind a game."""
        if self.unit is None:
            raise GameError("this game has no big blind to measure exploitability in")
        return 1000 * self.mean / self.unit

    def against(self, value: float) -> tuple[float, float]:
        """Each player's own exploitability, given the game's value (the supplement's x_i)."""
        return value + self.best[1], self.best[0] - value


def best_response(game: Game, player: int, profile: Profile) -> tuple[float, Floats]:
    """A player's best payoff against the profile, and pure behavior [S] that earns it.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.coin_toss()
        >>> value, behavior = es.best_response(game, 0, es.Profile.uniform(game))
        >>> round(value, 6), len(behavior) == game.plexes[0].num_sequences
        (0.416667, True)
    """
    plex = game.plexes[player]
    values, behavior = plex.best_response(game.gradient(player, profile.plan(game, 1 - player)))
    return _at_roots(plex.root, values), behavior


def counterfactual_values(game: Game, player: int, profile: Profile) -> Floats:
    """What each of the player's sequences is worth [S] when the player best responds below it.

    Values are counterfactual: weighed by the chances that the other player and nature bring the
    state about, not by the player's own. A state's value is the largest over its actions.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> values = es.counterfactual_values(game, 0, es.Profile.uniform(game))
        >>> len(values) == game.plexes[0].num_sequences
        True
    """
    gradient = game.gradient(player, profile.plan(game, 1 - player))
    values, _ = game.plexes[player].best_response(gradient)
    return values


def expected_value(game: Game, profile: Profile) -> float:
    """Player 0's payoff when both follow the profile.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> round(es.expected_value(game, es.solve(game, "lp").profile), 6)  # -1/18
        -0.055556
    """
    return float(profile.plan(game, 0) @ game.gradient(0, profile.plan(game, 1)))


def exploitability(game: Game, profile: Profile) -> Exploitability:
    """Both best responses to a profile, computed exactly in the game itself.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> es.exploitability(game, es.solve(game, "lp").profile).mean < 1e-9
        True
    """
    plans = profile.plan(game, 0), profile.plan(game, 1)
    gradients = game.gradient(0, plans[1]), game.gradient(1, plans[0])
    best = []
    for plex, gradient in zip(game.plexes, gradients, strict=True):
        values, _ = plex.best_response(gradient)
        best.append(_at_roots(plex.root, values))
    second = None if game.zero_sum else float(plans[1] @ gradients[1])
    return Exploitability(float(plans[0] @ gradients[0]), (best[0], best[1]), game.unit, second)


def _at_roots(root: Floats, values: Floats) -> float:
    return float(np.dot(root, values[: len(root)]))
