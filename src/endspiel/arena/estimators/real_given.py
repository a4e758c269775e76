"""Best responses on real cards by the batched engine: dealt on processors, played on a GPU."""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.real_response import (
    RIVERS_LEFT,
    TURNS_LEFT,
    Cards,
    RealResponse,
    next_cards,
)
from endspiel.arena.estimators.real_strategy import RealStrategy, bucketing
from endspiel.arrays import Float32s, Floats
from endspiel.betting.streets import cut_lines
from endspiel.gpu.cuda.device import cuda_device
from endspiel.gpu.cuda.given import CudaResponder, PackedFlop, needed_bytes, rooms
from endspiel.gpu.given import DealtBoards, GivenStreet, given_street
from endspiel.solvers.memory import SHARE

MOST_FLOPS = 5  # at once: enough to keep a GPU busy
WAITING = 3  # flops dealt ahead, for each worker
DEALT_BYTES = 400_000_000  # that dealing a flop takes


class Responder(Protocol):
    """Who works out responses: see `CudaResponder`."""

    def pack(self, boards: Sequence[DealtBoards]) -> PackedFlop:
        """A flop's tables; may be made in any thread."""

    def fits(self, flops: Sequence[PackedFlop]) -> bool:
        """Whether there is room for some flops at once."""

    def respond(self, flops: Sequence[PackedFlop], reaches: Sequence[Floats]) -> Float32s:
        """Best values [2, F, L, 1326] of each player; `reaches` [L, 1326] are each one's own."""

    def close(self) -> None:
        """Give memory back."""


class FlopValues(NamedTuple):
    """What lines are worth on one flop."""

    flop: Cards
    values: Float32s  # [2, X, 1326] of each player


class GivenBlueprint:
    """A blueprint's betting and strategies after the flop, as the batched engine takes them."""

    def __init__(self, blueprint: RealStrategy, responses: Sequence[RealResponse]) -> None:
        self.blueprint, tree = blueprint, blueprint.tree
        exits = responses[0].exits[0]
        at = np.searchsorted(responses[0].nodes[0], exits)
        # What a response meets is the other's reach.
        self.reaches = [responses[1 - player].preflop_reach[at] for player in (0, 1)]
        self.streets: list[GivenStreet] = []
        chance = (1.0, 1 / TURNS_LEFT, 1 / (TURNS_LEFT * RIVERS_LEFT))
        cut = cut_lines(tree, tree.first_child[exits].tolist())
        for s, street in enumerate(cut):
            rows = {node: blueprint.rows(node) for nodes in street.decisions for node in nodes}
            self.streets.append(given_street(tree, street, 3 + s, chance[s], rows))

    def deal(self, flop: Cards) -> list[DealtBoards]:
        """The boards of a flop, its turns and its rivers, up to suits, with everybody's buckets."""
        buckets = bucketing(self.blueprint)
        found, boards = list[DealtBoards](), [flop]
        nothing = np.zeros(1, np.int64)
        dealt = DealtBoards(_cards(boards), nothing, (nothing, nothing), buckets(flop)[None])
        found.append(dealt)
        for _ in self.streets[1:]:
            following, parent, child, relabeling = list[Cards](), list[int](), list[int](), []
            for number, board in enumerate(boards):
                for card, images in next_cards(board):
                    child += [len(following)] * len(images)
                    relabeling += images
                    parent.append(number)
                    following.append((*board, card))
            rows = np.stack([buckets(board) for board in following])
            images_of = (np.array(child, np.int64), np.array(relabeling, np.int64))
            found.append(DealtBoards(_cards(following), np.array(parent), images_of, rows))
            boards = following
        return found


def _cards(boards: Sequence[Cards]) -> NDArray[np.uint8]:
    return np.array(boards, np.uint8)


def gpu_responder(streets: Sequence[GivenStreet]) -> CudaResponder:
    """Responses on the first GPU, on as many flops at once as fit there."""
    device = cuda_device()
    most = int(SHARE * device.free_bytes())
    fitting = (rooms(count) for count in range(MOST_FLOPS, 1, -1))
    room = next((room for room in fitting if needed_bytes(streets, room) <= most), rooms(1))
    return CudaResponder(streets, device, room)


def respond_to_flops(
    given: GivenBlueprint, responder: Responder, flops: Sequence[Cards], workers: int
) -> Generator[FlopValues, None, None]:
    """The values of all lines on some flops, in order; dealing goes on ahead in threads."""
    with ThreadPoolExecutor(workers) as pool:
        left, ahead = iter(flops), deque[tuple[Cards, Future[PackedFlop]]]()

        def deal(flop: Cards) -> PackedFlop:
            return responder.pack(given.deal(flop))

        def ready() -> Iterator[tuple[Cards, PackedFlop]]:
            for flop in left:
                ahead.append((flop, pool.submit(deal, flop)))
                if len(ahead) > WAITING * workers:
                    first, packed = ahead.popleft()
                    yield first, packed.result()
            while ahead:
                first, packed = ahead.popleft()
                yield first, packed.result()

        try:
            group: list[tuple[Cards, PackedFlop]] = []
            for one in ready():
                if group and not responder.fits([packed for _, packed in [*group, one]]):
                    yield from _respond(given, responder, group)
                    group = []
                group.append(one)
            if group:
                yield from _respond(given, responder, group)
        finally:
            for _, future in ahead:
                future.cancel()


def _respond(
    given: GivenBlueprint, responder: Responder, group: Sequence[tuple[Cards, PackedFlop]]
) -> Iterator[FlopValues]:
    values = responder.respond([packed for _, packed in group], given.reaches)
    for i, (flop, _) in enumerate(group):
        yield FlopValues(flop, values[:, i])
