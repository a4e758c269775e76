"""Equilibrium trunks: the ways in which equilibria of a game lead into its endgames.

A game with many equilibria has many trunks, and what endgame solving may lose depends on the trunk.
The plans of a player's equilibria are a polytope. Its extremes along every sequence that enters an
endgame are found by linear programs; trunks are taken in their middle and on the way to each pair
of extremes.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from endspiel.endgame.safe.problem import NEVER
from endspiel.endgame.safe.subgame import Endgame
from endspiel.game import Profile
from endspiel.kernels.arrays import Floats, Ints
from endspiel.solvers.lp.refinements import OptimalPlans

ALIKE = 1e-9  # a plan whose entry differs by no more from another's is no other extreme


class EquilibriumTrunk(NamedTuple):
    """An equilibrium for its way into the endgames."""

    profile: Profile
    missed: tuple[int, ...]  # endgames that it never reaches, though other trunks do


def equilibrium_trunks(
    endgames: Sequence[Endgame], steps: Sequence[float]
) -> list[EquilibriumTrunk]:
    """The middle of the extremes first, then points on the way to each pair (1 is the pair).

    One trunk alone where every equilibrium comes into the endgames in the same way.
    """
    game = endgames[0].game
    face = OptimalPlans.of(game)
    extremes = [_extremes(face, player, _entries(endgames, player)) for player in (0, 1)]
    middle = [np.mean(plans, axis=0) for plans in extremes]
    profiles = [Profile.from_plans(game, middle[0], middle[1])]
    if max(map(len, extremes)) > 1:
        for pair, step in product(product(*extremes), steps):
            one, two = (mean + step * (end - mean) for mean, end in zip(middle, pair, strict=True))
            profiles.append(Profile.from_plans(game, one, two))
    reached = [[e.probability(profile) > NEVER for e in endgames] for profile in profiles]
    return [
        EquilibriumTrunk(
            profile, tuple(np.flatnonzero(np.array(reached[0]) & ~np.array(found)).tolist())
        )
        for profile, found in zip(profiles, reached, strict=True)
    ]


def _entries(endgames: Sequence[Endgame], player: int) -> Ints:
    """The player's sequences at which an endgame is entered."""
    found: Ints = np.unique(np.concatenate([e.cut().entries(player) for e in endgames]))
    return found


def _extremes(face: OptimalPlans, player: int, entries: Ints) -> list[Floats]:
    """Equilibrium plans [S] that together have the most and the least of every entry."""
    found: list[Floats] = []
    for entry, sign in product(entries.tolist(), (-1.0, 1.0)):
        direction = np.zeros(face.forms[player].matrix.shape[0])
        direction[entry] = sign
        plan = face.farthest(player, direction)
        if all(sign * (plan - other)[entry] > ALIKE for other in found):
            found.append(plan)
    return found
