"""What is handed to workers and what comes back, wherever they are."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from endspiel.errors import EndspielError


class TaskWorker(Protocol):
    """What each process makes for itself, once, and does tasks with."""

    def work(self, task: Any, /) -> Any:
        """The result of one task, which depends on nothing but the task and how it was made."""

    def close(self) -> None:
        """Give back what it holds."""


@dataclass(frozen=True)
class WorkerJob:
    """One kind of work: how a process makes its worker. Both parts can be pickled."""

    make: Callable[[Any], TaskWorker]
    start: Any
    # Whether the user's script is read by every process, as agents that it registers need; the
    # script must then begin its work under `if __name__ == "__main__"`.
    reads_script: bool = False


@dataclass(frozen=True)
class TaskNeeds:
    """What a task can use: it is given to a worker that has it."""

    gpus: int = 0
    memory_bytes: int = 0  # of main memory; 0 where it is next to nothing


NOTHING_SPECIAL = TaskNeeds()


class ExecutorTask(NamedTuple):
    """One task and what it can use."""

    content: Any
    needs: TaskNeeds = NOTHING_SPECIAL


class TaskOutcome(NamedTuple):
    """What became of a task: its result, or why there is none."""

    number: int  # from 0, in the order given
    found: Any
    error: Exception | None = None


class TaskFailure(NamedTuple):
    """An error on its way home."""

    error: Exception
    trace: str


class WorkerTraceback(Exception):  # noqa: N818  (the cause of an error, not one itself)
    """Where an error came about in a worker."""


class WorkerBug(RuntimeError):  # noqa: N818  (whose error it is, not what kind)
    """An error that is no user's, as its worker named it: the kind, and what it says."""


class WorkerDied(EndspielError):  # noqa: N818  (named after the event)
    """A worker that was killed, or lost with its machine, more than once at the same task."""


def failure_of(error: Exception) -> TaskFailure:
    """Return an error in a form that survives a pipe; foreign ones keep their name only."""
    trace = traceback.format_exc()
    if isinstance(error, EndspielError):
        return TaskFailure(error, trace)
    if isinstance(error, MemoryError):
        return TaskFailure(MemoryError(str(error)), trace)
    if isinstance(error, OSError):
        return TaskFailure(OSError(error.errno, error.strerror or str(error)), trace)
    return TaskFailure(WorkerBug(f"{type(error).__name__}: {error}"), trace)


def outcome_of(number: int, found: Any) -> TaskOutcome:
    """What a worker sent for a task, as its outcome."""
    if not isinstance(found, TaskFailure):
        return TaskOutcome(number, found)
    found.error.__cause__ = WorkerTraceback(found.trace)
    return TaskOutcome(number, None, found.error)


class Death(NamedTuple):
    """What is known of a worker that is gone."""

    reason: str  # "killed by signal 9"


class TaskNews(NamedTuple):
    """What became of a task under way: its result or failure, or the death of its worker."""

    number: int
    answer: Any | TaskFailure | Death


class WorkerPool(Protocol):
    """Workers for one job at a time, wherever they are."""

    @property
    def size(self) -> int:
        """Tasks that are worked at side by side; a cluster may grow and shrink."""

    def begin(self, token: str, job: WorkerJob, count: int | None) -> None:
        """Take tasks of this job from now on; `count` of them, if that is known.

        Workers begin to start; the call does not wait for them.
        """

    def ready(self) -> bool:
        """Whether a worker waits for work."""

    def has_room(self, needs: TaskNeeds) -> bool:
        """Whether a task would be taken now; an error where no worker could ever take it."""

    def submit(self, number: int, task: ExecutorTask) -> None:
        """Hand a task to a worker."""

    def wait(self) -> list[TaskNews]:
        """Wait until something is done, and return it; empty where workers became ready."""

    def drop(self) -> None:
        """Give up the tasks under way."""

    def close(self) -> None:
        """End the workers, and whatever they are at."""
