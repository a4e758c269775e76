"""A strategy moved to frequencies that were seen: what a player who errs so often does by hand."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
LOSS_SCALE: Final = 0.05  # of the pot: an action that loses as much is taken e times less
MOST_LOST: Final = 30.0  # such losses beyond which all are alike: e to the minus 30
SPRINKLED: Final = 1e-3  # of each action, so that any frequencies can be met
FITTING: Final = 200  # steps at most
RIDGE: Final = 1e-9  # of the curvature, which is 0 along a common summand
LONGEST: Final = 3.0  # step of a logarithm
FITTED: Final = 1e-6  # of a frequency


def fit_frequencies(
    strategy: Floats,  # [A, K]
    lost: Floats,  # [A, K] by each action, as a share of the pot
    weight: Floats,  # [K] how often the player is there with each hand; adds up to 1
    wanted: Floats,  # [A]
) -> Floats:
    """The strategy [A, K] near a given one that takes each action as often as wanted.

    Hands that lose least by another action change first: shares are those of the strategy, a little
    of every action added, scaled down by what an action loses, then fitted to the frequencies.
    """
    prior = np.log(strategy + SPRINKLED) - np.minimum(lost / LOSS_SCALE, MOST_LOST)
    taken = wanted > 0
    fitted: Floats = np.zeros_like(prior)
    fitted[taken] = _scaled(prior[taken], weight, wanted[taken] / wanted.sum())
    return fitted


def _scaled(prior: Floats, weight: Floats, wanted: Floats) -> Floats:
    """Shares [A, K] in proportion to e to a prior [A, K] and a summand by action, which is fitted.

    By Newton's method: the summands minimize a convex function whose slope is the difference of
    the frequencies, and whose curvature is the covariance of the shares.
    """
    summands = np.zeros((len(prior), 1))
    for _ in range(FITTING):
        logs = prior + summands
        shares = np.exp(logs - logs.max(axis=0))
        shares /= shares.sum(axis=0)
        found = shares @ weight
        if np.abs(found - wanted).max() < FITTED:
            break
        curvature = np.diag(found) - (shares * weight) @ shares.T
        damped = curvature + (RIDGE + 0.1 * np.abs(found - wanted).max()) * np.diag(wanted)
        step = np.linalg.solve(damped, wanted - found)
        summands += (step / max(np.abs(step).max() / LONGEST, 1.0))[:, None]
    fitted: Floats = shares
    return fitted
