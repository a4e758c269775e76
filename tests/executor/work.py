"""Workers and blocks for tests, which other processes can import."""

import errno
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from endspiel.errors import EndspielError
from endspiel.executor import Executor, WorkerJob


class Squares:
    """Squares numbers; some tasks go wrong on purpose."""

    def __init__(self, plus: int) -> None:
        self.plus = plus

    def work(self, task: Any) -> tuple[int, int]:
        if task == "refused":
            raise EndspielError("this one is refused")
        if task == "bug":
            raise ZeroDivisionError("by nothing")
        if task == "memory":
            raise MemoryError
        if task == "disk":
            raise OSError(errno.ENOSPC, "No space left on device")
        if task == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "lambda":
            return lambda: None  # type: ignore[return-value]
        return task * task + self.plus, os.getpid()

    def close(self) -> None:
        pass


class Diary:
    """Notes in a folder which tasks were begun and by whom; some die the first time."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def work(self, task: tuple[int, bool]) -> int:
        number, deadly = task
        note = self.folder / f"{number}"
        before = note.read_text() if note.exists() else ""
        note.write_text(f"{before}{os.getpid()} ")
        if deadly and not before:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    def close(self) -> None:
        pass


def begun(folder: Path, count: int) -> list[list[str]]:
    """The processes that began each task of a diary."""
    return [(folder / f"{n}").read_text().split() for n in range(count)]


class Walk:
    """A block whose state depends on the order of its steps; it can die at one of them, once."""

    def __init__(self, start: tuple[int, str, int]) -> None:
        self.number, self.folder, self.dies_at = start
        self.steps = 0
        self.sums = np.zeros(3)  # [3]

    def step(self, message: float) -> tuple[np.ndarray[Any, Any], int]:
        flag = Path(self.folder) / f"died {self.number}"
        if self.steps == self.dies_at and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if message < 0:
            raise EndspielError("a message is not negative")
        self.steps += 1
        self.sums = np.sin(self.sums * 1.7 + message + self.number * np.array([0.1, 0.2, 0.3]))
        return self.sums, os.getpid()

    def state(self) -> dict[str, Any]:
        # What is larger than 100 kB stays on its node: Ray sends smaller answers home at once.
        return {"steps": self.steps, "sums": self.sums.copy(), "large": np.zeros(1 << 15)}

    def restore(self, state: dict[str, Any]) -> None:
        self.steps, self.sums = state["steps"], state["sums"].copy()


def sum_in_order(values: list[Any]) -> Any:
    """A sum from the first to the last: its digits tell the order."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def gone(process: str) -> bool:
    """Whether a process is dead, if nobody asked yet what became of it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


class Sleeper:
    """Notes who it is, and is busy for long."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def work(self, task: int) -> None:
        (self.folder / f"{task}").write_text(f"{os.getpid()}")
        time.sleep(600)

    def close(self) -> None:
        pass


def found_backwards(self: Executor, job: WorkerJob, tasks: list[Any]) -> Iterator[tuple[int, Any]]:
    """In place of `Executor.found`: as workers may find results, the last one first."""
    worker = job.make(job.start)
    for number in reversed(range(len(tasks))):
        yield number, worker.work(tasks[number])
