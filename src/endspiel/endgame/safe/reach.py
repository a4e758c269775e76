"""What the opponent may get at each entry of an endgame before it gains, gifts on the way counted.

With v(q) what the opponent can get in the endgame S at entry q against the new strategy, the margin
of q is target(q) - v(q). Maxmargin's target is CBV(I, a_S). Reach-Maxmargin's margin

    CBV(I') - CBV^{-> I a_S}(I')

is of the same form: on the way from I' to q nature or the player may leave the path, and what
that pays is in both terms. Taken from CBV(I') once, it leaves

    target(q) = CBV(I') - (what leaving the path by others pays between I' and q)
              = max of CBV(I, a_S) and, for each infoset of the path, its best action that leads
                away from S less what others' leaving pays from there on.

Where nothing but S is solved again, that is CBV(I, a_S) and the gifts on top of it: what each of
the opponent's actions on the path gave away.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from endspiel.engine.gadget import Values

TOLERANCE = 1e-7  # of the largest target: what counts as rounding


@dataclass(frozen=True)
class Alternatives:
    """What the opponent may get at each entry, in the opponent's counterfactual units."""

    base: Values  # [..., Q] what the base strategy gives: CBV(I, a_S), the part of it inside S
    target: Values  # [..., Q] margins are measured from here
    limit: Values  # [..., Q] the new strategy must not give more

    @classmethod
    def plain(cls, values: Values) -> "Alternatives":
        """CBV(I, a_S) itself: for Re-solve and Maxmargin."""
        return cls(values, values, values)

    @classmethod
    def with_gifts(cls, values: Values, gifts: Values) -> "Alternatives":
        """For Reach-Maxmargin, where nothing but this endgame is solved again."""
        return cls(values, values + gifts, values + gifts)

    @property
    def rounding(self) -> float:
        """By how much an entry may be over a limit without passing it."""
        return TOLERANCE * float(abs(self.target).max()) if len(self.target) else 0.0

    @property
    def gifts(self) -> Values:
        """How much the opponent gives away by coming to each entry at all [..., Q]."""
        return self.target - self.base


class Parting(NamedTuple):
    """An infoset of the opponent's on the path to an entry."""

    leaving: Values  # what its best action is worth that leads away from the path
    beside: Values  # what others' leaving the path pays between the infoset before and this one


def reach_target(entry: Values, beside: Values, path: Iterable[Parting]) -> Values:
    """Reach-Maxmargin's target of an entry: the best of entering and of leaving the path before.

    The entry is worth CBV(I, a_S), and what others pay beside the endgame once it is taken; the
    path goes from the last infoset to the first.
    """
    target = entry
    for leaving, between in path:
        target = np.maximum(target, leaving - beside)
        beside = beside + between
    return target


def given_away(values: Values, taken: int) -> Values:
    """The gift [...] of an action: what the best of them [A, ...] is worth more than it."""
    return values.max(axis=0) - values[taken]
