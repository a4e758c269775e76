"""Who solves the spots of a batch: a backend draws spots as it has room and hands back outcomes.

The backend of workers solves one spot a worker, side by side, in processes or on a cluster; with
GPUs in the cluster, some dozens a worker. The backend of this machine's GPU draws as many as keep
it busy and solves them together. Nothing else in a batch knows the difference.
"""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any, Final

from endspiel.batch.planning import SMALL
from endspiel.batch.spot_jobs import BatchBackend, SpotJob, SpotOutcome, SpotOutcomes, SpotStart
from endspiel.batch.together import SpotsTogether
from endspiel.executor import Executor, ExecutorTask, TaskNeeds, WorkerJob
from endspiel.gpu.cuda.device import cuda_device
from endspiel.gpu.cuda.machine import cuda_machine
from endspiel.solving.devices import CUDA, check_device

TOGETHER: Final = 64  # spots that a GPU of a cluster is handed at once
BESIDE: Final = 4  # threads that work beside a GPU: more would keep Python's lock from its own


def backend(device: str, executor: Executor, largest: int) -> BatchBackend:
    """The backend of a device, for solves of a size in bytes: workers, or this machine's GPU."""
    check_device(device, not executor.on_cluster)
    if device == CUDA and not executor.on_cluster:
        return SpotsTogether(cuda_machine, cuda_device().free_bytes, min(executor.size, BESIDE))
    return SpotWorkers(executor, device, largest >= SMALL)


class SpotWorkers:
    """Workers of an executor, each with one spot at a time, or with some dozens on its GPU."""

    def __init__(self, executor: Executor, device: str, large: bool) -> None:
        self.executor, self.device, self.large = executor, device, large

    def solve(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        """See `BatchBackend`."""
        if self.device == CUDA:
            return self._by_dozens(jobs, start)
        return self._one_by_one(jobs, start)

    def _one_by_one(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        numbers: list[int] = []

        def tasks() -> Iterator[ExecutorTask]:
            for job in jobs:
                numbers.append(job.number)
                yield ExecutorTask(job, TaskNeeds(memory_bytes=job.memory_bytes))

        # Small spots are solved here before a process has started; large ones are not waited for.
        patience = 0.0 if self.large else None
        work = self.executor.outcomes(WorkerJob(SpotSolver, start), tasks(), patience)
        with closing(work):
            for outcome in work:
                yield SpotOutcome(numbers[outcome.number], outcome.found, outcome.error)

    def _by_dozens(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        groups = list(iter(lambda: list(islice(jobs, TOGETHER)), []))
        tasks = [ExecutorTask(group, TaskNeeds(gpus=1)) for group in groups]
        work = self.executor.outcomes(WorkerJob(GroupSolver, start), tasks)
        with closing(work):
            for outcome in work:
                if outcome.error is None:
                    yield from outcome.found
                else:
                    for job in groups[outcome.number]:
                        yield SpotOutcome(job.number, None, outcome.error)


class SpotSolver:
    """Solves spots in a worker, one after another."""

    def __init__(self, start: SpotStart) -> None:
        self.start = start

    def work(self, job: SpotJob) -> Any:
        """What is wanted of the solution of a spot."""
        return self.start.finish(self.start.prepare(job).run(self.start.how.limits))

    def close(self) -> None:
        """Nothing is held."""


class GroupSolver:
    """Solves groups of spots in a worker that has a GPU."""

    def __init__(self, start: SpotStart) -> None:
        self.start = start

    def work(self, jobs: list[SpotJob]) -> list[SpotOutcome]:
        """The outcomes of a group."""
        together = SpotsTogether(cuda_machine, cuda_device().free_bytes)
        return list(together.solve(iter(jobs), self.start))

    def close(self) -> None:
        """Nothing is held."""
