"""Blocks of state that stay in workers: messages go there, answers come back, step by step.

A trunk sends reaches and its subgames send values, say. A worker that is lost is replaced: its
blocks are made anew, take the last state that was kept, and repeat the steps since, one at most if
every state is kept.
"""

from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from endspiel.executor.processes import WorkerProcess, close_all
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import (
    Death,
    PieceAnswer,
    TaskFailure,
    WorkerDied,
    WorkerJob,
    outcome_of,
)

LOSSES = 3  # of a lane within one step, after which the step is given up


class OwnedBlock(Protocol):
    """What a worker owns: a subgame with its regrets and averages, say."""

    def step(self, message: Any, /) -> Any:
        """Work on a message; the answer depends on the state and the message alone."""

    def state(self) -> Any:
        """All that changes from step to step; it can be pickled."""

    def restore(self, state: Any, /) -> None:
        """Go on from a state."""


MakeBlock = Callable[[Any], OwnedBlock]


class _Create(NamedTuple):
    """To make a block, fresh or from a state with the messages since."""

    block: int
    make: MakeBlock
    start: Any
    restore: bool
    state: Any
    messages: list[Any]


class _Step(NamedTuple):
    """A step of a block."""

    block: int
    message: Any
    tells_state: bool


class _Stepped(NamedTuple):
    """What a step gave."""

    answer: Any
    state: Any


class BlockHost:
    """The blocks of one worker."""

    def __init__(self, start: None) -> None:
        self._blocks: dict[int, OwnedBlock] = {}

    def work(self, order: Any) -> Any:
        """Make a block, let one make a step, or tell its state."""
        if isinstance(order, _Create):
            block = order.make(order.start)
            if order.restore:
                block.restore(order.state)
            for message in order.messages:
                block.step(message)
            self._blocks[order.block] = block
            return None
        if isinstance(order, _Step):
            block = self._blocks[order.block]
            answer = block.step(order.message)
            return _Stepped(answer, block.state() if order.tells_state else None)
        return self._blocks[order].state()

    def close(self) -> None:
        """Let the blocks go."""
        self._blocks = {}


HOSTING = WorkerJob(BlockHost, None)


class Lanes(Protocol):
    """Workers that keep what they were given, numbered from 0."""

    size: int

    def send(self, lane: int, orders: list[Any]) -> None:
        """Hand orders to a worker that is at none."""

    def wait(self) -> list[tuple[int, PieceAnswer | Death]]:
        """Answers as they come; after a death the lane has a new worker, which knows nothing."""

    def close(self) -> None:
        """End the workers."""


class HereLanes:
    """One lane: this process."""

    size = 1

    def __init__(self) -> None:
        self._desk = ServingDesk()
        self._answers: list[tuple[int, PieceAnswer | Death]] = []

    def send(self, lane: int, orders: list[Any]) -> None:
        """See `Lanes`."""
        self._answers.append((lane, self._desk.serve("blocks", lambda: HOSTING, orders)))

    def wait(self) -> list[tuple[int, PieceAnswer | Death]]:
        """See `Lanes`."""
        answers, self._answers = self._answers, []
        return answers

    def close(self) -> None:
        """See `Lanes`."""
        self._desk.close()


class ProcessLanes:
    """A process a lane."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._workers = [WorkerProcess(reads_script=False) for _ in range(size)]
        self._busy: set[int] = set()

    def send(self, lane: int, orders: list[Any]) -> None:
        """See `Lanes`."""
        self._workers[lane].send("blocks", HOSTING, orders)
        self._busy.add(lane)

    def wait(self) -> list[tuple[int, PieceAnswer | Death]]:
        """See `Lanes`."""
        lanes = {self._workers[lane].end: lane for lane in self._busy}
        found: list[tuple[int, PieceAnswer | Death]] = []
        for end in wait(list(lanes)):
            lane = lanes[end]  # type: ignore[index]
            said = self._workers[lane].hear()
            if said is None:
                continue
            self._busy.discard(lane)
            found.append((lane, said))
            if isinstance(said, Death):
                close_all({self._workers[lane]: False})
                self._workers[lane] = WorkerProcess(reads_script=False)
        return found

    def close(self) -> None:
        """See `Lanes`."""
        close_all({worker: at in self._busy for at, worker in enumerate(self._workers)})


class BlockGroup:
    """Blocks over lanes: block b lives in lane b modulo their number."""

    def __init__(self, lanes: Lanes, make: MakeBlock, starts: Sequence[Any], every: int = 1):
        self.lanes, self.every = lanes, every
        self._make, self._starts = make, list(starts)
        self._states: list[Any] = [None] * len(starts)
        self._has_state = False
        self._since: list[list[Any]] = []  # messages [steps since the states][blocks]
        self.repeated = 0  # steps of blocks that were done again
        try:
            self._ask({lane: self._creation(lane) for lane in range(lanes.size)})
        except BaseException:
            lanes.close()
            raise

    def __len__(self) -> int:
        return len(self._starts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def step(self, messages: Sequence[Any]) -> list[Any]:
        """One step of all blocks: an answer a message, in the order of the blocks."""
        if len(messages) != len(self):
            raise ValueError(f"{len(messages)} messages for {len(self)} blocks")
        tells = len(self._since) + 1 >= self.every
        orders: dict[int, list[Any]] = {
            lane: [_Step(b, messages[b], tells) for b in self._owned(lane)]
            for lane in range(self.lanes.size)
        }
        found = self._ask(orders)
        if tells:
            self._states = [found[b].state for b in range(len(self))]
            self._has_state, self._since = True, []
        else:
            self._since.append(list(messages))
        return [found[b].answer for b in range(len(self))]

    def states(self) -> list[Any]:
        """The state of every block now, in order, as a checkpoint wants them."""
        if self._has_state and not self._since:
            return list(self._states)
        found = self._ask({lane: self._owned(lane) for lane in range(self.lanes.size)})
        return [found[b] for b in range(len(self))]

    def restore(self, states: Sequence[Any]) -> None:
        """Let every block go on from a state."""
        self._states, self._has_state, self._since = list(states), True, []
        self._ask({lane: self._creation(lane) for lane in range(self.lanes.size)})

    def close(self) -> None:
        """Let the blocks and their workers go."""
        self.lanes.close()

    def _owned(self, lane: int) -> list[Any]:
        return list(range(lane, len(self), self.lanes.size))

    def _creation(self, lane: int) -> list[Any]:
        """What makes the blocks of a lane as they are now."""
        return [
            _Create(
                b,
                self._make,
                self._starts[b],
                self._has_state,
                self._states[b],
                [messages[b] for messages in self._since],
            )
            for b in self._owned(lane)
        ]

    def _ask(self, orders: dict[int, list[Any]]) -> dict[int, Any]:
        """Orders to lanes, each order for one block of the lane: answers by block."""
        for lane, given in orders.items():
            self.lanes.send(lane, given)
        found: dict[int, Any] = {}
        missing, losses = set(orders), dict.fromkeys(orders, 0)
        while missing:
            for lane, answer in self.lanes.wait():
                if isinstance(answer, Death):
                    losses[lane] += 1
                    if losses[lane] == LOSSES:
                        raise WorkerDied(
                            f"a worker with blocks {self._owned(lane)} died {LOSSES} times "
                            f"({answer.reason}): they may need more memory than there is"
                        )
                    self.lanes.send(lane, self._once_more(lane, orders[lane]))
                    continue
                missing.discard(lane)
                owned = self._owned(lane)
                for b, each in zip(owned, answer.found[-len(owned) :], strict=True):
                    found[b] = each
                _raise_first(answer.found)
        return found

    def _once_more(self, lane: int, orders: list[Any]) -> list[Any]:
        """The lost blocks made again, then what they were asked."""
        creation = self._creation(lane)
        if orders and isinstance(orders[0], _Create):
            return creation
        asked = [order for order in orders if isinstance(order, _Step)]
        self.repeated += sum(1 + len(each.messages) for each in creation) if asked else 0
        return creation + orders


def _raise_first(found: Iterable[Any]) -> None:
    """Raise the first failure, if there is one."""
    for each in found:
        if isinstance(each, TaskFailure):
            error = outcome_of(0, each).error
            assert error is not None
            raise error


Value = TypeVar("Value")


def sum_in_order(values: Sequence[Value]) -> Value:
    """A sum from the first to the last, so that its digits depend on nothing else."""
    total = values[0]
    for value in values[1:]:
        total = total + value  # type: ignore[operator]
    return total
