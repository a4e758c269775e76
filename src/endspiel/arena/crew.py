"""Processes that share out a row of tasks and hand the results back in its order.

Unlike the standard pools, a worker that dies ends the work with an error, and workers whose parent
is killed leave by themselves.
"""

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from time import perf_counter
from typing import Any, Final, NamedTuple, Protocol

from endspiel.errors import EndspielError
from endspiel.executor.tasks import WorkerTraceback
from endspiel.processors import processors

_AHEAD: Final = 8  # results a worker that wait for an earlier one
_LEAVE_SECONDS: Final = 5.0
PATIENCE: Final = 1.0  # seconds of work before other processes are started, which takes as long
_BLAS_THREADS: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


class Worker(Protocol):
    """What each process makes for itself and plays tasks with."""

    def play(self, job: Any, /) -> Any: ...

    def close(self) -> None: ...


class Crew:
    """Some processes, each with its own worker, made there from an argument that can be pickled."""

    def __init__(self, size: int, make: Callable[[Any], Worker], argument: object) -> None:
        # Fresh processes: forked ones could inherit locks that threads of this one hold.
        context = get_context("spawn")
        self._ends: list[Connection] = []
        self._processes = []
        for _ in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, make, argument), daemon=True)
            with _one_blas_thread():
                process.start()
            theirs.close()
            self._ends.append(ours)
            self._processes.append(process)

    def work(self, tasks: Iterator[Any]) -> Iterator[Any]:
        """Results in the order of their tasks."""
        numbered = enumerate(tasks)
        idle = list(self._ends)
        busy: dict[Any, int] = {}
        ready: dict[int, Any] = {}
        due = 0
        while True:
            while idle and len(ready) < _AHEAD * len(self._ends):
                number, task = next(numbered, (-1, None))
                if number < 0:
                    break
                end = idle.pop()
                _send(end, task)
                busy[end] = number
            if not busy:
                return
            for finished in wait(list(busy)):
                ready[busy.pop(finished)] = _result(finished)
                idle.append(finished)  # type: ignore[arg-type]
            while due in ready:
                yield ready.pop(due)
                due += 1

    def close(self) -> None:
        """Let the processes leave, and end those that stay."""
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.join(_LEAVE_SECONDS)
            if process.is_alive():
                process.terminate()
                process.join()


def crew_size(workers: int | None) -> int:
    """So many processes as were asked for; by default one a core."""
    return workers or processors()


def work_through(
    worker: Worker, tasks: Iterator[Any], crew: Callable[[], Crew] | None
) -> Iterator[Any]:
    """Results in the order of their tasks: by a worker at hand, then by a crew if it takes long."""
    begin = perf_counter()
    for task in tasks:
        yield worker.play(task)
        if crew is not None and perf_counter() - begin >= PATIENCE:
            break
    else:
        return
    with closing(crew()) as others:
        yield from others.work(tasks)


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Processes started meanwhile multiply matrices in one thread: they share the cores already."""
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


def _send(end: Connection, task: object) -> None:
    try:
        end.send(task)
    except OSError as error:
        raise EndspielError("a worker process of the match died") from error


def _result(end: Any) -> Any:
    """What a worker answers, or the error it ran into."""
    try:
        answer = end.recv()
    except (EOFError, OSError) as error:
        raise EndspielError("a worker process of the match died") from error
    if isinstance(answer, _Failure):
        raise answer.error from WorkerTraceback(answer.trace)
    return answer


class _Failure(NamedTuple):
    """What a worker answers when it cannot."""

    error: Exception
    trace: str


def _portable(error: Exception) -> Exception:
    """An error that comes out of a pipe as it went in; others are told by name."""
    if isinstance(error, EndspielError):
        return error
    if isinstance(error, MemoryError):
        return MemoryError(str(error))
    return RuntimeError(f"{type(error).__name__}: {error}")


def _serve(end: Connection, make: Callable[[Any], Worker], argument: object) -> None:
    """A process's life: play what comes until the other end is closed."""
    worker: Worker | None = None
    try:
        while True:
            task = end.recv()
            worker = worker or make(argument)
            end.send(worker.play(task))
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        pass
    except Exception as error:
        with suppress(OSError):  # nobody may be there any more to be told
            end.send(_Failure(_portable(error), traceback.format_exc()))
    finally:
        if worker is not None:
            worker.close()
