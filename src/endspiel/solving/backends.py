"""Backends for drivers of one's own: a game or a spot laid out for its kernels."""

from endspiel.engine.backend import Backend
from endspiel.game import Game
from endspiel.games.spot import Spot
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.firstorder.cfr import PlexBackend
from endspiel.solving.spots import card_game


def make_backend(game: Game | Spot, threads: int = 1) -> Backend:
    """Lay a game or a spot out for its kernels; a spot's values are shares of the pot.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> solve = es.Driver(es.make_backend(river), es.SCHEMES["cfr+"])
        >>> solve.advance(100)
        >>> solve.exploitability() < 0.01
        True
    """
    if isinstance(game, Spot):
        return BoardBackend(card_game(game), threads)
    return PlexBackend(game)
