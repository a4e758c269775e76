"""The one executor of long work: the same results from this process, from many, and from Ray."""

import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Self

from endspiel.executor.block_workers import BlockWorkers, OwnBlocks, ProcessBlocks
from endspiel.executor.blocks import BlockGroup
from endspiel.executor.choice import GivenWorkers, WorkerChoice, parse_workers
from endspiel.executor.hosting import MakeBlock
from endspiel.executor.processes import ProcessPool
from endspiel.executor.ray_blocks import RayBlocks
from endspiel.executor.ray_cluster import RayCluster
from endspiel.executor.ray_pool import RayPool
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import (
    Death,
    ExecutorTask,
    TaskOutcome,
    TaskWorker,
    WorkerDied,
    WorkerJob,
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


PATIENCE: Final = 1.0  # seconds of work before other processes are started, which takes as long
TaskOutcomes = Generator[TaskOutcome, None, None]


class Executor:
    """Does tasks in workers, and keeps blocks of state in them; to be closed when all is done.

    What comes back does not depend on how many workers there are, nor on where they are.

    Examples:
        >>> class Squares:
        ...     def __init__(self, plus):
        ...         self.plus = plus
        ...
        ...     def work(self, task):
        ...         return task * task + self.plus
        ...
        ...     def close(self):
        ...         pass
        >>> with Executor(workers=1) as executor:
        ...     list(executor.results(WorkerJob(Squares, 5), [1, 2, 3]))
        [6, 9, 14]

        State that stays where the work is: each block is made in some worker and answers a message
        a step; answers come in the order of the blocks, so that sums have the same digits anywhere.

        >>> class Account:
        ...     def __init__(self, start):
        ...         self.money = start
        ...
        ...     def step(self, message):
        ...         self.money += message
        ...         return self.money
        ...
        ...     def state(self):
        ...         return self.money
        ...
        ...     def restore(self, state):
        ...         self.money = state
        >>> with Executor(workers=1) as executor, executor.blocks(Account, [10.0, 20.0]) as blocks:
        ...     blocks.step([1.0, 2.0])
        ...     blocks.step([1.0, 2.0])
        [11.0, 22.0]
        [12.0, 24.0]
    """

    def __init__(
        self, workers: GivenWorkers = None, *, memory: int | None = None, gpus: int = 0
    ) -> None:
        """`memory` is what tasks of this machine may take together, `gpus` how many it has."""
        self.choice: WorkerChoice = parse_workers(workers)
        self.memory, self.gpus = memory, gpus
        self._pool: WorkerPool | None = None
        self._cluster: RayCluster | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def on_cluster(self) -> bool:
        """Whether workers are Ray's."""
        return bool(self.choice.address)

    @property
    def size(self) -> int:
        """Tasks that are done side by side."""
        return self.cluster.cores if self.on_cluster else self.choice.processes

    @property
    def cluster(self) -> RayCluster:
        """The Ray cluster, connected to when it is first asked for."""
        if self._cluster is None:
            self._cluster = RayCluster(self.choice.address)
        return self._cluster

    def limit(self, processes: int, memory: int | None) -> None:
        """Use no more processes and bytes of this machine than this, before any work."""
        if not self.on_cluster:
            self.choice = WorkerChoice(min(processes, self.choice.processes))
            self.memory = memory

    def results(
        self,
        job: WorkerJob,
        tasks: Iterable[Any],
        at_hand: TaskWorker | None = None,
        patience: float | None = None,
        early: Callable[[Any], None] = lambda found: None,
    ) -> Generator[Any, None, None]:
        """Results in the order of their tasks; the first error in that order is raised.

        Short work is done here, by the worker `at_hand` if there is one; other processes are
        started after `patience` seconds of it. Results that are found before their turn go
        to `early` at once, for a file that survives a killed process.
        """

        def tell(outcome: TaskOutcome) -> None:
            if outcome.error is None:
                early(outcome.found)

        outcomes = self._outcomes(job, tasks, at_hand, patience, lambda d: d.in_order(tell))
        with closing(outcomes):
            for outcome in outcomes:
                if outcome.error is not None:
                    raise outcome.error
                yield outcome.found

    def outcomes(
        self, job: WorkerJob, tasks: Iterable[Any], patience: float | None = None
    ) -> TaskOutcomes:
        """What becomes of each task, as it is found; an error of one stops no other."""
        return self._outcomes(job, tasks, None, patience, Dispatch.as_found)

    def found(
        self, job: WorkerJob, tasks: Iterable[Any], patience: float | None = None
    ) -> Generator[tuple[int, Any], None, None]:
        """Numbers of tasks and their results, as they are found, to be noted at once.

        The first error ends the work.
        """
        with closing(self.outcomes(job, tasks, patience)) as outcomes:
            for outcome in outcomes:
                if outcome.error is not None:
                    raise outcome.error
                yield outcome.number, outcome.found

    def _outcomes(
        self,
        job: WorkerJob,
        tasks: Iterable[Any],
        at_hand: TaskWorker | None,
        patience: float | None,
        drawn: Callable[[Dispatch], TaskOutcomes],
    ) -> TaskOutcomes:
        numbered = enumerate(_tasks(tasks))
        count = len(tasks) if isinstance(tasks, Sized) else None
        token = uuid.uuid4().hex
        done = 0
        if not self.on_cluster:
            wait = PATIENCE if patience is None else patience
            few = self.size == 1 or (count is not None and count < 2)
            here = yield from self._here(token, job, numbered, at_hand, None if few else wait)
            if here is None:
                return
            done = here
        pool = self._begun(token, job, count)
        dispatch = Dispatch(pool, numbered, done)
        whole = False
        try:
            yield from drawn(dispatch)
            whole = True
        finally:
            if not whole:
                pool.drop()

    def _here(
        self,
        token: str,
        job: WorkerJob,
        numbered: Iterator[NumberedTask],
        at_hand: TaskWorker | None,
        patience: float | None,
    ) -> Generator[TaskOutcome, None, int | None]:
        """Tasks done in this process until others are ready: how many; None where all are."""
        done, begun, pool = 0, perf_counter(), None
        if patience == 0:
            return 0
        with closing(ServingDesk(at_hand)) as desk:
            for number, task in numbered:
                yield desk.outcome(token, job, number, task.content)
                done += 1
                if patience is None or perf_counter() - begun < patience:
                    continue
                if pool is None:
                    pool = self._begun(token, job, None)
                if pool.ready():
                    return done
        return None

    def _begun(self, token: str, job: WorkerJob, count: int | None) -> WorkerPool:
        """The pool, with this job begun."""
        if self._pool is None:
            if self.on_cluster:
                self._pool = RayPool(self.cluster)
            else:
                self._pool = ProcessPool(self.size, self.gpus, self.memory)
        self._pool.begin(token, job, count)
        return self._pool

    def blocks(
        self,
        make: MakeBlock,
        starts: Sequence[Any],
        every: int = 1,
        secured_every: int = 1,
        work: Sequence[float] | None = None,
        folder: Path | None = None,
    ) -> BlockGroup:
        """Blocks of state, each made from a start in some worker and owned by it.

        Their states are saved at intervals of steps on the machine of the worker: one that dies is
        replaced, and its blocks go on from there. On a cluster they come home more seldom: after
        `secured_every` steps or more, for a node that is lost. Workers share the blocks by how much
        `work` each is, in any unit. With a folder, processes keep states on its disk.
        """
        owners: BlockWorkers
        if self.on_cluster:
            owners = RayBlocks(self.cluster, min(self.size, len(starts)))
        elif self.size == 1 or len(starts) < 2:
            owners = OwnBlocks()
        else:
            owners = ProcessBlocks(min(self.size, len(starts)), folder)
        how_often = every, secured_every if self.on_cluster else 1
        return BlockGroup(owners, make, starts, how_often, work)

    def close(self) -> None:
        """End the workers, and leave the cluster."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None


@contextmanager
def executor_of(workers: "GivenWorkers | Executor") -> Iterator[Executor]:
    """The executor given, or a new one as long as it is needed."""
    if isinstance(workers, Executor):
        yield workers
        return
    with Executor(workers) as executor:
        yield executor


def _tasks(tasks: Iterable[Any]) -> Iterator[ExecutorTask]:
    """Tasks with what they can use; plain ones can use nothing special."""
    for task in tasks:
        yield task if isinstance(task, ExecutorTask) else ExecutorTask(task)
