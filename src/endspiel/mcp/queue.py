"""Long work of the tools: one job at a time, with progress, a limit on time, and an early end."""

import threading
import traceback
from collections import OrderedDict, deque
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

from endspiel.errors import EndspielError
from endspiel.progress import Progress
from endspiel.web.messages import Refused

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
MOST_WAITING: Final = 16
MOST_ENDED: Final = 50  # jobs whose answers can still be asked for
Work = Callable[["QueuedJob"], dict[str, Any]]


class QueuedJob:
    """One call of a tool: how far it is, and what came of it."""

    def __init__(self, name: str, tool: str, work: Work, seconds: float) -> None:
        self.name, self.tool, self.work = name, tool, work
        self.most_seconds = seconds  # that it may run
        self.state, self.error = WAITING, ""
        self.answer: dict[str, Any] | None = None
        self.done, self.total, self.note = 0.0, None, ""  # type: float, float | None, str
        self.waiters = 0  # calls that wait for it
        self.ended = threading.Event()
        self._cancelled = threading.Event()
        self._began: float | None = None
        self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """How long it has run."""
        running = self.state == RUNNING and self._began is not None
        return perf_counter() - (self._began or 0.0) if running else self._seconds

    @property
    def cancelled(self) -> bool:
        """Whether somebody has asked for its end."""
        return self._cancelled.is_set()

    @property
    def late(self) -> bool:
        """Whether its time is over."""
        return self.seconds > self.most_seconds

    @property
    def over(self) -> bool:
        """Whether it must end now, with what it has."""
        return self.cancelled or self.late

    def halt(self, iteration: int, seconds: float) -> bool:
        """Whether a solve must end, as `Limits.halt` asks."""
        return self.over

    def tell(self, done: float, total: float | None, note: str) -> None:
        """Note how far it is."""
        self.done, self.total, self.note = max(done, self.done), total, note

    def note_progress(self, progress: Progress) -> None:
        """Note how far long work is."""
        self.tell(progress.finished, progress.total or None, progress.counts)

    def cancel(self) -> None:
        """Ask for its end."""
        self._cancelled.set()

    def progress(self) -> dict[str, Any]:
        """How far it is, in plain values."""
        told: dict[str, Any] = {"job": self.name, "tool": self.tool, "state": self.state}
        told["seconds"] = round(self.seconds, 3)
        if self.state in (WAITING, RUNNING):
            told |= {"done": self.done, "total": self.total, "note": self.note}
        return told

    def run(self) -> None:
        """Do the work, in the queue's thread."""
        self.state, self._began = RUNNING, perf_counter()
        state = FAILED
        try:
            self.answer = self.work(self)
            state = DONE
        except KeyboardInterrupt:
            self.error = f"{self.tool} ended before it had an answer"
        except MemoryError:
            self.error = f"{self.tool} ran out of memory"
        except EndspielError as error:
            self.error = sentences(error)
        except Exception as error:  # a bug: the trace goes to standard error
            traceback.print_exc()
            self.error = f"a bug: {type(error).__name__}: {error}"
        self._seconds = self.seconds
        self.state = CANCELLED if self.cancelled else state
        self.ended.set()


def sentences(error: EndspielError) -> str:
    """What is wrong, all of it, each at its field."""
    if not isinstance(error, Refused):
        return str(error)
    told = [f"{one.field}: {one.error}" if one.field else one.error for one in error.problems]
    return "; ".join(told)


class JobQueue:
    """Does jobs one after the other, in a thread of its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds  # that a job may run
        self.jobs: OrderedDict[str, QueuedJob] = OrderedDict()
        self._waiting: deque[QueuedJob] = deque()
        self._news = threading.Condition()
        self._closed = False
        self._count = 0
        self._thread: threading.Thread | None = None

    def add(self, tool: str, work: Work) -> QueuedJob:
        """A new job at the end of the queue."""
        with self._news:
            if len(self._waiting) >= MOST_WAITING:
                raise EndspielError(f"{MOST_WAITING} jobs wait already: cancel some")
            self._count += 1
            job = QueuedJob(f"job{self._count}", tool, work, self.seconds)
            self.jobs[job.name] = job
            self._waiting.append(job)
            self._forget_old()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._news.notify()
        return job

    def find(self, name: str) -> QueuedJob:
        """The job of a name."""
        job = self.jobs.get(name)
        if job is None:
            raise EndspielError(f"there is no job {name[:20]!r}")
        return job

    def close(self, seconds: float = 10.0) -> None:
        """Cancel everything, and wait for what runs."""
        with self._news:
            self._closed = True
            for job in self.jobs.values():
                job.cancel()
            self._news.notify()
        if self._thread is not None:
            self._thread.join(seconds)

    def _forget_old(self) -> None:
        ended = [name for name, job in self.jobs.items() if job.ended.is_set()]
        for name in ended[: max(0, len(ended) - MOST_ENDED)]:
            del self.jobs[name]

    def _work(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._closed:
                    self._news.wait()
                if self._closed:
                    return
                job = self._waiting.popleft()
            if job.cancelled:
                job.state = CANCELLED
                job.ended.set()
            else:
                job.run()
