"""The worker's side, in this process, in one of its own and on a cluster."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from threadpoolctl import ThreadpoolController

from endspiel.executor.tasks import TaskOutcome, TaskWorker, WorkerJob, failure_of


class ServingDesk:
    """The worker of a process: made for a job's first task, closed when another job's comes.

    Matrices are multiplied in one thread: processes share the cores already, and the number of
    threads may change the last digits.
    """

    def __init__(self, at_hand: TaskWorker | None = None) -> None:
        self._token = ""
        self._worker: TaskWorker | None = None
        self._at_hand = at_hand  # made by somebody else, who closes it
        self._blas: ThreadpoolController | None = None

    def found(self, token: str, job: Callable[[], WorkerJob], content: Any) -> Any:
        """The result of a task, or how it failed."""
        try:
            worker = self._worker_of(token, job)
            with self._one_thread():
                return worker.work(content)
        except Exception as error:
            return failure_of(error)

    def outcome(self, token: str, job: WorkerJob, number: int, content: Any) -> TaskOutcome:
        """One task in this process, whose errors need no wrapping."""
        try:
            worker = self._at_hand or self._worker_of(token, lambda: job)
            with self._one_thread():
                return TaskOutcome(number, worker.work(content))
        except Exception as error:
            return TaskOutcome(number, None, error)

    def _worker_of(self, token: str, job: Callable[[], WorkerJob]) -> TaskWorker:
        if self._worker is None or token != self._token:
            self.close()
            asked = job()
            self._worker, self._token = asked.make(asked.start), token
        return self._worker

    def _one_thread(self) -> AbstractContextManager[Any]:
        if self._blas is None:  # once a worker is made, what it multiplies with is loaded
            self._blas = ThreadpoolController()
        limited: AbstractContextManager[Any] = self._blas.limit(limits=1, user_api="blas")
        return limited

    def close(self) -> None:
        """Close the worker, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()
