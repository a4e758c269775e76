"""Small games and spots on real cards by one `solve`; `endspiel.solve` adds exact rivers to it."""

from typing import Unpack, overload

from endspiel.engine.limits import Limiting, Limits, limits_of
from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.spot import Spot
from endspiel.solvers import solve as games
from endspiel.solvers.solution import Solution
from endspiel.solvers.spots.task import SpotOptions
from endspiel.strategy.spot_solution import SpotSolution, solve_spot

GAME_METHOD = "cfr+"


@overload
def solve(
    game: Game,
    method: str | None = None,
    limits: Limits | None = None,
    *,
    alternating: bool = True,
    **given: Unpack[Limiting],
) -> Solution: ...


@overload
def solve(
    game: Spot,
    method: str | None = None,
    limits: Limits | None = None,
    *,
    options: SpotOptions | None = None,
    **given: Unpack[Limiting],
) -> SpotSolution: ...


def solve(
    game: Game | Spot,
    method: str | None = None,
    limits: Limits | None = None,
    *,
    options: SpotOptions | None = None,
    alternating: bool = True,
    **given: Unpack[Limiting],
) -> Solution | SpotSolution:
    """Solve a game or a spot by any method: `solve(spot, "dcfr", target=0.001)`.

    A game's target is in its own units and its default method CFR+; a spot's is a share of the
    pot and its default discounted CFR, or cubic weights where a river's stakes are very deep.
    Other limits are `iterations` and `seconds`; a spot also takes `options` (threads, memory,
    locks). Ctrl-C raises KeyboardInterrupt, unless `keep_on_interrupt` asks for the best so far.
    """
    limits = limits_of(limits, given)
    if isinstance(game, Spot):
        return solve_spot(game, method, limits, options)
    if not isinstance(game, Game):
        raise GameError(f"only a Game or a Spot can be solved, not {type(game).__name__}")
    if options is not None:
        raise GameError("options (threads, memory, locks) are of spots, not of a Game")
    return games.solve(game, method or GAME_METHOD, limits, alternating=alternating)
