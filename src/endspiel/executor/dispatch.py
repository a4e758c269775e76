"""Tasks on their way through a pool: a bounded number at a time, none lost.

A worker that dies takes one task with it. That task is done once more; a second death is its
outcome.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Final

from endspiel.executor.tasks import (
    Death,
    ExecutorTask,
    TaskOutcome,
    WorkerDied,
    WorkerPool,
    outcome_of,
)

AHEAD: Final = 32  # results a worker that may wait for an earlier one
DEATHS: Final = 2  # of workers at one task, after which it is given up

NumberedTask = tuple[int, ExecutorTask]


class Dispatch:
    """The tasks of one job, drawn from an iterator as workers can take them."""

    def __init__(self, pool: WorkerPool, tasks: Iterator[NumberedTask], first: int) -> None:
        self.pool = pool
        self._tasks = tasks
        self._waiting: deque[NumberedTask] = deque()  # drawn, or lost with a worker
        self._under_way: dict[int, ExecutorTask] = {}
        self._deaths: Counter[int] = Counter()
        self._due = first  # number of the next result in order
        self._early: dict[int, TaskOutcome] = {}

    def as_found(self) -> Generator[TaskOutcome, None, None]:
        """Outcomes as they are found."""
        while True:
            self._fill()
            if not self._under_way and not self._waiting:
                return
            for number, answer in self.pool.wait():
                task = self._under_way.pop(number)
                if not isinstance(answer, Death):
                    yield outcome_of(number, answer)
                elif (lost := self._lost(number, task, answer)) is not None:
                    yield lost

    def in_order(
        self, early: Callable[[TaskOutcome], None] = lambda outcome: None
    ) -> Generator[TaskOutcome, None, None]:
        """Outcomes in the order of their tasks.

        Those that must wait for another are passed to `early` when they are found.
        """
        for outcome in self.as_found():
            if outcome.number != self._due:
                early(outcome)
            self._early[outcome.number] = outcome
            while self._due in self._early:
                self._due += 1
                yield self._early.pop(self._due - 1)

    def _fill(self) -> None:
        """Hand over tasks while workers can take them."""
        while self._draw() and self.pool.has_room(self._waiting[0][1].needs):
            number, task = self._waiting.popleft()
            self.pool.submit(number, task)
            self._under_way[number] = task

    def _draw(self) -> bool:
        """Whether a task may be handed over: one that was lost, or a new one."""
        if not self._waiting and len(self._early) < AHEAD * self.pool.size:
            self._waiting.extend(islice(self._tasks, 1))
        return bool(self._waiting)

    def _lost(self, number: int, task: ExecutorTask, death: Death) -> TaskOutcome | None:
        """The outcome of a task whose worker died; None where it is done once more."""
        self._deaths[number] += 1
        if self._deaths[number] < DEATHS:
            self._waiting.appendleft((number, task))
            return None
        return TaskOutcome(
            number,
            None,
            WorkerDied(
                f"{DEATHS} workers died at the same task ({death.reason}): it may need more "
                "memory than there is"
            ),
        )
