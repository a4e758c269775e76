"""Running the board kernels: batches of iterations, measurements, limits, checkpoints, Ctrl-C."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endspiel import files
from endspiel.errors import FileError
from endspiel.solvers.board_cfr import BoardCFR
from endspiel.solvers.run import BATCH_SECONDS, Until, _interruptible, next_check
from endspiel.solvers.solution import TracePoint

KIND = "spot-checkpoint"


@dataclass(frozen=True)
class SpotCheckpoint:
    """Where a run writes itself down, how often, and what must match to go on from it."""

    path: Path
    task: str  # fingerprint of the spot and its locks
    method: str
    parameters: dict[str, Any]
    every: float = 30.0  # seconds

    def save(self, solver: BoardCFR, trace: list[TracePoint], seconds: float) -> None:
        """Write the run down, without the measurement that only its end called for."""
        due = [p for p in trace if next_check(p.iteration - 1) == p.iteration]
        record = {
            "task": self.task,
            "method": self.method,
            "parameters": self.parameters,
            "trace": [(p.iteration, p.seconds, p.exploitability) for p in due],
            "seconds": seconds,
        }
        files.save(self.path, KIND, record, solver.state())

    def load(self, solver: BoardCFR) -> tuple[list[TracePoint], float]:
        """Take the solver to where the file left it, if there is one: its trace and seconds."""
        if not self.path.exists():
            return [], 0.0
        record, arrays = files.load(self.path, KIND)
        if record.get("task") != self.task:
            raise FileError(f"{self.path} is a checkpoint of another spot or of other locks")
        for name, wanted in (("method", self.method), ("parameters", self.parameters)):
            if record.get(name) != wanted:
                raise FileError(
                    f"{self.path} is a checkpoint with {name} {record.get(name)}, not {wanted}"
                )
        try:
            arrays["iteration"] = arrays["iteration"].reshape(())  # files keep no scalars
            solver.restore(arrays)
            return [TracePoint(*point) for point in record["trace"]], float(record["seconds"])
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{self.path} is no checkpoint of this solver: {error}") from error


def run_boards(
    solver: BoardCFR,
    until: Until,
    observe: Callable[[TracePoint], None],
    checkpoint: SpotCheckpoint | None = None,
) -> tuple[list[TracePoint], str]:
    """Iterate until done; the measurements made, and why it ended.

    Ctrl-C ends the run after the batch under way, which is short; what was found is kept.
    """
    trace, before = checkpoint.load(solver) if checkpoint else ([], 0.0)
    start = time.perf_counter() - before
    saved, batch = time.perf_counter(), 1
    reason = until.met(trace)
    with _interruptible() as interrupted:
        while not reason:
            due = next_check(solver.iteration)
            seconds = time.perf_counter() - start
            stop = until.reason(solver.iteration, seconds)
            reason = "interrupted" if interrupted.is_set() else stop
            if not reason:
                end = due if until.iterations is None else min(due, until.iterations)
                batch = _advance(solver, min(batch, end - solver.iteration))
            if reason or solver.iteration >= due:
                if not trace or trace[-1].iteration < solver.iteration:
                    trace.append(_measure(solver, start))
                    observe(trace[-1])
                reason = reason or until.met(trace)
            if checkpoint and (reason or time.perf_counter() - saved >= checkpoint.every):
                checkpoint.save(solver, trace, time.perf_counter() - start)
                saved = time.perf_counter()
    return trace, reason


def _advance(solver: BoardCFR, steps: int) -> int:
    """Take some steps; how many to take next, so that a batch stays short."""
    start = time.perf_counter()
    solver.step(steps)
    fitting = BATCH_SECONDS / max(time.perf_counter() - start, 1e-9) * steps
    return max(1, min(2 * steps, int(fitting)))


def _measure(solver: BoardCFR, start: float) -> TracePoint:
    gap = max(0.0, solver.exploitability())  # rounding can make nothing look like less
    return TracePoint(solver.iteration, time.perf_counter() - start, gap)
