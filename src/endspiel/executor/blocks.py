"""Blocks of state that stay in workers: messages go there, answers come back, step by step.

A trunk sends reaches and its subgames send values, say. A worker that is lost is replaced: its
blocks are made again, take the last saved state, and repeat the steps since, one at most if
every state is kept. States are kept on the node of the worker; only those that were secured outlive
the node, too.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Self

from endspiel.executor.block_workers import BlockWorkers, StateLost
from endspiel.executor.hosting import (
    BlockOrder,
    BlockStepped,
    CreateBlock,
    KeepBlock,
    KeptState,
    MakeBlock,
    StepBlock,
)
from endspiel.executor.shelf import VOLUMES
from endspiel.executor.tasks import Death, TaskFailure, WorkerDied, outcome_of

LOSSES = 3  # of a worker within one step, after which the step is given up


class BlockGroup:
    """Blocks over workers, each with about as much work as the others."""

    def __init__(
        self,
        workers: BlockWorkers,
        make: MakeBlock,
        starts: Sequence[Any],
        every: tuple[int, int] = (1, 1),  # steps between two kept states; between two secured ones
        work: Sequence[float] | None = None,  # of each block, in any unit; else they are alike
    ) -> None:
        self.workers, self.every, self.secured_every = workers, *every
        self._make, self._starts = make, list(starts)
        self._owners = owners_of(work or [1.0] * len(starts), workers.size)  # [blocks]
        self._kept: list[KeptState | None] = [None] * len(starts)
        self._volume = 0  # of shelves, where the states kept last are
        self._since: list[list[Any]] = []  # messages [steps since the states][blocks]
        self._secured, self._since_secured = self._kept, list[list[Any]]()  # the same
        self.repeated = 0  # steps of blocks that were done again
        try:
            self._ask({worker: [*self._creation(worker)] for worker in range(workers.size)})
        except BaseException:
            workers.close()
            raise

    def __len__(self) -> int:
        return len(self._starts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def step(self, messages: Sequence[Any]) -> list[Any]:
        """One step of all blocks: an answer a message, in the order of the blocks."""
        if len(messages) != len(self):
            raise ValueError(f"{len(messages)} messages for {len(self)} blocks")
        keeps = len(self._since) + 1 >= self.every
        volume = self._next_volume if keeps else None
        orders: dict[int, list[BlockOrder]] = {
            worker: [StepBlock(b, messages[b], volume) for b in self._owned(worker)]
            for worker in range(self.workers.size)
        }
        found = self._stepped(orders)
        self._since.append(list(messages))
        self._since_secured.append(list(messages))
        if volume is not None:
            self._note_kept(found, volume)
            if len(self._since_secured) >= self.secured_every:
                self._secure()
        return [each.answer for each in found]

    def states(self) -> list[Any]:
        """The state of every block now, in order, as a checkpoint wants them.

        They are kept first, where the last ones kept are older: workers' states may be too many to
        come home at once.
        """
        if self._since or None in self._kept:
            volume = self._next_volume
            orders: dict[int, list[BlockOrder]] = {
                worker: [KeepBlock(b, volume) for b in self._owned(worker)]
                for worker in range(self.workers.size)
            }
            self._note_kept(self._stepped(orders), volume)
        return [
            self.workers.opened(self._owners[b], kept)
            for b, kept in enumerate(self._kept)
            if kept is not None
        ]

    @property
    def _next_volume(self) -> int:
        return (self._volume + 1) % VOLUMES

    def _stepped(self, orders: dict[int, list[BlockOrder]]) -> list[BlockStepped]:
        found = self._ask(orders)
        return [found[b] for b in range(len(self))]

    def _note_kept(self, found: list[BlockStepped], volume: int) -> None:
        """States of all blocks have been kept in a volume."""
        self._kept, self._volume, self._since = [each.kept for each in found], volume, []

    def restore(self, states: Sequence[Any]) -> None:
        """Let every block go on from a state."""
        self._kept, self._since = [KeptState(state) for state in states], []
        self._secured, self._since_secured = self._kept, []
        workers = range(self.workers.size)
        for nth in range(max(len(self._owned(worker)) for worker in workers)):  # few are in flight
            found = {worker: self._creation(worker)[nth : nth + 1] for worker in workers}
            self._ask({worker: [*orders] for worker, orders in found.items() if orders})

    def close(self) -> None:
        """Let the blocks and their workers go."""
        self.workers.close()

    def _secure(self) -> None:
        """Let the states kept last outlive their nodes; after a loss, older ones do for now."""
        with suppress(StateLost):
            self.workers.secure([kept for kept in self._kept if kept is not None])
            self._secured, self._since_secured = self._kept, []

    def _owned(self, worker: int) -> list[int]:
        return [b for b, owner in enumerate(self._owners) if owner == worker]

    def _creation(self, worker: int) -> list[CreateBlock]:
        """What makes the blocks of a worker as they are now."""
        try:
            return self._creation_from(worker, self._kept, self._since)
        except StateLost:
            return self._creation_from(worker, self._secured, self._since_secured)

    def _creation_from(
        self, worker: int, states: list[KeptState | None], since: list[list[Any]]
    ) -> list[CreateBlock]:
        """Start from some states, with the messages since."""
        found = []
        for b in self._owned(worker):
            state = states[b]
            kept = None if state is None else self.workers.sendable(state)
            messages = [step[b] for step in since]
            found.append(CreateBlock(b, self._make, self._starts[b], kept, messages))
        return found

    def _ask(self, orders: dict[int, list[BlockOrder]]) -> dict[int, Any]:
        """Answers by block to orders by worker, each order for one of its blocks."""
        for worker, given in orders.items():
            self.workers.send(worker, given)
        found: dict[int, Any] = {}
        missing, losses = set(orders), dict.fromkeys(orders, 0)
        while missing:
            for worker, answer in self.workers.wait():
                if isinstance(answer, Death):
                    losses[worker] += 1
                    if losses[worker] == LOSSES:
                        raise WorkerDied(
                            f"a worker with blocks {self._owned(worker)} died {LOSSES} times "
                            f"({answer.reason}): they may need more memory than there is"
                        )
                    self.workers.send(worker, self._once_more(worker, orders[worker]))
                    continue
                if isinstance(answer, TaskFailure):
                    answer = [answer]
                _raise_first(answer)
                missing.discard(worker)
                asked = orders[worker]
                for order, each in zip(asked, answer[-len(asked) :], strict=True):
                    found[order.block] = each
        return found

    def _once_more(self, worker: int, orders: list[BlockOrder]) -> list[BlockOrder]:
        """The lost blocks made again, then what they were asked."""
        if isinstance(orders[0], CreateBlock) and len(orders) == len(self._owned(worker)):
            return orders
        creation = self._creation(worker)
        if isinstance(orders[0], StepBlock):
            self.repeated += sum(1 + len(each.messages) for each in creation)
        return [*creation, *orders]


def owners_of(work: Sequence[float], size: int) -> list[int]:
    """The worker of each block: the largest first, each to the worker that has least.

    Examples:
        >>> owners_of([1, 1, 4, 2], 2)
        [1, 1, 0, 1]
    """
    loads, found = [0.0] * size, [0] * len(work)
    for b in sorted(range(len(work)), key=lambda b: -work[b]):
        found[b] = loads.index(min(loads))
        loads[found[b]] += work[b]
    return found


def _raise_first(found: Iterable[Any]) -> None:
    """Raise the first failure, if there is one."""
    for each in found:
        if isinstance(each, TaskFailure):
            error = outcome_of(0, each).error
            assert error is not None
            raise error
