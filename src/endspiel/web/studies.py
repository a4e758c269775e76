"""Endgames that an agent solved at the table, as spots to be opened and solved on the page."""

from dataclasses import dataclass

import numpy as np

from endspiel.agent import Agent
from endspiel.agent.stages import SolvesEndgames
from endspiel.betting.limit import limit_menu
from endspiel.betting.menu import Sizing
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Floats
from endspiel.web.messages import Refused, SpotText
from endspiel.web.spots import spot_text

DECIMALS = 2  # of a hand's weight: a range of a thousand hands must still be a text


@dataclass(frozen=True, eq=False)
class StudiedStreet:
    """A street as the agent saw it begin."""

    board: tuple[int, ...]
    pot: int
    stack: int
    ranges: tuple[Floats, Floats]  # [1326] each, out of position first
    sizing: Sizing
    rake: Rake = NO_RAKE


def endgame_of(agent: Agent) -> StudiedStreet | None:
    """The endgame that an agent has just used, if it solved a street from its start."""
    root = agent.stages.root if isinstance(agent, SolvesEndgames) else None
    if root is None or not isinstance(root.endgame, LiveEndgame):
        return None
    endgame = root.endgame
    state, (own, other) = endgame.state, endgame.state.spent
    if own != other or not state.line.endswith("/"):  # after a bet off the menu: no street's start
        return None
    stack, sizing = min(state.game.stacks) - own, endgame.sizing
    if sizing is None:
        sizing, needed = limit_menu(state.game, state.round)
        stack = min(stack, needed)
    return StudiedStreet(endgame.board, 2 * own, stack, endgame.ranges, sizing, endgame.rake)


def spot_of(study: StudiedStreet) -> SpotText:
    """The endgame as a spot; hands that hardly ever come are left out."""
    first, second = (_weights(weights) for weights in study.ranges)
    try:
        how = (study.sizing, study.rake)
        spot = Spot(study.board, study.pot, study.stack, (first, second), *how)
    except EndspielError as error:
        raise Refused(f"this endgame makes no spot: {error}", "", 409) from error
    return spot_text(spot)


def _weights(weights: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Weights [1326] from 0 to 1 with few decimals, the likeliest hand's 1."""
    most = float(weights.max()) or 1.0
    return np.asarray((weights / most).round(DECIMALS), dtype=np.float64)
