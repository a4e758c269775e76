"""A strategy moved to frequencies that were seen: what a player who errs so often does by hand."""

from typing import Final

import numpy as np

from endspiel.arrays import Floats

LOSS_SCALE: Final = 0.05  # of the pot: an action that loses as much is taken e times less
MOST_LOST: Final = 30.0  # such losses beyond which all are alike: e to the minus 30
SPRINKLED: Final = 1e-3  # of each action, so that any frequencies can be met
FITTING: Final = 2000  # steps at most
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
    prior = (strategy + SPRINKLED) * np.exp(-np.minimum(lost / LOSS_SCALE, MOST_LOST))
    factors = np.ones(len(wanted))
    for _ in range(FITTING):
        shares = prior * factors[:, None]
        shares /= shares.sum(axis=0)
        found = shares @ weight
        if np.abs(found - wanted).max() < FITTED:
            break
        factors *= np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
    fitted: Floats = shares
    return fitted
