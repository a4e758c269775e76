"""Endspiel solves imperfect-information endgames and plays heads-up hold'em with them.

    import endspiel as es

    game = es.games.leduc()
    solution = es.solve(game, method="lp")
    solution.value, es.exploitability(game, solution.profile).mean

Names are loaded when first used, so that importing the package stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from endspiel import code_cache

__version__ = "0.1.0"

if TYPE_CHECKING:
    from endspiel import games
    from endspiel.batch import SpotResult, solve_many
    from endspiel.endgame.solve import solve
    from endspiel.errors import EndspielError
    from endspiel.game import (
        Exploitability,
        Game,
        Profile,
        best_response,
        counterfactual_values,
        expected_value,
        exploitability,
    )
    from endspiel.games.registry import load_game
    from endspiel.games.spot import Spot, load_spot
    from endspiel.solvers.solution import Solution
    from endspiel.solvers.solve import METHODS
    from endspiel.solvers.spot import SpotOptions
    from endspiel.strategy import SpotSolution, load_solution

_HOMES = {
    "EndspielError": "endspiel.errors",
    "Exploitability": "endspiel.game",
    "Game": "endspiel.game",
    "METHODS": "endspiel.solvers.solve",
    "Profile": "endspiel.game",
    "Solution": "endspiel.solvers.solution",
    "best_response": "endspiel.game",
    "counterfactual_values": "endspiel.game",
    "expected_value": "endspiel.game",
    "exploitability": "endspiel.game",
    "load_game": "endspiel.games.registry",
    "Spot": "endspiel.games.spot",
    "SpotOptions": "endspiel.solvers.spot",
    "SpotSolution": "endspiel.strategy",
    "load_solution": "endspiel.strategy",
    "load_spot": "endspiel.games.spot",
    "SpotResult": "endspiel.batch",
    "solve": "endspiel.endgame.solve",
    "solve_many": "endspiel.batch",
}

__all__ = [
    "METHODS",
    "EndspielError",
    "Exploitability",
    "Game",
    "Profile",
    "Solution",
    "Spot",
    "SpotOptions",
    "SpotResult",
    "SpotSolution",
    "best_response",
    "counterfactual_values",
    "expected_value",
    "exploitability",
    "games",
    "load_game",
    "load_solution",
    "load_spot",
    "solve",
    "solve_many",
]

code_cache.prepare()  # before any module with compiled functions is loaded


def __getattr__(name: str) -> Any:
    if name == "games":
        return import_module("endspiel.games")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'endspiel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
