"""The family of counterfactual regret minimization: a variant is how it discounts the past."""

from dataclasses import asdict, dataclass
from typing import Any

from endspiel.kernels.arrays import Discounts

INFINITE = float("inf")
# Sums of 32 bits: the newest iteration must weigh at least one in this many in an average. Less,
# and what they round away each time is no longer small beside it: averages would drift from the
# equilibrium.
LONGEST_AVERAGE = 25_000.0


@dataclass(frozen=True)
class Scheme:
    """A member of the family: how iteration t discounts what came before (Brown, Sandholm 2019).

    Positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by the same with
    beta, both raised to a power, and iteration t has weight t^gamma in the average. With alpha and
    beta 1, iteration t has weight t^power in the regrets: linear CFR forgets its beginnings like
    1/t, a higher power sooner. A predictive scheme takes the newest regret for a forecast of the
    next, and counts it once more when it chooses (Farina et al. 2021), or a part of it: a third in
    SAPCFR+, which is hurt less where the forecast is wrong (Meng et al. 2025, alpha 2).
    """

    alpha: float
    beta: float
    gamma: float
    predictive: float = 0.0  # the part
    alternating: bool = True
    power: float = 1

    def parameters(self) -> dict[str, Any]:
        """The fields as a file can hold them: numbers that are not finite as words.

        The power is left out where it does nothing: files from before there was one say the same.
        """
        named = asdict(self)
        if self.power == 1:
            del named["power"]
        return {name: str(x) if abs(x) == INFINITE else x for name, x in named.items()}

    def at(self, t: int, longest_average: float = INFINITE) -> Discounts:
        """What iteration t = 1, 2, ... does to the sums of the t - 1 before it.

        The newest iteration weighs at least one in `longest_average` in the average; but where
        strategies circle for ever, only the average of all of them settles.
        """
        positive, negative = _share(t - 1, self.alpha), _share(t - 1, self.beta)
        if self.power != 1:
            positive, negative = positive**self.power, negative**self.power
        average = ((t - 1) / t) ** self.gamma
        if longest_average < INFINITE and self.gamma > 0 and self.beta < self.alpha:
            average = min(average, 1 - 1 / longest_average)
        return Discounts(positive, negative, average, self.predictive)


def _share(t: int, exponent: float) -> float:
    """t^e / (t^e + 1), also for infinite e; 0 before the first iteration."""
    if t == 0:
        return 0.0
    if abs(exponent) == INFINITE:
        return 1.0 if exponent > 0 else 0.0
    power: float = float(t) ** exponent
    return power / (power + 1.0)


SCHEMES = {
    "cfr": Scheme(INFINITE, INFINITE, 0),
    "cfr+": Scheme(INFINITE, -INFINITE, 1),
    "linear": Scheme(1, 1, 1),
    "dcfr": Scheme(1.5, 0, 2),
    "pcfr+": Scheme(INFINITE, -INFINITE, 2, predictive=1.0),
    "sapcfr+": Scheme(INFINITE, -INFINITE, 2, predictive=1 / 3),
}
