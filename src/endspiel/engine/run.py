"""Running an iterative solver: when to measure, when to stop, how to be stopped and go on."""

import math
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Protocol, runtime_checkable

import msgspec

from endspiel.engine.limits import Limits, TracePoint
from endspiel.errors import EndspielError, FileError
from endspiel.interrupts import noticed

KIND = "checkpoint"
_ENDLESS = 1 << 53  # iterations that no run gets to
_WEIGHTS = ("iteration", "average", "behavior", "kept", "plan", "best")  # none under 0
LOOK_AGAIN = 100  # a target that is near is looked for after this part of the iterations
SAVE_COST = 20  # saving takes at most one second of this many
MEASURE_COST = 7  # iterations that a measurement takes at most, until one has been timed
RECENT = 9  # durations of which the median estimates the next one
LEAST_ITERATIONS = 20  # made before a deadline, as long as it has not passed
BATCH_SECONDS = 0.05  # how long steps taken at once may keep a limit or Ctrl-C waiting


class _Progress(msgspec.Struct):
    """A checkpoint's record of the run so far."""

    trace: list[TracePoint]
    seconds: Annotated[float, msgspec.Meta(ge=0)]


class Stepping(Protocol):
    """A solver that gets better by steps."""

    @property
    def iteration(self) -> int: ...

    def step(self) -> None: ...


@runtime_checkable
class Iterative(Stepping, Protocol):
    """A solver that can be put down and taken up again."""

    def state(self) -> dict[str, Any]: ...

    def restore(self, arrays: dict[str, Any]) -> None: ...


@runtime_checkable
class Batched(Protocol):
    """A solver that takes many steps at once faster than one by one, with the same result."""

    def advance(self, steps: int) -> None: ...


@runtime_checkable
class Keeping(Protocol):
    """A solver that may get worse again, and can keep the strategy it has."""

    def keep(self) -> None: ...

    def fall_back(self) -> None:
        """Take the strategy that was kept last, if any, for the result; learning ends here."""


@dataclass(frozen=True)
class RunTask:
    """What a run solves, and how: what a checkpoint must agree with."""

    name: str
    fingerprint: str
    method: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Checkpoint:
    """Where a run writes itself down, how often, and what must match to go on from it."""

    path: Path
    task: RunTask
    every_seconds: float = 30.0

    @classmethod
    def of(cls, limits: Limits, task: Callable[[], RunTask]) -> "Checkpoint | None":
        """Where a task is written down, if anywhere.

        Only then is it asked for: a spot's fingerprint may take longer than its solve.
        """
        if limits.checkpoint is None:
            return None
        return cls(Path(limits.checkpoint), task(), limits.checkpoint_seconds)

    def save(self, solver: Stepping, trace: list[TracePoint], seconds: float) -> None:
        """Write the run down, with the measurements that were due."""
        record = {**vars(self.task), "trace": trace, "seconds": seconds}
        self.write(record, _whole(solver).state())

    def write(self, record: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Put a record and a state there."""
        from endspiel import files  # few runs have a checkpoint

        files.save(self.path, KIND, record, arrays)

    def read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """What was put there last, if anything; what was left half written is removed."""
        from endspiel import files

        files.remove_leftovers(self.path)
        files.check_place(self.path)
        return files.load(self.path, KIND) if self.path.exists() else None

    def check(self, own: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Refuse arrays that are not such as a solver's own."""
        check_state(own, arrays)

    def load(self, solver: Stepping) -> tuple[list[TracePoint], float]:
        """Take the solver to where the file left it, if there is one: its trace and seconds."""
        found = self.read()
        if found is None:
            return [], 0.0
        record, arrays = found
        self._check_task(record)
        try:
            return self._take_up(_whole(solver), record, arrays)
        except (FileError, KeyError, IndexError, TypeError, ValueError) as error:
            raise FileError(f"{self.path} is no checkpoint of this solver: {error}") from error

    def _check_task(self, record: dict[str, Any]) -> None:
        """Refuse what another run wrote."""
        task = self.task
        if record.get("fingerprint") != task.fingerprint:
            raise FileError(
                f"{self.path} is a checkpoint of another game, {record.get('name')}, "
                f"not of this {task.name}"
            )
        from endspiel.ledger import check_same

        check_same(self.path, record, {"method": task.method, "parameters": task.parameters})

    def _take_up(
        self, solver: Iterative, record: dict[str, Any], arrays: dict[str, Any]
    ) -> tuple[list[TracePoint], float]:
        """Take the solver to where the file left it, once all of the file is seen to be sound."""
        from endspiel.checking import read_record

        about = read_record(record, _Progress)
        self.check(solver.state(), arrays)
        solver.restore(arrays)
        if not 0 <= solver.iteration < _ENDLESS:
            raise FileError(f"{solver.iteration} iterations are none")
        ends = [0, *(point.iteration for point in about.trace), solver.iteration + 1]
        if any(low >= high for low, high in pairwise(ends)):
            raise FileError("its measurements are not in the order of its iterations")
        return about.trace, about.seconds


def _whole(solver: Stepping) -> Iterative:
    """The solver, as one that can be put down."""
    if not isinstance(solver, Iterative):
        raise EndspielError(f"{type(solver).__name__} keeps no state for a checkpoint")
    return solver


def check_state(own: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Refuse arrays that are not such as a solver's own, or hold what is no finite number."""
    from endspiel.checking import check_finite, take

    for name, array in own.items():
        if array.size and name not in arrays:
            raise FileError(f"it lacks the array {name}")
    for name, array in arrays.items():
        if name in own and own[name].size:
            take(arrays, name, own[name].dtype, own[name].shape)
        check_finite(name, array)
        if name.startswith(_WEIGHTS) and array.min(initial=0) < 0:
            raise FileError(f"its array {name} holds {array.min()}, which is under 0")


def next_check(iteration: int) -> int:
    """The iteration to measure at after this one: every tenth at first, then every tenth part."""
    check = 10
    while check <= iteration:
        check += max(10, check // 100 * 10)
    return check


def next_due(iteration: int, trace: list[TracePoint], target: float | None) -> int:
    """The iteration to measure at next: by the schedule, or when the target should be reached.

    The trend is that of the last two scheduled measurements, a power of the iterations. Nothing
    depends on where a run was interrupted, as long as the trace has what was due and nothing else.
    """
    scheduled = next_check(iteration)
    if not target:
        return scheduled
    by_schedule = (p for p in reversed(trace) if next_check(p.iteration - 1) == p.iteration)
    latest = list(islice(by_schedule, 2))
    if len(latest) < 2:
        return scheduled
    (last, before), newest = latest, trace[-1]
    if not target < newest.exploitability or not 0 < last.exploitability < before.exploitability:
        return scheduled
    fall = math.log(before.exploitability / last.exploitability)
    power = fall / math.log(last.iteration / before.iteration)
    missing = math.log(newest.exploitability / target) / power
    if missing > math.log(scheduled / newest.iteration):
        return scheduled
    wait = max(1, newest.iteration // LOOK_AGAIN)
    reached = math.ceil(newest.iteration * math.exp(missing))
    return min(scheduled, max(reached, newest.iteration + wait, iteration + 1))


def run(
    solver: Stepping,
    measure: Callable[[], float],
    limits: Limits,
    checkpoint: Checkpoint | None = None,
    every: int | None = None,
    batch_seconds: float = BATCH_SECONDS,
) -> tuple[list[TracePoint], str]:
    """Step until done; the measurements of exploitability made, and why it ended.

    Measurements come by a schedule, or `every` few iterations; steps are taken together as far
    as they take no longer than `batch_seconds`. Ctrl-C raises KeyboardInterrupt,
    as everywhere; where the limits say so, it ends the run after the steps under way instead, and
    what was found so far is kept. A solver that can keep the best it had ends with that.
    """
    if not limits.given:
        raise EndspielError("a solve needs a target, a number of iterations or a time")
    trace, before = checkpoint.load(solver) if checkpoint else ([], 0.0)
    pace = _Pace(solver, limits, perf_counter() - before, batch_seconds)
    due_save = perf_counter() + checkpoint.every_seconds if checkpoint else math.inf
    reason = limits.met(trace)
    on_time = list(trace)  # without the measurement that only the run's end calls for
    due = _next_due(solver, on_time, limits, every)
    with noticed() if limits.keep_on_interrupt else nullcontext() as interrupted:
        while not reason:
            stop = pace.out_of_time() or limits.reached(solver.iteration, pace.seconds)
            reason = "interrupted" if interrupted and interrupted.is_set() else stop
            if not reason:
                pace.advance(due)
            if reason or solver.iteration >= due:
                if not trace or trace[-1].iteration < solver.iteration:
                    trace.append(TracePoint(solver.iteration, pace.seconds, pace.timed(measure)))
                    limits.observe(trace[-1])
                    if solver.iteration >= due:
                        on_time.append(trace[-1])
                        _keep_best(solver, on_time)
                due = _next_due(solver, on_time, limits, every)
                reason = reason or limits.met(trace)
            if checkpoint and (reason or perf_counter() >= due_save):
                began = perf_counter()
                _save(checkpoint, solver, on_time, pace.seconds)
                spent = perf_counter() - began
                due_save = perf_counter() + max(checkpoint.every_seconds, SAVE_COST * spent)
    if isinstance(solver, Keeping) and best(trace) is not trace[-1]:
        solver.fall_back()
    return trace, reason


def _next_due(solver: Stepping, trace: list[TracePoint], limits: Limits, every: int | None) -> int:
    """The iteration to measure at next."""
    if every is not None:
        return (solver.iteration // every + 1) * every
    return next_due(solver.iteration, trace, limits.target_units)


def _save(checkpoint: Checkpoint, solver: Stepping, trace: list[TracePoint], at: float) -> None:
    """Write a run down; a failure is reported, and the run continues."""
    try:
        checkpoint.save(solver, trace, at)
    except FileError as error:
        warnings.warn(f"{error}; going on without a checkpoint", stacklevel=3)


def best(trace: list[TracePoint]) -> TracePoint:
    """The measurement of the least exploitability, the last one of equals."""
    return min(reversed(trace), key=lambda point: point.exploitability)


def _keep_best(solver: Stepping, trace: list[TracePoint]) -> None:
    """Let a solver that can do so keep the strategy just measured, if it is the best so far."""
    if isinstance(solver, Keeping) and best(trace) is trace[-1]:
        solver.keep()


def _median(seconds: Sequence[float]) -> float:
    """The lower median of a few durations; the module `statistics` takes 10 ms to load."""
    return sorted(seconds)[(len(seconds) - 1) // 2]


class _Pace:
    """Takes steps: several at once while they are short, and none that would end too late.

    The next iteration and the next measurement are expected to take the median of the recent ones.
    Loading tables and touching memory for the first time make single ones far slower.
    """

    def __init__(
        self, solver: Stepping, limits: Limits, start: float, together: float = BATCH_SECONDS
    ) -> None:
        self.solver, self.limits, self.start = solver, limits, start
        self.together = together  # seconds
        self._batch = 1
        self._iterations: deque[float] = deque(maxlen=RECENT)  # seconds each
        self._measurements: deque[float] = deque(maxlen=RECENT)  # seconds each

    @property
    def seconds(self) -> float:
        """Time the run has taken, in earlier sessions too."""
        return perf_counter() - self.start

    @property
    def _each(self) -> float:
        """Expected seconds of an iteration."""
        return _median(self._iterations) if self._iterations else 0.0

    @property
    def _measurement(self) -> float:
        """Expected seconds of a measurement."""
        return _median(self._measurements) if self._measurements else MEASURE_COST * self._each

    def timed(self, measure: Callable[[], float]) -> float:
        """Measure, and note how long it takes."""
        begun = perf_counter()
        found = measure()
        self._measurements.append(perf_counter() - begun)
        return found

    def out_of_time(self) -> str:
        """Return why another iteration, with a measurement after it, would come too late."""
        made = self.solver.iteration
        spare = self._each + self._measurement if made >= LEAST_ITERATIONS else 0.0
        return "deadline" if made > 0 and self.limits.passed(spare) else ""

    def _fitting(self, due: int) -> int:
        """How many steps to take at once: none beyond the iteration that is due next."""
        limits, each = self.limits, max(self._each, 1e-9)
        end = due if limits.iterations is None else min(due, limits.iterations)
        steps = min(self._batch, end - self.solver.iteration)
        return max(1, int(min(steps, (limits.seconds_left() - self._measurement) / each)))

    def advance(self, due: int) -> None:
        """Take some steps."""
        start, steps = perf_counter(), 1
        if isinstance(self.solver, Batched):
            steps = self._fitting(due)
            self.solver.advance(steps)
        else:
            self.solver.step()
        each = max(perf_counter() - start, 1e-9) / steps
        self._iterations.append(each)
        self._batch = max(1, min(2 * self._batch, int(self.together / each)))
