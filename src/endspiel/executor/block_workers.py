"""Workers that own blocks: this process, or processes of this machine."""

from collections.abc import Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from endspiel.executor.hosting import BlockOrder, KeptState, hosting
from endspiel.executor.processes import WorkerProcess, close_all
from endspiel.executor.serving import ServingDesk
from endspiel.executor.shelf import ShelfMark, ShelfUser, StateShelf
from endspiel.executor.tasks import Death, TaskFailure


class StateLost(Exception):  # noqa: N818  (what happened)
    """A kept state that is gone with the node that had it."""


WorkerAnswer = tuple[int, list[Any] | TaskFailure | Death]  # the worker, and what each order gave


class BlockWorkers(Protocol):
    """Workers that keep the blocks they are given, numbered from 0."""

    size: int

    def send(self, worker: int, orders: list[BlockOrder]) -> None:
        """Hand orders to a worker that is at none."""

    def wait(self) -> list[WorkerAnswer]:
        """Answers as they come; after a death a new worker, without blocks, has the number."""

    def opened(self, worker: int, kept: KeptState) -> Any:
        """A state that the worker kept; it lasts until states have been kept twice more."""

    def sendable(self, kept: KeptState) -> KeptState:
        """A state as a new worker reads it; `StateLost` where it went with its node."""

    def secure(self, kept: Sequence[KeptState]) -> None:
        """Let states outlive the nodes that they were kept on; `StateLost` if one did not."""

    def close(self) -> None:
        """End the workers."""


class OwnBlocks:
    """One worker: this process."""

    size = 1

    def __init__(self) -> None:
        self._desk, self._job = ServingDesk(), hosting()
        self._answers: list[WorkerAnswer] = []

    def send(self, worker: int, orders: list[BlockOrder]) -> None:
        """See `BlockWorkers`."""
        self._answers.append((worker, self._desk.found("blocks", lambda: self._job, orders)))

    def wait(self) -> list[WorkerAnswer]:
        """See `BlockWorkers`."""
        answers, self._answers = self._answers, []
        return answers

    def opened(self, worker: int, kept: KeptState) -> Any:
        """See `BlockWorkers`."""
        return kept.state

    def sendable(self, kept: KeptState) -> KeptState:
        """See `BlockWorkers`."""
        return kept

    def secure(self, kept: Sequence[KeptState]) -> None:
        """See `BlockWorkers`: this process has them."""

    def close(self) -> None:
        """See `BlockWorkers`."""
        self._desk.close()


class ProcessBlocks:
    """A process a worker, and a shelf for its states: they are not sent through pipes."""

    def __init__(self, size: int, folder: Path | None = None) -> None:
        self.size = size
        self._shelves = [StateShelf(folder) for _ in range(size)]
        self._jobs = [hosting(shelf.paths) for shelf in self._shelves]
        self._workers = [WorkerProcess(reads_script=False) for _ in range(size)]
        self._busy: set[int] = set()

    def send(self, worker: int, orders: list[BlockOrder]) -> None:
        """See `BlockWorkers`."""
        self._workers[worker].send("blocks", self._jobs[worker], orders)
        self._busy.add(worker)

    def wait(self) -> list[WorkerAnswer]:
        """See `BlockWorkers`."""
        workers = {self._workers[worker].end: worker for worker in self._busy}
        answers: list[WorkerAnswer] = []
        for end in wait(list(workers)):
            worker = workers[end]  # type: ignore[index]
            said = self._workers[worker].hear()
            if said is None:
                continue
            self._busy.discard(worker)
            if isinstance(said, Death):
                answers.append((worker, said))
                close_all({self._workers[worker]: False})
                self._workers[worker] = WorkerProcess(reads_script=False)
            else:
                answers.append((worker, said.found))
        return answers

    def opened(self, worker: int, kept: KeptState) -> Any:
        """See `BlockWorkers`."""
        if not isinstance(kept.state, ShelfMark):
            return kept.state
        reader = ShelfUser(self._shelves[worker].paths)
        try:
            return reader.look(kept.state)
        finally:
            reader.close()

    def sendable(self, kept: KeptState) -> KeptState:
        """See `BlockWorkers`: a mark of the shelf is enough."""
        return kept

    def secure(self, kept: Sequence[KeptState]) -> None:
        """See `BlockWorkers`: there is one machine."""

    def close(self) -> None:
        """See `BlockWorkers`."""
        close_all({worker: at in self._busy for at, worker in enumerate(self._workers)})
        for shelf in self._shelves:
            shelf.close()
