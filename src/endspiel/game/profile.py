"""A pair of strategies."""

from dataclasses import dataclass

from endspiel.game.game import Game
from endspiel.kernels.arrays import Floats


@dataclass(frozen=True)
class Profile:
    """Both players' behavior: the probability of each action at its own state.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> round(es.expected_value(game, es.Profile.uniform(game)), 3)
        0.125
    """

    behavior: tuple[Floats, Floats]  # [S0], [S1]; 1 at the roots

    @classmethod
    def uniform(cls, game: Game) -> "Profile":
        """Every action with the same probability."""
        return cls((game.plexes[0].uniform(), game.plexes[1].uniform()))

    @classmethod
    def from_plans(cls, game: Game, x: Floats, y: Floats) -> "Profile":
        """The behavior of two plans; uniform where a plan never comes."""
        return cls((game.plexes[0].behavior(x), game.plexes[1].behavior(y)))

    def plan(self, game: Game, player: int) -> Floats:
        """One player's plan [S]."""
        return game.plexes[player].walk_down(self.behavior[player])
