"""How long a run may still take, told from its measurements so far."""

import math
from collections.abc import Sequence

from endspiel.solvers.run import Until
from endspiel.solvers.solution import TracePoint


def seconds_left(points: Sequence[TracePoint], until: Until) -> float | None:
    """Time until the first of the limits, where there is a trend to tell it from."""
    if not points:
        return None
    last = points[-1]
    guesses = [_to_target(points, until.target)]
    if until.iterations is not None and last.iteration > 0:
        guesses.append(last.seconds * (until.iterations / last.iteration - 1))
    if until.seconds is not None:
        guesses.append(until.seconds - last.seconds)
    known = [max(0.0, guess) for guess in guesses if guess is not None]
    return min(known, default=None)


def _to_target(points: Sequence[TracePoint], target: float | None) -> float | None:
    """Time to the target if the trend of the last half (a power law) goes on."""
    if not target or len(points) < 4:
        return None
    late, middle = points[-1], points[len(points) // 2]
    if late.exploitability <= target:
        return 0.0
    if not (late.exploitability < middle.exploitability and 0 < middle.seconds < late.seconds):
        return None
    fall = math.log(middle.exploitability / late.exploitability)
    slope = fall / math.log(late.seconds / middle.seconds)
    ratio = math.log(late.exploitability / target) / max(slope, 0.05)
    return late.seconds * (math.exp(min(ratio, 50.0)) - 1)
