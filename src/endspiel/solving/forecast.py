"""The time of a run: estimated from its size before it begins, then from its measurements."""

import math
from collections.abc import Sequence

from endspiel.engine.limits import Limits, TracePoint
from endspiel.games.card_game import CardGame
from endspiel.progress import Observe, Progress

TOO_LONG = 3e7  # seconds, a year: a trend that says more says nothing
# Of discounted CFR on the board kernels; docs/cost-model.md has the measurements.
RIVER_SECONDS = 1.2e-9  # a kept float and iteration, one thread
STREETS_SECONDS = 2.9e-9  # the same where cards are still to come
THREAD_POWER = 0.85  # n threads are as fast as n to this power
USUAL_TARGET, USUAL_ITERATIONS = 1e-3, 130  # what most spots take to this share of the pot
TARGET_POWER = 0.6  # iterations grow as one over the target to this power


def seconds_ahead(game: CardGame, threads: int, limits: Limits) -> float | None:
    """About how long a solve takes before it has begun: right to a factor of a few, as a rule."""
    boards = game.tree.num_boards
    one = game.store_size * (RIVER_SECONDS if len(boards) == 1 else STREETS_SECONDS)
    iteration = one / min(threads, boards[-1]) ** THREAD_POWER
    guesses = [limits.seconds]
    if limits.iterations is not None:
        guesses.append(limits.iterations * iteration)
    if limits.target_units:
        needed = USUAL_ITERATIONS * (USUAL_TARGET / limits.target_units) ** TARGET_POWER
        guesses.append(needed * iteration)
    return min((guess for guess in guesses if guess is not None), default=None)


def seconds_left(points: Sequence[TracePoint], limits: Limits) -> float | None:
    """Time until the first of the limits, where there is a trend to tell it from."""
    if not points:
        return None
    last = points[-1]
    guesses = [_to_target(points, limits.target_units)]
    if limits.iterations is not None and last.iteration > 0:
        guesses.append(last.seconds * (limits.iterations / last.iteration - 1))
    if limits.seconds is not None:
        guesses.append(limits.seconds - last.seconds)
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
    left = late.seconds * (math.exp(min(ratio, 50.0)) - 1)
    return left if left < TOO_LONG else None


class SolveWatch:
    """Reports each measurement of a solve as progress, with the time that it may still take."""

    def __init__(
        self,
        observe: Observe,
        limits: Limits | None = None,
        unit: str = "",
        scale: float = 1.0,
    ) -> None:
        self.observe, self.limits, self.unit = observe, limits, unit
        self.scale = scale  # shown exploitability = measured * scale
        self.points = list[TracePoint]()

    def __call__(self, point: TracePoint) -> None:
        """Report a measurement."""
        self.points.append(point)
        shown = f"exploitability {point.exploitability * self.scale:.3g}{self.unit}"
        left = self.seconds_left()
        self.observe(
            Progress("iteration", point.iteration, text=shown, seconds=point.seconds, left=left)
        )

    def seconds_left(self) -> float | None:
        """Time until the first of the limits, where there is a trend to tell it from."""
        return None if self.limits is None else seconds_left(self.points, self.limits)
