"""Corrections of the value net, shared by lines that go the same way.

What flops solved to the river give beyond the net is measured for some lines of some depths. Lines
of the same actions differ the less in it the nearer their depths and pots are. All measurements of
such lines are therefore read as one Gaussian process over the logarithms of depth and pot: its mean
is the correction of a line, measured or not, and its standard deviation the error that is left.
"""

from collections.abc import Sequence
from math import log2, sqrt
from typing import Final, NamedTuple

import numpy as np

from endspiel.kernels.arrays import Floats
from endspiel.preflop.shipped import MeasuredLine, Way, way_of

# Of a pot, root mean square (docs/preflop.md): what the net gives lines beside solved flops, and by
# how much that differs between two lines of the same actions, one twice as deep as the other.
NET_ERROR: Final = 0.015
LIKE_ERROR: Final = 0.005


class Correction(NamedTuple):
    """What solved flops add to the net's values of a line."""

    added: Floats  # [2, 169] share of the pot
    mean: float  # share of the pot that the big blind's range wins more
    error: float  # share of the pot


def correction(solved: Sequence[MeasuredLine], depth: float, line: str) -> Correction | None:
    """What solved flops say of a line; nothing where none are of a line that goes the same way."""
    here, alike = way_of(line, depth), list[tuple[Way, MeasuredLine]]()
    for one in solved:
        way = way_of(one.line, one.depth)
        if way.words == here.words:
            alike.append((way, one))
    if not alike:
        return None
    between = np.array([[_together(one, two) for two, _ in alike] for one, _ in alike])
    noise = np.diag([one.error**2 for _, one in alike])
    common = np.array([_together(here, way) for way, _ in alike])
    weights = np.linalg.solve(between + noise, common)
    added = np.tensordot(weights, np.stack([one.added for _, one in alike]), 1)
    mean = float(weights @ [one.mean for _, one in alike])
    return Correction(added, mean, sqrt(max(NET_ERROR**2 - float(weights @ common), 0.0)))


def _together(one: Way, two: Way) -> float:
    """Covariance of two lines' corrections."""
    apart = abs(log2((one.behind + one.pot / 2) / (two.behind + two.pot / 2)))
    apart += abs(log2(one.pot / two.pot))
    doubling = 1 - LIKE_ERROR**2 / NET_ERROR**2 / 2  # the correlation across one
    return float(NET_ERROR**2 * doubling**apart)
