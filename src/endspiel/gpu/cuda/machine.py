"""The machine that runs op streams by CUDA kernels: memory, tables for the kernels, launches.

Rivers run many passes in one launch, a block a board. Games of more streets run each pass street by
street: reaches down, the last street, and values up again, with a sum over the boards below.
"""

from collections.abc import Sequence
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Floats
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.gpu.cuda.device import Device, Pointer, cuda_device, number, pointer
from endspiel.gpu.cuda.kernels import PASSES, SLOT, STREET, Kernels, fit, packed, pass_records
from endspiel.gpu.layout import BatchLayout, StreetLayout, lay_out
from endspiel.gpu.machine import Kind, Mode, Pass
from endspiel.gpu.stream import side_by_side

REDUCERS = 256  # threads of the sum over boards


class DeviceMemory:
    """What is held on a device: given back when asked, or with the object."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._owned: list[Pointer] = []
        self._release = finalize(self, _release, device, self._owned)
        self._release.atexit = False  # the device gives all of it back then

    def put(self, array: NDArray[Any]) -> Pointer:
        """A copy of an array on the device."""
        place = self.room(array.nbytes)
        self.device.upload(place, array)
        return place

    def room(self, size: int) -> Pointer:
        """So many bytes on the device, all zero."""
        place = self.device.allocate(size)
        self._owned.append(place)
        return place

    def close(self) -> None:
        """Give all of it back."""
        self._release()


def _release(device: Device, owned: list[Pointer]) -> None:
    while owned:
        device.release(owned.pop())


class CudaMachine(DeviceMemory):
    """A batch of games of one shape on a device."""

    def __init__(self, games: Sequence[CardGame], device: Device, *, averages: bool = True) -> None:
        super().__init__(device)
        self.layout: BatchLayout = lay_out(
            games, lambda shape, street: fit(device, shape, street).slots
        )
        roots = np.stack(self.layout.roots).astype(np.float32)  # [2, G, W]
        self.roots, self.idle = self.put(roots), self.room(len(games))
        self.scales: Sequence[float | None] = ()  # of regrets in fixed point, by street
        self.streets: list[CudaStreet] = []
        for layout in self.layout.streets:
            above = self.streets[-1] if self.streets else None
            coming = above.out if above else self.roots
            street = CudaStreet(self, layout, len(games), coming, above, averages=averages)
            self.streets.append(street)
        device.synchronize()  # whatever thread runs it, all is there

    def run(self, one: Pass) -> Floats:
        """See `Machine`."""
        self.run_all([one])
        if one.mode == Mode.FORWARD:
            return np.zeros((0, 0), np.float32)
        first = self.streets[0]
        found = np.empty((len(self.layout.games), first.layout.width), np.float32)
        self.device.download(found, first.value)
        return found

    def run_all(self, passes: Sequence[Pass]) -> None:
        """See `Machine`."""
        if len(self.streets) == 1:
            for first in range(0, len(passes), PASSES):
                self.streets[0].launch(passes[first : first + PASSES])
        else:
            for one in passes:
                self._one(one)
        self.device.synchronize()

    def _one(self, one: Pass) -> None:
        """One pass over several streets."""
        *upper, last = self.streets
        for street in upper:
            street.launch([one], down=True)
        last.launch([one])
        if one.mode != Mode.FORWARD:
            bare = one._replace(weight=0.0)  # on the way up, averages have been added to
            for s in reversed(range(len(upper))):
                self.streets[s + 1].reduce(one.player, upper[s])
                upper[s].launch([bare])
        if one.mode == Mode.LEARN:
            for street, scale in zip(self.streets, self.scales, strict=False):
                street.round_regrets(one.player, scale)

    def line_values(self, street: int) -> Floats:
        """See `Machine`."""
        layout = self.streets[street].layout
        rows = np.empty((layout.num_boards, len(layout.shape.lines), layout.width), np.float32)
        self.device.download(rows, self.streets[street].value)
        return rows

    def set_root(self, player: int, game: int, weights: Floats) -> None:
        """See `Machine`."""
        row = weights.astype(np.float32)
        at = (player * len(self.layout.games) + game) * row.nbytes
        self.device.upload(self.roots + at, row)

    def kept(self, kind: Kind, street: int, player: int, board: int) -> Floats:
        """See `Machine`."""
        where, shape = self.streets[street].rows_at(kind, player, board)
        rows = np.empty(shape, np.float32)
        self.device.download(rows, where)
        return rows

    def kept_boards(self, kind: Kind, street: int, boards: slice) -> Floats:
        """See `Machine`."""
        where, _ = self.streets[street].rows_at(kind, 0, boards.start)
        shape = self.streets[street].kept_shape[1:]
        rows = np.empty((boards.stop - boards.start, *shape), np.float32)
        self.device.download(rows, where)
        return rows

    def set_kept(self, kind: Kind, street: int, player: int, board: int, rows: Floats) -> None:
        """See `Machine`."""
        where, _ = self.streets[street].rows_at(kind, player, board)
        self.device.upload(where, rows.astype(np.float32))

    def lock(self, street: int, player: int, board: int, decision: int) -> None:
        """See `Machine`."""
        self.streets[street].lock(player, board, decision)

    def retire(self, game: int) -> None:
        """See `Machine`."""
        self.device.upload(self.idle + game, np.ones(1, np.uint8))
        for street in self.streets:
            street.record["idle"] = self.idle

    def scale_averages(self, player: int, by: float) -> None:
        """See `Machine`."""
        for street in self.streets:
            street.scale(player, by)

    def drop_averages(self) -> None:
        """See `Machine`."""
        for street in self.streets:
            regret, average = street.kept
            if average != regret:  # else there never were any
                street.kept[Kind.AVERAGE] = street.record[0]["average"] = regret
                self._owned.remove(average)
                self.device.release(average)

    def measure_current(self, yes: bool) -> None:
        """See `Machine`."""
        for street in self.streets:
            street.record[0]["average"] = street.kept[Kind.REGRET if yes else Kind.AVERAGE]

    def keep_fixed(self, scales: Sequence[float | None]) -> None:
        """See `Machine`."""
        if len(self.streets) == 1 and any(scale is not None for scale in scales):
            raise GameError("many passes at once round nothing: fixed point needs several streets")
        self.scales = tuple(scales)

    def state(self) -> dict[str, NDArray[Any]]:
        """See `Machine`."""
        found: dict[str, NDArray[Any]] = {}
        for s, street in enumerate(self.streets):
            found[f"locked_{s}"] = street.locked
            for kind in Kind:
                rows = np.empty(street.kept_shape, np.float32)
                self.device.download(rows, street.kept[kind])
                found[f"{kind.name.lower()}_{s}"] = rows
        return found

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """See `Machine`."""
        for s, street in enumerate(self.streets):
            street.locked[:] = arrays[f"locked_{s}"]
            street.tell()
            for kind in Kind:
                rows = arrays[f"{kind.name.lower()}_{s}"].astype(np.float32)
                self.device.upload(street.kept[kind], rows)


class CudaStreet:
    """One street of the batch on the device."""

    def __init__(
        self,
        machine: DeviceMemory,
        layout: StreetLayout,
        games: int,
        coming: Pointer,  # reaches, of the first street as [2, games, lines, W]
        above: "CudaStreet | None" = None,
        *,
        averages: bool = True,
    ) -> None:
        self.device, self.layout = machine.device, layout
        shape, boards, width = layout.shape, layout.num_boards, layout.width
        self.kept_shape = (boards, sum(shape.rows), width)
        row = boards * width * 4
        self.kept = [machine.room(row * sum(shape.rows))]
        self.kept.append(machine.room(row * sum(shape.rows)) if averages else self.kept[0])
        self.out = machine.room(row * side_by_side(shape.outs))
        self.below = machine.room(row * shape.outs)
        self.value = machine.room(row * len(shape.lines))
        self.locked = np.zeros((boards, sum(shape.decisions)), np.uint8)
        self.locks = machine.room(self.locked.nbytes)
        tables = layout.tables
        self.kernels = Kernels(machine.device, tables.geometry, shape, layout.streams)
        self.same, words = np.array_equal(*tables.hand), self.kernels.words
        self.module = self.kernels.compile(self.same)
        self.first_image = self.child = 0
        self.maps = [0, 0]
        self.record = np.zeros(1, STREET)
        record = self.record[0]
        record["regret"], record["average"] = self.kept
        record["out"], record["below"], record["value"] = self.out, self.below, self.value
        record["coming"] = coming
        record["scratch"] = machine.room(row * self.kernels.scratch)
        record["tables"] = machine.put(packed(tables, self.same))
        record["end"] = machine.put(tables.end * np.uint16(SLOT))
        lists = held_lists(tables.lists)
        record["lists"], record["cards"] = machine.put(lists), lists.shape[-1]
        record["game"] = machine.put(layout.game.astype(np.int32))
        record["pay"] = [machine.put(pay.astype(np.float32)) for pay in layout.pays]
        record["ops"] = [machine.put(part) for part in words]
        record["rows"], record["decisions"] = shape.rows, shape.decisions
        record["pays"] = [pay.shape[1] for pay in layout.pays]
        record["units"] = [len(part) for part in words]
        record["boards"], record["lines"], record["outs"] = boards, len(shape.lines), shape.outs
        record["scratch_rows"], record["games"] = self.kernels.scratch, games
        if layout.links is not None and above is not None:
            links = layout.links
            record["above"] = machine.put(links.above)
            record["parent"] = machine.put(links.parent.astype(np.int32))
            record["upper_width"] = above.layout.width
            self.first_image = machine.put(links.first.astype(np.int32))
            self.child = machine.put(links.child.astype(np.int32))
            self.maps = [machine.put(links.below[player]) for player in (0, 1)]

    def tell(self) -> None:
        """Let the kernels know what has changed; where nothing is locked, they ask for no locks."""
        self.device.upload(self.locks, self.locked)
        held = self.locks if self.locked.any() else 0
        if held != self.record[0]["locked"]:
            self.module = self.kernels.compile(self.same, locks=bool(held))
        self.record["locked"] = held

    def lock(self, player: int, board: int, decision: int) -> None:
        at = decision + (self.layout.shape.decisions[0] if player else 0)
        self.locked[board, at] = 1
        self.tell()

    def rows_at(self, kind: Kind, player: int, board: int) -> tuple[Pointer, tuple[int, int]]:
        """Where a board's rows of a player are, and their shape."""
        rows, width = self.layout.shape.rows, self.layout.width
        at = board * sum(rows) + (rows[0] if player else 0)
        return self.kept[kind] + 4 * at * width, (rows[player], width)

    def launch(self, passes: Sequence[Pass], down: bool = False) -> None:
        """Run some passes on all boards of the street."""
        kernels, rows = self.kernels, pass_records(passes)
        arguments = [self.record, rows, number(0), number(len(passes)), number(int(down))]
        learns = passes[0].mode in (Mode.LEARN, Mode.FORWARD)
        name, grid = "learn" if learns else "values", (self.layout.num_boards, 1)
        self.module.launch(name, grid, kernels.shape.threads, kernels.shared, arguments)

    def reduce(self, player: int, above: "CudaStreet") -> None:
        """Sum the values of the street's lines up, for the boards above."""
        lines = len(self.layout.shape.lines)
        arguments = [self.first_image, self.child, self.maps[player], self.value, above.below]
        numbers = [lines, self.layout.width, above.layout.width]
        self.module.launch(
            "reduce",
            (above.layout.num_boards, lines),
            REDUCERS,
            0,
            [*map(pointer, arguments), *map(number, numbers)],
        )

    def scale(self, player: int, by: float) -> None:
        """Multiply a player's averages on all boards."""
        self._each("scale", Kind.AVERAGE, player, by)

    def round_regrets(self, player: int, scale: float | None) -> None:
        """Make a player's regrets on all boards whole numbers of 1 / scale."""
        if scale is not None:
            self._each("fix", Kind.REGRET, player, scale)

    def _each(self, name: str, kind: Kind, player: int, by: float) -> None:
        """Launch a kernel that changes every number kept of a player."""
        rows = self.layout.shape.rows
        numbers = [sum(rows), rows[0] if player else 0, rows[player], self.layout.width]
        kept = pointer(self.kept[kind])
        arguments = [kept, *map(number, numbers), np.array([by], dtype=np.float32)]
        self.module.launch(name, (self.layout.num_boards, 1), REDUCERS, 0, arguments)


def held_lists(lists: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Card lists [2, B, C] without those at the end that are empty everywhere.

    A small deck leaves most cards out; what their lists say stays zero.
    """
    used = np.flatnonzero((lists >> 16).any(axis=(0, 1)))
    return np.ascontiguousarray(lists[..., : used[-1] + 1 if len(used) else 1])


def cuda_machine(games: Sequence[CardGame], *, averages: bool = True) -> CudaMachine:
    """A machine on the first GPU; without averages, there is room for games twice as large."""
    return CudaMachine(games, cuda_device(), averages=averages)
