"""Workers that keep what they were given: this process, or processes of this machine."""

from collections.abc import Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from endspiel.executor.hosting import BlockOrder, KeptState, hosting
from endspiel.executor.processes import WorkerProcess, close_all
from endspiel.executor.serving import ServingDesk
from endspiel.executor.shelf import ShelfMark, ShelfUser, StateShelf
from endspiel.executor.tasks import Death


class StateLost(Exception):  # noqa: N818  (what happened)
    """A kept state that is gone with the node that had it."""


LaneAnswer = tuple[int, list[Any] | Death]  # the lane, and what each order gave


class Lanes(Protocol):
    """Workers that keep what they were given, numbered from 0."""

    size: int

    def send(self, lane: int, orders: list[BlockOrder]) -> None:
        """Hand orders to a worker that is at none."""

    def wait(self) -> list[LaneAnswer]:
        """Answers as they come; after a death the lane has a new worker, which knows nothing."""

    def opened(self, lane: int, kept: KeptState) -> Any:
        """A state that the lane kept; it lasts until states have been kept twice more."""

    def sendable(self, kept: KeptState) -> KeptState:
        """The state for a new worker of the lane; `StateLost` where it went with its node."""

    def secure(self, kept: Sequence[KeptState]) -> None:
        """Let states outlive the nodes that they were kept on; `StateLost` if one did not."""

    def close(self) -> None:
        """End the workers."""


class HereLanes:
    """One lane: this process."""

    size = 1

    def __init__(self) -> None:
        self._desk, self._job = ServingDesk(), hosting()
        self._answers: list[LaneAnswer] = []

    def send(self, lane: int, orders: list[BlockOrder]) -> None:
        """See `Lanes`."""
        served = self._desk.serve("blocks", lambda: self._job, orders)
        self._answers.append((lane, [answer.found for answer in served]))

    def wait(self) -> list[LaneAnswer]:
        """See `Lanes`."""
        answers, self._answers = self._answers, []
        return answers

    def opened(self, lane: int, kept: KeptState) -> Any:
        """See `Lanes`."""
        return kept.state

    def sendable(self, kept: KeptState) -> KeptState:
        """See `Lanes`."""
        return kept

    def secure(self, kept: Sequence[KeptState]) -> None:
        """See `Lanes`: this process has them."""

    def close(self) -> None:
        """See `Lanes`."""
        self._desk.close()


class ProcessLanes:
    """A process a lane, and a shelf for its states: they are not sent through pipes."""

    def __init__(self, size: int, folder: Path | None = None) -> None:
        self.size = size
        self._shelves = [StateShelf(folder) for _ in range(size)]
        self._jobs = [hosting(shelf.paths) for shelf in self._shelves]
        self._workers = [WorkerProcess(reads_script=False) for _ in range(size)]
        self._left: dict[int, int] = {}  # orders of busy lanes that are not answered
        self._found: dict[int, list[Any]] = {}

    def send(self, lane: int, orders: list[BlockOrder]) -> None:
        """See `Lanes`."""
        self._workers[lane].send("blocks", self._jobs[lane], orders)
        self._left[lane], self._found[lane] = len(orders), []

    def wait(self) -> list[LaneAnswer]:
        """See `Lanes`."""
        lanes = {self._workers[lane].end: lane for lane in self._left}
        answers: list[LaneAnswer] = []
        for end in wait(list(lanes)):
            lane = lanes[end]  # type: ignore[index]
            said = self._workers[lane].hear()
            if said is None:
                continue
            if isinstance(said, Death):
                answers.append((lane, said))
                del self._left[lane]
                close_all({self._workers[lane]: False})
                self._workers[lane] = WorkerProcess(reads_script=False)
                continue
            self._found[lane].append(said.found)
            self._left[lane] -= 1
            if not self._left[lane]:
                answers.append((lane, self._found[lane]))
                del self._left[lane]
        return answers

    def opened(self, lane: int, kept: KeptState) -> Any:
        """See `Lanes`."""
        if not isinstance(kept.state, ShelfMark):
            return kept.state
        reader = ShelfUser(self._shelves[lane].paths)
        try:
            return reader.look(kept.state)
        finally:
            reader.close()

    def sendable(self, kept: KeptState) -> KeptState:
        """See `Lanes`: a mark of the shelf is enough."""
        return kept

    def secure(self, kept: Sequence[KeptState]) -> None:
        """See `Lanes`: there is one machine."""

    def close(self) -> None:
        """See `Lanes`."""
        close_all({worker: at in self._left for at, worker in enumerate(self._workers)})
        for shelf in self._shelves:
            shelf.close()
