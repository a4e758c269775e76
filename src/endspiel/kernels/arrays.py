"""The flat arrays that kernels work on; every treeplex, whatever its game, is these."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.floating]


class PlexArrays(NamedTuple):
    """One player's decision points as flat arrays, parents before children.

    Block b holds ``states[b]`` private states (K) with ``actions[b]`` actions (A) each. Its
    sequences are ``first[b] + a * K + k``, so one action is one contiguous slice. State k follows
    the player's own sequence ``base[b] + maps[map_at[b] + k]``; blocks share their maps.
    """

    first: Ints  # [B]
    states: Ints  # [B]
    actions: Ints  # [B]
    base: Ints  # [B]
    map_at: Ints  # [B]
    maps: Ints  # [M]


class Discounts(NamedTuple):
    """How one iteration weighs the past: factors on stored regrets and on the stored average."""

    positive: float
    negative: float
    average: float
    predict: float  # weight of the newest regret when it is counted twice (predictive variants)
