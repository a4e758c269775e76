"""Best responses to given strategies by CUDA kernels: groups of flops, a block a board.

Streams, strategies and memory for as many boards as fit are made once; each group of flops brings
its tables, and its values are what goes back.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import EndspielError
from endspiel.gpu.cuda.device import Device, Pointer, number, pointer
from endspiel.gpu.cuda.kernels import SLOT, STREET, Kernels, fit, packed, pass_records
from endspiel.gpu.cuda.machine import REDUCERS
from endspiel.gpu.given import (
    DealtBoards,
    Float32s,
    GivenStreet,
    lay_down,
    rows_by_place,
)
from endspiel.gpu.machine import Array, Mode, Pass
from endspiel.gpu.stream import compile_street, side_by_side
from endspiel.gpu.tables import WIDTHS, StreetTables, rows_by_hand
from endspiel.solvers.memory import format_bytes

TABLE = 24  # bytes of a place of a board, in the tables of the kernels
TURNS, RIVERS = 49, 48  # cards that can come after a flop, and after a turn
FOLDED = 4  # this many times more flops fit where suits fold their turns


class PackedStreet(NamedTuple):
    """One street of a flop as it is copied to the device."""

    tables: NDArray[np.uint16]
    end: NDArray[np.uint16]  # [B]
    lists: NDArray[np.uint32]  # [B, C]
    buckets: NDArray[np.uint16]  # [B, W]
    parent: NDArray[np.int32]  # [B]
    above: NDArray[np.uint16]  # [B, W]
    images: NDArray[np.int64]  # [boards above] how many each has
    child: NDArray[np.int32]  # [I]
    below: NDArray[np.uint16]  # [I, W above]


class PackedFlop(NamedTuple):
    """A flop ready for the device."""

    streets: list[PackedStreet]
    root: StreetTables


class BoardRoom(NamedTuple):
    """How many boards of a street there is memory for, and images of them."""

    boards: int
    images: int


def rooms(flops: int) -> tuple[BoardRoom, BoardRoom, BoardRoom]:
    """BoardRoom for the boards of a number of flops, or of more where suits fold them."""
    return (
        BoardRoom(FOLDED * flops, 0),
        BoardRoom(flops * TURNS, FOLDED * flops * TURNS),
        BoardRoom(flops * TURNS * RIVERS, flops * TURNS * RIVERS),
    )


def needed_bytes(streets: Sequence[GivenStreet], rooms: Sequence[BoardRoom]) -> int:
    """Bytes of a number of boards on the device, without their scratch rows."""
    total = 0
    for street, room in zip(streets, rooms, strict=True):
        rows = len(street.shape.lines) + street.shape.outs + side_by_side(street.shape.outs)
        per_board = street.geometry.width * (4 * rows + TABLE + 2 + 2) + 4 * street.geometry.cards
        total += room.boards * per_board + room.images * 2 * WIDTHS[-1]
        total += sum(table.nbytes for table in street.strategies)
    return total


class CudaResponder:
    """Best responses on a device, on as many flops at once as there is room for."""

    def __init__(
        self, streets: Sequence[GivenStreet], device: Device, rooms: Sequence[BoardRoom]
    ) -> None:
        self.device, self.given, self.rooms = device, streets, rooms
        self._owned: list[Pointer] = []
        needed, free = needed_bytes(streets, rooms), device.free_bytes()
        if needed > free:
            raise EndspielError(
                f"best responses need {format_bytes(needed)} and {format_bytes(free)} are free on "
                "the GPU"
            )
        first = streets[0]
        lines = rooms[0].boards * len(first.shape.lines)
        self.roots = self.room(2 * lines * first.geometry.width * 4)
        self.streets: list[_GivenCudaStreet] = []
        for street, room in zip(streets, rooms, strict=True):
            above = self.streets[-1] if self.streets else None
            self.streets.append(_GivenCudaStreet(self, street, room, above))

    def room(self, size: int) -> Pointer:
        """So many bytes on the device, given back with this."""
        place = self.device.allocate(size)
        self._owned.append(place)
        return place

    def put(self, array: NDArray[Any]) -> Pointer:
        """A copy of an array on the device."""
        place = self.room(array.nbytes)
        self.device.upload(place, array)
        return place

    def close(self) -> None:
        """Give memory back."""
        while self._owned:
            self.device.release(self._owned.pop())

    def pack(self, boards: Sequence[DealtBoards]) -> PackedFlop:
        """A flop's tables; may be made in any thread."""
        laid = lay_down(self.given, boards)
        streets = []
        for street in laid:
            tables, links = street.tables, street.links
            none = np.zeros((0, 0), np.uint16)
            streets.append(
                PackedStreet(
                    packed(tables, same=True, threads=1)[0],
                    tables.end[0] * np.uint16(SLOT),
                    tables.lists[0],
                    street.buckets,
                    np.zeros(1, np.int32) if links is None else links.parent.astype(np.int32),
                    none if links is None else links.above[0],
                    np.zeros(0, np.int64) if links is None else np.diff(links.first),
                    np.zeros(0, np.int32) if links is None else links.child.astype(np.int32),
                    none if links is None else links.below[0],
                )
            )
        return PackedFlop(streets, laid[0].tables)

    def fits(self, flops: Sequence[PackedFlop]) -> bool:
        """Whether there is room for some flops at once."""
        return all(
            sum(len(flop.streets[s].end) for flop in flops) <= room.boards
            and sum(len(flop.streets[s].child) for flop in flops) <= room.images
            for s, room in enumerate(self.rooms)
        )

    def respond(self, flops: Sequence[PackedFlop], reaches: Sequence[Array]) -> Float32s:
        """Best values [2, F, L, 1326] of each player; `reaches` [L, 1326] are each one's own."""
        for s, street in enumerate(self.streets):
            street.take([flop.streets[s] for flop in flops])
        by_place = [[rows_by_place(reach, flop.root)[0] for flop in flops] for reach in reaches]
        self.device.upload(self.roots, np.array(by_place, np.float32))
        found = [self._player(player, flops) for player in (0, 1)]
        return np.stack(found)

    def _player(self, player: int, flops: Sequence[PackedFlop]) -> Float32s:
        one = Pass(player, Mode.BEST)
        *upper, last = self.streets
        for street in upper:
            street.launch(one, down=True)
        last.launch(one)
        for s in reversed(range(len(upper))):
            self.streets[s + 1].reduce(upper[s])
            upper[s].launch(one)
        first = self.streets[0]
        width = first.given.geometry.width
        rows = np.empty((len(flops), 1, len(first.given.shape.lines), width), np.float32)
        self.device.download(rows, first.value)
        return np.stack(
            [rows_by_hand(row, flop.root.hand[0])[0] for row, flop in zip(rows, flops, strict=True)]
        )


class _GivenCudaStreet:
    """One street: its kernels, and memory for a number of boards."""

    def __init__(
        self,
        responder: CudaResponder,
        given: GivenStreet,
        room: BoardRoom,
        above: "_GivenCudaStreet | None",
    ) -> None:
        self.device, self.given, self.room = responder.device, given, room
        self.above, self.count, boards = above, 0, room.boards
        shape, wide = given.shape, given.geometry
        slots = fit(self.device, wide, shape).slots
        streams = [compile_street(shape, player, slots) for player in (0, 1)]
        self.kernels = Kernels(self.device, wide, shape, streams)
        self.module = self.kernels.compile(same_places=True, given=True)
        row = boards * wide.width * 4
        self.value = responder.room(row * len(shape.lines))
        self.below = responder.room(row * shape.outs)
        self.out = responder.room(row * side_by_side(shape.outs))
        width = above.given.geometry.width if above else 0
        self.first_image = responder.room(4 * (above.room.boards + 1 if above else 0))
        self.child = responder.room(4 * room.images)
        self.maps = responder.room(2 * room.images * width)
        self.record = np.zeros(1, STREET)
        record = self.record[0]
        record["out"], record["below"], record["value"] = self.out, self.below, self.value
        record["coming"] = above.out if above else responder.roots
        record["scratch"] = responder.room(row * self.kernels.scratch)
        record["tables"] = responder.room(boards * wide.width * TABLE)
        record["end"], record["game"] = responder.room(4 * boards), responder.room(4 * boards)
        record["lists"] = responder.room(4 * boards * wide.cards)
        record["bucket"] = responder.room(2 * boards * wide.width)
        record["parent"] = responder.room(4 * boards)
        record["above"] = responder.room(2 * boards * wide.width) if above else 0
        pays = [stream.payoffs(given.stakes).astype(np.float32) for stream in streams]
        record["pay"] = [responder.put(pay) for pay in pays]
        record["pays"] = [len(pay) for pay in pays]
        record["ops"] = [responder.put(part) for part in self.kernels.words]
        record["units"] = [len(part) for part in self.kernels.words]
        record["strategy"] = [responder.put(table) for table in given.strategies]
        record["rows"], record["decisions"] = shape.rows, shape.decisions
        record["lines"], record["outs"] = len(shape.lines), shape.outs
        record["scratch_rows"], record["upper_width"] = self.kernels.scratch, width
        record["buckets"], record["quads"] = given.strategies[0].shape[1], given.quads
        record["cards"] = wide.cards

    def take(self, flops: Sequence[PackedStreet]) -> None:
        """Copy the boards of some flops to the device, one after another."""
        record, wide = self.record[0], self.given.geometry.width
        self.count = sum(len(flop.end) for flop in flops)
        counts = [len(flop.parent) for flop in flops]
        starts = np.cumsum([0, *counts])
        for flop, start in zip(flops, starts.tolist(), strict=False):
            self._copy("tables", start * TABLE * wide, flop.tables)
            self._copy("bucket", start * wide * 2, flop.buckets)
        record["boards"] = record["games"] = self.count
        ends = np.concatenate([flop.end for flop in flops])
        self._copy("end", 0, np.tile(ends, 2))
        self._copy("lists", 0, np.concatenate([flop.lists for flop in flops]))
        if self.above is not None:
            self._link(flops, starts)

    def _link(self, flops: Sequence[PackedStreet], starts: NDArray[np.int64]) -> None:
        """Copy what hangs the boards on those above."""
        uppers = np.cumsum([0, *(len(flop.images) for flop in flops)])
        parents = [flop.parent + upper for flop, upper in zip(flops, uppers.tolist(), strict=False)]
        self._copy("parent", 0, np.concatenate(parents).astype(np.int32))
        self._copy("above", 0, np.concatenate([flop.above for flop in flops]))
        images = np.cumsum([0, *np.concatenate([flop.images for flop in flops])])
        self.device.upload(self.first_image, images.astype(np.int32))
        children = [flop.child + start for flop, start in zip(flops, starts.tolist(), strict=False)]
        self.device.upload(self.child, np.concatenate(children).astype(np.int32))
        self.device.upload(self.maps, np.concatenate([flop.below for flop in flops]))

    def _copy(self, name: str, at: int, array: NDArray[Any]) -> None:
        self.device.upload(int(self.record[0][name]) + at, array)

    def launch(self, one: Pass, down: bool = False) -> None:
        """Run a pass on all boards."""
        kernels = self.kernels
        arguments = [self.record, pass_records([one]), number(0), number(1), number(int(down))]
        grid = (self.count, 1)
        self.module.launch("respond", grid, kernels.shape.threads, kernels.shared, arguments)

    def reduce(self, above: "_GivenCudaStreet") -> None:
        """Sum the values of the street's lines up, for the boards above."""
        lines = len(self.given.shape.lines)
        arguments = [self.first_image, self.child, self.maps, self.value, above.below]
        numbers = [lines, self.given.geometry.width, above.given.geometry.width]
        self.module.launch(
            "reduce",
            (above.count, lines),
            REDUCERS,
            0,
            [*map(pointer, arguments), *map(number, numbers)],
        )
