"""Solutions to look things up in: spots on real cards."""

from endspiel.strategy.spot_files import load_solution, save_solution
from endspiel.strategy.spot_solution import SpotSolution, solve_spot
from endspiel.strategy.views import NodeView

__all__ = [
    "NodeView",
    "SpotSolution",
    "load_solution",
    "save_solution",
    "solve_spot",
]
