"""The 169 starting-hand classes (``AA``, ``AKs``, ``AKo``) and their 13 x 13 grid.

Rows and columns of the grid run from ace to two; pairs on the diagonal, suited hands above it,
offsuit hands below it, as every range chart has them.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float64s
from endspiel.cards.deck import NUM_HANDS, NUM_RANKS, RANKS, hand_cards

NUM_CLASSES = 169


def class_name(row: int, column: int) -> str:
    """Name of a grid cell: (0, 0) is ``AA``, (0, 1) is ``AKs``, (1, 0) is ``AKo``."""
    high, low = sorted((12 - row, 12 - column), reverse=True)
    suffix = "" if row == column else "s" if row < column else "o"
    return RANKS[high] + RANKS[low] + suffix


@cache
def class_names() -> tuple[str, ...]:
    """The 169 names, row by row."""
    return tuple(class_name(i // NUM_RANKS, i % NUM_RANKS) for i in range(NUM_CLASSES))


@cache
def hand_classes() -> NDArray[np.int64]:
    """Grid cell, row by row, of every hand: [1326], read-only."""
    cards = hand_cards().astype(np.int64)
    low, high = 12 - (cards >> 2).T  # chart order: ace is 0
    suited = (cards[:, 0] & 3) == (cards[:, 1] & 3)
    cells: NDArray[np.int64] = np.where(suited, high * NUM_RANKS + low, low * NUM_RANKS + high)
    cells.flags.writeable = False
    return cells


@cache
def class_hands() -> tuple[tuple[int, ...], ...]:
    """The hands of each class, in hand order."""
    cells = hand_classes()
    return tuple(tuple(np.flatnonzero(cells == i).tolist()) for i in range(NUM_CLASSES))


def grid(values: Float64s, weights: Float64s | None = None) -> Float64s:
    """Mean of a value over each class's hands, weighted: [13, 13], NaN where no hand weighs."""
    weight = np.ones(NUM_HANDS) if weights is None else weights
    counted = np.where(weight > 0, values * weight, 0.0)
    total = np.bincount(hand_classes(), weight, NUM_CLASSES)
    summed = np.bincount(hand_classes(), counted, NUM_CLASSES)
    mean: Float64s = np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=total > 0)
    return mean.reshape(NUM_RANKS, NUM_RANKS)


def format_grid(values: Float64s) -> str:
    """A [13, 13] grid as lines of text, in percent, ranks along both edges, a dot for none."""
    ranks = RANKS[::-1]
    lines = [" " + "".join(f"{rank:>4}" for rank in ranks)]
    for rank, row in zip(ranks, values, strict=True):
        cells = ("." if np.isnan(value) else f"{100 * value:.0f}" for value in row)
        lines.append(rank + "".join(f"{cell:>4}" for cell in cells))
    return "\n".join(lines)
