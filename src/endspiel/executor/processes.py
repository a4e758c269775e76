"""Workers that are processes of this machine.

`concurrent.futures` cannot stand in: one dead worker breaks its whole pool, which does not say at
which task nor why, and workers outlive a parent that is killed. docs/lessons.md has what was tried.
"""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from time import monotonic
from types import ModuleType
from typing import Any, Final, NamedTuple

from endspiel.errors import EndspielError
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import (
    Death,
    ExecutorTask,
    TaskNeeds,
    TaskNews,
    WorkerJob,
    failure_of,
)

_READY: Final = "ready"
_UNPICKLED: Final = (pickle.PicklingError, TypeError, AttributeError, ValueError)
_LEAVE_SECONDS: Final = 5.0
_DROP_SECONDS: Final = 0.2
_STOPPING: Final = (signal.SIGINT, signal.SIGTERM)
_BLAS_THREADS: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


class Heard(NamedTuple):
    """What a worker found: the result of its task, or how it failed."""

    found: Any


class WorkerProcess:
    """One process, and this end of the pipe to it."""

    def __init__(self, reads_script: bool) -> None:
        # Fresh processes: forked ones could inherit locks that threads of this one hold.
        context = get_context("spawn")
        self.end, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _one_blas_thread(), _script(reads_script), _born_deaf():
            self.process.start()
        theirs.close()
        self.ready = False
        self._token = ""  # of the job that it knows

    def send(self, token: str, job: WorkerJob, content: Any) -> None:
        """Hand over a task, and the job where it is new; a dead worker shows when it is heard."""
        with suppress(OSError):
            self.end.send((token, None if token == self._token else job, content))
        self._token = token

    def hear(self) -> "Heard | Death | None":
        """Its answer, or its death; None where it says that it is ready."""
        try:
            said = self.end.recv()
        except (EOFError, OSError):
            return self._death()
        if said == _READY:
            self.ready = True
            return None
        assert isinstance(said, Heard)
        return said

    def _death(self) -> Death:
        self.process.join()
        code = self.process.exitcode or 0
        if not self.ready:
            raise EndspielError(
                f"a worker process did not start (exit status {code}); a script begins its work "
                'under `if __name__ == "__main__":`'
            )
        return Death(f"killed by signal {-code}" if code < 0 else f"exit status {code}")

    def leave(self, busy: bool) -> None:
        """Ask it to go: an idle worker sees the pipe closed, a busy one is interrupted."""
        self.end.close()
        if busy and self.process.pid is not None and hasattr(signal, "SIGKILL"):
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGINT)

    def end_by(self, deadline: float) -> None:
        """Wait until then for it to go, and end it."""
        self.process.join(max(0.0, deadline - monotonic()))
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def close_all(workers: dict[WorkerProcess, bool]) -> None:
    """End workers, each of them busy or not."""
    for worker, busy in workers.items():
        worker.leave(busy)
    deadline = monotonic() + _LEAVE_SECONDS
    for worker in workers:
        worker.end_by(deadline)


class ProcessPool:
    """Processes of this machine that share its graphics processors and memory."""

    def __init__(self, size: int, gpus: int = 0, memory: int | None = None) -> None:
        self.size, self.gpus, self.memory = size, gpus, memory
        self._token, self._job = "", WorkerJob(_no_worker, None)
        self._idle: list[WorkerProcess] = []
        self._starting: list[WorkerProcess] = []
        self._busy: dict[WorkerProcess, tuple[int, TaskNeeds]] = {}  # number of its task
        self._reads_script = False

    def begin(self, token: str, job: WorkerJob, count: int | None) -> None:
        """See `WorkerPool`."""
        if job.reads_script and not self._reads_script:
            self.close()
            self._reads_script = True
        self._token, self._job = token, job
        wanted = self.size if count is None else min(self.size, count)
        while len(self._idle) + len(self._starting) + len(self._busy) < wanted:
            self._starting.append(WorkerProcess(self._reads_script))

    def ready(self) -> bool:
        """See `WorkerPool`."""
        if not self._idle:
            self._hear(self._starting, 0.0)
        return bool(self._idle)

    def has_room(self, needs: TaskNeeds) -> bool:
        """See `WorkerPool`; one task alone is always let into memory."""
        if needs.gpus > self.gpus:
            raise EndspielError(
                f"a task needs {needs.gpus} GPU and this machine's workers have {self.gpus}"
            )
        if not self._idle:
            return False
        under_way = [needs for _, needs in self._busy.values()]
        if sum(each.gpus for each in under_way) + needs.gpus > self.gpus:
            return False
        taken = sum(each.memory_bytes for each in under_way)
        return not under_way or self.memory is None or taken + needs.memory_bytes <= self.memory

    def submit(self, number: int, task: ExecutorTask) -> None:
        """See `WorkerPool`."""
        worker = self._idle.pop()
        worker.send(self._token, self._job, task.content)
        self._busy[worker] = number, task.needs

    def wait(self) -> list[TaskNews]:
        """See `WorkerPool`."""
        return self._hear([*self._busy, *self._starting], None)

    def _hear(self, workers: list[WorkerProcess], seconds: float | None) -> list[TaskNews]:
        """What some workers say within a time."""
        by_end = {worker.end: worker for worker in workers}
        news = []
        for end in wait(list(by_end), seconds):
            worker = by_end[end]  # type: ignore[index]
            said = worker.hear()
            if said is None:
                self._starting.remove(worker)
                self._idle.append(worker)
                continue
            number, _ = self._busy.pop(worker)
            if isinstance(said, Death):
                news.append(TaskNews(number, said))
                close_all({worker: False})
                self._starting.append(WorkerProcess(self._reads_script))
            else:
                news.append(TaskNews(number, said.found))
                self._idle.append(worker)
        return news

    def drop(self) -> None:
        """See `WorkerPool`: those that are through in a moment stay, the others are ended."""
        deadline = monotonic() + _DROP_SECONDS
        while self._busy and monotonic() < deadline:
            self._hear(list(self._busy), max(0.0, deadline - monotonic()))
        close_all(dict.fromkeys(self._busy, True))
        self._busy = {}

    def close(self) -> None:
        """See `WorkerPool`."""
        close_all(
            dict.fromkeys([*self._idle, *self._starting], False) | dict.fromkeys(self._busy, True)
        )
        self._idle, self._starting, self._busy = [], [], {}


def _no_worker(start: object) -> Any:
    raise AssertionError("no job was begun")


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Processes started meanwhile make no threads for matrices."""
    before = {name: os.environ.get(name) for name in _BLAS_THREADS}
    os.environ.update(dict.fromkeys(_BLAS_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _script(read: bool) -> Iterator[None]:
    """Processes started meanwhile read the user's script, or know nothing of it.

    Most work needs nothing of it, and a script without a guard would begin its work once more.
    """
    main = sys.modules["__main__"]
    if not read:
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _born_deaf() -> Iterator[None]:
    """Processes started meanwhile hear no Ctrl-C and no SIGTERM until they serve.

    Both often go to all processes at once. One that still loads its modules would print a
    traceback, or seem unable to start, before this one says that it stops.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else the first process starts it, which unblocks both
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(end: Connection) -> None:
    """A process's life: serve what comes until the other end is closed."""
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    desk, job = ServingDesk(), WorkerJob(_no_worker, None)
    try:
        end.send(_READY)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        while True:
            token, new, content = end.recv()
            job = new or job
            found = desk.found(token, lambda: job, content)  # noqa: B023
            try:
                end.send(Heard(found))
            except _UNPICKLED as error:
                end.send(Heard(failure_of(error)))
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        pass
    finally:
        desk.close()


def _leave_with_parent() -> None:
    """End this process as soon as the one that started it is gone."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
