"""The family of counterfactual regret minimization: a variant is how it discounts the past."""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

from endspiel.bounds import MOST_ITERATIONS, MOST_POWER
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Discounts

INFINITE = float("inf")
# Sums of 32 bits: the newest iteration must weigh at least one in this many in an average. Less,
# and what they round away each time is no longer small beside it: averages would drift from the
# equilibrium.
LONGEST_AVERAGE = 25_000.0
AVERAGE, CURRENT = "average", "current"  # which strategies are the solution


class Answer(NamedTuple):
    """What a solve gives back: the current strategies, or an average of those played.

    Examples:
        >>> import endspiel as es
        >>> late = es.solve(es.games.kuhn(), iterations=500, answer=es.Answer(delay=100))
        >>> late.exploitability < 0.01
        True
    """

    solution: str = AVERAGE
    delay: int = 0  # iterations that the average leaves out
    weights: float | None = None  # power of t in the average; None: the scheme's own


USUAL = Answer()


@dataclass(frozen=True)
class Scheme:
    """A member of the family: how iteration t discounts what came before (Brown, Sandholm 2019).

    Positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by the same with
    beta, both raised to a power, and iteration t has weight t^gamma in the average. With alpha and
    beta 1, iteration t has weight t^power in the regrets: linear CFR forgets its beginnings like
    1/t, a higher power sooner. A predictive scheme takes the newest regret for a forecast of the
    next, and counts it once more when it chooses (Farina et al. 2021), or a part of it: a third in
    SAPCFR+, which is hurt less where the forecast is wrong (Meng et al. 2025, alpha 2).

    With a delay d, iteration t has weight max(t - d, 0)^gamma in the average, which is of the
    strategies that iterations d + 1 to T played (supplement, equation 8); until then it is the
    newest of them. Where the solution is the current strategy, no average is stored.

    Examples:
        >>> import endspiel as es
        >>> scheme = es.Scheme(alpha=1.5, beta=0.5, gamma=2)
        >>> solve = es.Driver(es.make_backend(es.games.kuhn()), scheme)
        >>> solve.advance(500)
        >>> solve.exploitability() < 0.01
        True
    """

    alpha: float
    beta: float
    gamma: float
    predictive: float = 0.0  # the part
    alternating: bool = True
    power: float = 1
    delay: int = 0
    solution: str = AVERAGE

    def __post_init__(self) -> None:
        if self.solution not in (AVERAGE, CURRENT):
            raise EndspielError(
                f"a solution is the {AVERAGE} or the {CURRENT} strategy, not {self.solution!r}"
            )
        if not 0 <= self.delay <= MOST_ITERATIONS:
            raise EndspielError(
                f"an average is delayed by 0 iterations or more, up to {MOST_ITERATIONS:,}, not "
                f"{self.delay}"
            )
        if not 0 <= self.gamma <= MOST_POWER:
            raise EndspielError(
                f"an average weighs iterations by a power from 0 on, up to {MOST_POWER:g}, not "
                f"{self.gamma}"
            )

    def parameters(self) -> dict[str, Any]:
        """The fields as a file can hold them: numbers that are not finite as words.

        What came later is left out where it does nothing: files from before it say the same.
        """
        usual = {field.name: field.default for field in fields(self)}
        named = {
            name: x
            for name, x in asdict(self).items()
            if name not in ("power", "delay", "solution") or x != usual[name]
        }
        return {name: str(x) if x in (INFINITE, -INFINITE) else x for name, x in named.items()}

    def answering(self, answer: Answer) -> "Scheme":
        """A scheme that learns alike, with another answer."""
        solution, delay, weights = answer
        if solution == CURRENT and answer != Answer(CURRENT):
            raise EndspielError("a delay and weights are of an average, not of current strategies")
        gamma = self.gamma if weights is None else weights
        return replace(self, solution=solution, delay=delay, gamma=gamma)

    @property
    def floors(self) -> bool:
        """Whether negative regrets are forgotten at once, as in CFR+."""
        return self.beta == -INFINITE

    def at(self, t: int, longest_average: float = INFINITE) -> Discounts:
        """What iteration t = 1, 2, ... does to the sums of the t - 1 before it.

        The newest iteration weighs at least one in `longest_average` in the average; but where
        strategies circle for ever, only the average of all of them settles.
        """
        positive, negative = _share(t - 1, self.alpha), _share(t - 1, self.beta)
        if self.power != 1:
            positive, negative = positive**self.power, negative**self.power
        counted = t - self.delay
        average = ((counted - 1) / counted) ** self.gamma if counted > 1 else 0.0
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
    "dcfr+": Scheme(1.5, -INFINITE, 3),  # discounts as dcfr, floors as cfr+ (Xu et al. 2024)
    "pcfr+": Scheme(INFINITE, -INFINITE, 2, predictive=1.0),
    "sapcfr+": Scheme(INFINITE, -INFINITE, 2, predictive=1 / 3),
}
# All but the predictive ones, which need the newest regrets too: the board kernels keep none.
SPOT_SCHEMES = {name: scheme for name, scheme in SCHEMES.items() if not scheme.predictive}
SPOT_SCHEMES["dcfr"] = Scheme(1.25, 0.375, 4)  # chosen by benchmarks/schemes.py
# For rivers whose stakes grow to thousands of pots. Regrets of the first iterations are as large as
# the stakes, and discounted CFR keeps a hundredth of them for ever: later ones, as large as the
# pot, take that many iterations to outweigh them. These weights have forgotten them by then.
CUBIC = "cubic"
SPOT_SCHEMES[CUBIC] = Scheme(1, 1, 4, power=3)
