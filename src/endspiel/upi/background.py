"""A solve that runs while commands are read: started, stopped, and taken up again."""

import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from endspiel.engine.limits import Limits, TracePoint
from endspiel.games.spot import Spot
from endspiel.solving.door import solve
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions

REASONS: Final = {
    "target": "required accuracy reached",
    "iterations": "step limit reached",
    "seconds": "time limit reached",
    "interrupted": "stopped by command",
}


@dataclass(frozen=True)
class RunLimits:
    """How far one `go` takes the solve, from where it is."""

    target: float  # share of the pot
    steps: int | None = None
    seconds: float | None = None


class BackgroundSolve:
    """One tree's solve. What learning needs is kept in a file while it rests."""

    def __init__(self, spot: Spot, options: SpotOptions, tell: Callable[[str], None]) -> None:
        self.spot, self.options = spot, options
        self.seconds = 0.0  # spent solving so far
        self.every = 0  # iterations between reports while it runs; 0 for none
        self._tell = tell
        self._solution: SpotSolution | None = None
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._locks: dict[str, str] = {}  # by the node's name, as `SpotOptions` has them
        self._folder = tempfile.TemporaryDirectory(prefix="endspiel-upi-")
        self._told_at = 0

    @property
    def locked(self) -> frozenset[str]:
        """The names of the nodes whose strategies are held fixed."""
        return frozenset(self._locks)

    def lock(self, name: str, text: str | None) -> None:
        """Hold a node's strategy fixed, or no more; what was learned before is forgotten."""
        if text is None:
            del self._locks[name]
        else:
            self._locks[name] = text
        self.options = replace(self.options, locks=tuple(self._locks.values()))
        self._checkpoint.unlink(missing_ok=True)
        self._solution, self.seconds, self._told_at = None, 0.0, 0

    @property
    def _checkpoint(self) -> Path:
        return Path(self._folder.name) / "checkpoint"

    @property
    def running(self) -> bool:
        """Whether steps are being taken now."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def solution(self) -> SpotSolution:
        """The best so far; before any step, every action alike."""
        if self._solution is None:
            self._solution = solve(self.spot, options=self.options, iterations=0)
        return self._solution

    def start(self, go: RunLimits) -> None:
        """Go on from where it is; returns at once."""
        self._stop.clear()
        done = self._solution.iterations if self._solution else 0
        limits = Limits(
            target_units=go.target,
            iterations=None if go.steps is None else done + go.steps,
            seconds=None if go.seconds is None else self.seconds + go.seconds,
            observe=self._report,
            checkpoint=self._checkpoint,
            checkpoint_seconds=float("inf"),
            halt=lambda iteration, seconds: self._stop.is_set(),
        )
        self._thread = threading.Thread(target=self._run, args=(limits,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the steps after those under way, and wait for that."""
        self._stop.set()
        self.wait()

    def wait(self) -> None:
        """Return when no steps are being taken."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stop, and remove what was kept."""
        self.stop()
        self._folder.cleanup()

    def _run(self, limits: Limits) -> None:
        self._tell("SOLVER: started")
        try:
            found = solve(self.spot, options=self.options, limits=limits)
        except Exception as error:  # whatever it is, the waiting thread raises it
            self._tell(f"SOLVER: stopped (ERROR: {type(error).__name__}: {error})")
            return
        self._solution, self.seconds = found, found.seconds
        self.options = replace(self.options, storage=found.boards.storage)  # as it is kept
        self._tell(f"SOLVER: stopped ({REASONS.get(found.stopped, found.stopped)})")

    def _report(self, point: TracePoint) -> None:
        if self.every and point.iteration - self._told_at >= self.every:
            self._told_at = point.iteration
            chips = point.exploitability * self.spot.pot
            self._tell(f"SOLVER:\nrunning time: {point.seconds:.3f}\nExploitable for: {chips:.6f}")
