"""From chips to a rate in thousandths of a big blind a hand, with its 95% interval."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from endspiel.errors import EndspielError
from endspiel.rules.game_def import GameDef

Floats = NDArray[np.float64]
_UPPER: Final = 0.975  # both tails together leave 5 percent


@dataclass(frozen=True)
class Estimate:
    """A mean over independent units, in mbb a hand.

    Examples:
        >>> import endspiel as es
        >>> result = es.play_match("pot-odds", "random", hands=200, seed=1, workers=1)
        >>> result.main.name, result.main.units, result.main.interval[0] < result.main.mean
        ('duplicate', 100, True)
    """

    name: str
    mean: float
    error: float | None  # standard error; None with fewer than two units
    units: int  # hands, or pairs of hands that share a deal

    @property
    def half_width(self) -> float | None:
        """Half of the 95% interval, by Student's distribution."""
        if self.error is None:
            return None
        return self.error * float(stdtrit(self.units - 1, _UPPER))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, or None where there is too little to tell."""
        half = self.half_width
        return None if half is None else (self.mean - half, self.mean + half)

    def gain(self, plain: "Estimate") -> float | None:
        """How many times as many hands the plain estimator would need for the same interval."""
        if not self.error or plain.error is None:
            return None
        return (plain.error / self.error) ** 2

    def __str__(self) -> str:
        half = self.half_width
        return f"{self.mean:+.1f}" + ("" if half is None else f" ± {half:.1f}")


def milli_blinds(game: GameDef, chips: ArrayLike) -> Floats:
    """Chips in thousandths of the big blind: same shape."""
    return np.asarray(chips, np.float64) * (1000 / game.big_blind)


def estimate(name: str, values: ArrayLike) -> Estimate:
    """Mean and standard error of independent values [units], in mbb."""
    sample = np.asarray(values, np.float64)
    if sample.ndim != 1 or not len(sample):
        raise EndspielError(f"the {name} estimate needs a list of values, at least one")
    error = float(sample.std(ddof=1)) / sqrt(len(sample)) if len(sample) > 1 else None
    return Estimate(name, float(sample.mean()), error, len(sample))


def plain(values: Floats, name: str = "plain") -> Estimate:
    """Every hand on its own: values [sections, hands] in mbb.

    The hands of a pair are not independent. Their luck cancels in part, so that the interval is
    wider than need be, which is what a duplicate estimate mends.
    """
    return estimate(name, values.ravel())


def duplicate(values: Floats, name: str = "duplicate") -> Estimate:
    """Pairs of hands with one deal and the seats exchanged: values [2, hands] in mbb."""
    if len(values) != 2:
        raise EndspielError("a duplicate estimate needs two sections with the same deals")
    return estimate(name, values.mean(axis=0))


def running(values: Floats, points: int = 400) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Units so far, mean so far and half of its interval, at a limited number of points: [P] each.

    Values [units] are independent, in the order played.
    """
    counts = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / counts
    # Deviations from the final mean keep the digits that raw squares would lose.
    moved = values - values.mean()
    centered = np.cumsum(moved) / counts
    spread = np.maximum(np.cumsum(moved**2) / counts - centered**2, 0)
    kept = np.unique(np.linspace(1, len(values), min(points, len(values))).astype(np.int64))
    kept = kept[kept > 1]
    halves = stdtrit(kept - 1, _UPPER) * np.sqrt(spread[kept - 1] / (kept - 1))
    return kept, means[kept - 1], halves
