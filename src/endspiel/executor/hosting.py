"""The worker's side of blocks: it makes them, lets them step, and keeps their states."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from endspiel.executor.shelf import ShelfMark, ShelfUser
from endspiel.executor.tasks import WorkerJob, failure_of


class OwnedBlock(Protocol):
    """What a worker owns: a subgame with its regrets and averages, say."""

    def step(self, message: Any, /) -> Any:
        """Work on a message; the answer depends on the state and the message alone."""

    def state(self) -> Any:
        """All that changes from step to step; it can be pickled."""

    def restore(self, state: Any, /) -> None:
        """Go on from a state."""


MakeBlock = Callable[[Any], OwnedBlock]


class KeptState(NamedTuple):
    """The state of a block after some step: itself, or where a shelf or a cluster has it."""

    state: Any


class CreateBlock(NamedTuple):
    """To make a block, fresh or from a state, with the messages since."""

    block: int
    make: MakeBlock
    start: Any
    kept: KeptState | None
    messages: list[Any]


class StepBlock(NamedTuple):
    """A step of a block; its state is kept in one of the two volumes, if in any."""

    block: int
    message: Any
    volume: int | None


class BlockStepped(NamedTuple):
    """What a step gave."""

    answer: Any
    kept: KeptState | None


class KeepBlock(NamedTuple):
    """To keep a block's state as it is now in one of the two volumes."""

    block: int
    volume: int


BlockOrder = CreateBlock | StepBlock | KeepBlock


class BlockHost:
    """The blocks of one worker."""

    def __init__(self, shelf: tuple[str, ...]) -> None:
        """With the paths of a shelf states are kept there, else they are sent home."""
        self._shelf = ShelfUser(shelf) if shelf else None
        self._blocks: dict[int, OwnedBlock] = {}

    def work(self, orders: Sequence[BlockOrder]) -> list[Any]:
        """What each order gives; an order that fails stops no other."""
        return [self._done(order) for order in orders]

    def _done(self, order: BlockOrder) -> Any:
        """What an order gives, or how it failed."""
        try:
            return self._obeyed(order)
        except Exception as error:
            return failure_of(error)

    def _obeyed(self, order: BlockOrder) -> BlockStepped | None:
        """Make a block, let one make a step, or keep its state."""
        if isinstance(order, CreateBlock):
            self._blocks[order.block] = self._made(order)
            return None
        block = self._blocks[order.block]
        answer = block.step(order.message) if isinstance(order, StepBlock) else None
        kept = None if order.volume is None else self._kept(order.volume, block.state())
        return BlockStepped(answer, kept)

    def _made(self, order: CreateBlock) -> OwnedBlock:
        block = order.make(order.start)
        if order.kept is not None:
            state = order.kept.state
            if isinstance(state, ShelfMark):
                assert self._shelf is not None
                state = self._shelf.get(state)
            block.restore(state)
        for message in order.messages:
            block.step(message)
        return block

    def _kept(self, volume: int, state: Any) -> KeptState:
        return KeptState(state if self._shelf is None else self._shelf.put(volume, state))

    def close(self) -> None:
        """Drop the blocks."""
        self._blocks = {}
        if self._shelf is not None:
            self._shelf.close()


def hosting(shelf: tuple[str, ...] = ()) -> WorkerJob:
    """The work of a process that owns blocks."""
    return WorkerJob(BlockHost, shelf)
