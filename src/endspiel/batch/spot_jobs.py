"""Spots on their way to a backend of a batch, and what comes back."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from endspiel.batch.planning import SpotMethod
from endspiel.games.spot import Spot
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot
from endspiel.solving.streams import RootRun


@dataclass(frozen=True, eq=False)
class SpotJob:
    """One spot of a batch."""

    number: int
    spot: Spot
    memory_bytes: int  # that its solve takes, or at most
    held: PreparedSpot | None = None  # ready to be solved; no other process is sent it

    def __getstate__(self) -> dict[str, Any]:
        return vars(replace(self, held=None))


@dataclass(frozen=True)
class SpotStart:
    """What is done with every spot; it can be pickled."""

    how: SpotMethod
    finish: Callable[[SpotSolution], Any]  # what the batch wants of a solution
    finish_root: Callable[[RootRun], Any] | None = None  # where the root suffices
    by_hand: bool = False  # whether that wants the values of hands

    def prepare(self, job: SpotJob) -> PreparedSpot:
        """A spot ready to be solved; may refuse it, with an EndspielError."""
        return job.held if job.held is not None else self.how.prepare(job.spot)


class SpotOutcome(NamedTuple):
    """What became of a job: what `finish` made of its solution, or why there is none."""

    number: int
    found: Any
    error: Exception | None = None


SpotOutcomes = Generator[SpotOutcome, None, None]


class BatchBackend(Protocol):
    """Solves jobs, as many at once as it likes."""

    def solve(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        """Draw the jobs one after another, and hand back each one's outcome as it is found.

        What one job raises is its outcome and stops no other. Closed by a caller who wants no more
        (after Ctrl-C), it ends the solves under way, which then have no outcome.
        """
