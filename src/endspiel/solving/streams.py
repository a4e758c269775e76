"""Spots solved side by side in one batch: all by one schedule, each until its own target."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import Checkpoint, RunTask, best, run
from endspiel.engine.schemes import CUBIC, SPOT_SCHEMES
from endspiel.errors import EndspielError
from endspiel.games.nodes import find_place
from endspiel.gpu.backend import GameAverages, Maker, StreamBatch
from endspiel.gpu.layout import game_bytes
from endspiel.gpu.machine import Kind
from endspiel.kernels.arrays import Float64s
from endspiel.kernels.regrets import shares
from endspiel.solvers.boards.locks import hold_locks
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solvers.memory import format_bytes
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot, kind_of

Make = Callable[[], SpotSolution]  # takes a while, and may run in any thread
Finish = Callable[[int, Make], None]


@dataclass(frozen=True, eq=False)
class RootRun:
    """What came of a spot where it begins, without its averages on the boards that follow."""

    task: PreparedSpot
    shares: Float64s  # [A, K] what the first player to decide does with each hand
    value: float  # player 0's payoff, a share of the pot
    exploitability: float
    iterations: int
    seconds: float
    stopped: str
    won: tuple[Float64s, Float64s] | None = None  # [K] what each hand is worth, where asked for
    best: tuple[Float64s, Float64s] | None = None  # [K] and by best responses


FinishRoot = Callable[[int, RootRun], None]


def check_room(task: PreparedSpot, free: int) -> int:
    """Bytes of a task on a device; refused where more are needed than are free."""
    kind_of(task.spot).check(task.method, ["device"])
    task.game.betting.check_zero_sum("the GPU")
    needed = game_bytes(task.game)
    if needed > free:
        raise EndspielError(
            f"solving this spot on the GPU needs {format_bytes(needed)} and {format_bytes(free)} "
            "are free there: use fewer bet sizes or narrower ranges"
        )
    return needed


def run_alone(task: PreparedSpot, limits: Limits, maker: Maker) -> SpotSolution:
    """Solve one task."""
    found: list[SpotSolution] = []
    Together([task], limits, maker).run(lambda number, make: found.append(make()))
    return found[0]


class Together(Driver[StreamBatch]):
    """Tasks of one method and one target, set up to be solved together; `run` it in any thread.

    To `run` below, a batch is measured by the worst of the spots that are not done.
    """

    def __init__(self, tasks: Sequence[PreparedSpot], limits: Limits, maker: Maker) -> None:
        batch = StreamBatch([task.game for task in tasks], maker)
        super().__init__(batch, SPOT_SCHEMES[tasks[0].method])
        self.tasks, self.limits = tasks, tasks[0].limits(limits)
        self.target = self.limits.target_units
        self.finish: Finish = lambda number, make: None
        self.finish_root: FinishRoot | None = None
        self.by_hand = False
        for number, task in enumerate(tasks):
            self.backend.apply_locks(number, task.locks)
        self.traces: list[list[TracePoint]] = [[] for _ in tasks]
        self.best: dict[int, BoardStrategy] = {}  # of schemes that may get worse again
        self.left = set(range(len(tasks)))
        self.start = 0.0

    def run(
        self, finish: Finish, finish_root: FinishRoot | None = None, by_hand: bool = False
    ) -> None:
        """Solve all; each is handed on when it is done, by number. Then memory is given back.

        Where there is a `finish_root`, those whose root suffices go there: none with locks,
        and none of a scheme that may get worse again. They have values `by_hand` if asked for.
        """
        self.finish, self.finish_root, self.start = finish, finish_root, time.perf_counter()
        self.by_hand = by_hand
        try:
            _, stopped = run(
                self, self.measure, self.limits, Checkpoint.of(self.limits, self.named)
            )
            self.finish_all(stopped)
        finally:
            self.backend.close()

    def named(self) -> RunTask:
        """What a checkpoint must agree with."""
        fingerprint = "-".join(task.fingerprint for task in self.tasks)
        method, parameters = self.tasks[0].method, self.scheme.parameters()
        return RunTask("batch of spots with their locks", fingerprint, method, parameters)

    def measure(self) -> float:
        """The greatest exploitability of the spots that are not done; those that are now go."""
        gaps = np.maximum(self.backend.exploitability(), 0.0)
        seconds = time.perf_counter() - self.start
        worst = max((float(gaps[number]) for number in self.left), default=0.0)
        for number in sorted(self.left):
            trace = self.traces[number]
            trace.append(TracePoint(self.iteration, seconds, float(gaps[number])))
            if self.tasks[number].method == CUBIC and best(trace) is trace[-1]:
                averages, task = self.backend.averages(number), self.tasks[number]
                self.best[number] = _strategy(task, averages)
        done = [n for n in self.left if self.target is not None and gaps[n] <= self.target]
        self._hand_on(done, "target")
        return worst

    def finish_all(self, stopped: str) -> None:
        """Hand on whatever is not done yet."""
        if not all(self.traces):  # a run that was finished before it went on
            self.measure()
        self._hand_on(sorted(self.left), stopped)

    def _hand_on(self, numbers: Sequence[int], stopped: str) -> None:
        values: Float64s = self.backend.value() if numbers else np.zeros(0)
        hands = self._hands() if numbers and self.by_hand else None
        for number in numbers:
            self.left.remove(number)
            task, value = self.tasks[number], float(values[number])
            if self.finish_root is None or task.locks or task.method == CUBIC:
                self.finish(number, self._made(number, value, stopped))
            else:
                root = self._root(number, value, stopped)
                if hands is not None:
                    won, best = ((rows[0][number], rows[1][number]) for rows in hands)
                    root = replace(root, won=won, best=best)
                self.finish_root(number, root)
            self.backend.retire(number)

    def _hands(self) -> list[list[list[Float64s]]]:
        """What every game's hands [K] are worth to both players, and by best responses."""
        measures = self.backend.average_values, self.backend.best_values
        return [[values(player) for player in (0, 1)] for values in measures]

    def _root(self, number: int, value: float, stopped: str) -> RootRun:
        task, newest = self.tasks[number], self.traces[number][-1]
        place, street = find_place(task.game, ""), task.game.streets[0]
        first = street.first[place.player][place.decision] - len(street.starts)
        actions = street.actions[place.player][place.decision]
        kept = self.backend.read(Kind.AVERAGE, (number, 0, 0, place.player))
        taken: Float64s = shares(kept[first : first + actions], axis=0)
        gap, seconds = newest.exploitability, newest.seconds
        return RootRun(task, taken, value, gap, self.iteration, seconds, stopped)

    def _made(self, number: int, value: float, stopped: str) -> Make:
        """What came of a spot, to be made of a copy of its averages."""
        task, trace, iteration = self.tasks[number], self.traces[number], self.iteration
        kept = self.best.pop(number, None)
        averages = self.backend.averages(number)

        def make() -> SpotSolution:
            boards = kept or _strategy(task, averages)
            return task.solved(
                boards,
                value=boards.value() if kept else value,
                exploitability=(best(trace) if kept else trace[-1]).exploitability,
                iterations=iteration,
                seconds=trace[-1].seconds,
                trace=tuple(trace),
                parameters=self.scheme.parameters(),
                stopped=stopped,
                warnings=() if stopped == "target" else task.doubts(self.target),
            )

        return make


def _strategy(task: PreparedSpot, averages: GameAverages) -> BoardStrategy:
    """A spot's averages on its boards."""
    found = averages.strategy(task.game)
    hold_locks(task.game, task.locks, found.locked, (found.average,))
    return found


def same_run(task: PreparedSpot, limits: Limits) -> tuple[str, float | None]:
    """What tasks must share to be solved together: their method and target."""
    return task.method, task.limits(limits).target_units
