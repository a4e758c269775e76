"""Long work on many processors: one executor for processes of this machine and for Ray."""

from endspiel.executor.blocks import BlockGroup
from endspiel.executor.choice import GivenWorkers, WorkerChoice, parse_workers
from endspiel.executor.executor import Executor, executor_of
from endspiel.executor.hosting import OwnedBlock
from endspiel.executor.tasks import (
    ExecutorTask,
    TaskNeeds,
    TaskOutcome,
    TaskWorker,
    WorkerBug,
    WorkerDied,
    WorkerJob,
    WorkerTraceback,
)

__all__ = [
    "BlockGroup",
    "Executor",
    "ExecutorTask",
    "GivenWorkers",
    "OwnedBlock",
    "TaskNeeds",
    "TaskOutcome",
    "TaskWorker",
    "WorkerBug",
    "WorkerChoice",
    "WorkerDied",
    "WorkerJob",
    "WorkerTraceback",
    "executor_of",
    "parse_workers",
]
