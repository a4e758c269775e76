"""One street alone on a GPU: its streams, and the kernels around them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.engine.gadget import Terms
from endspiel.games.card_game import CardGame
from endspiel.gpu.cuda.device import Device, Pointer, cuda_device
from endspiel.gpu.cuda.kernels import fit
from endspiel.gpu.cuda.machine import CudaStreet, DeviceMemory
from endspiel.gpu.layout import lay_out_last
from endspiel.gpu.machine import Array, Kind, Pass
from endspiel.kernels.arrays import Discounts, Floats, Ints
from endspiel.reproduce.last_street.streams import HandsBefore, RowCopies, StreamStreet

SOURCES = ("street.cu",)
THREADS = 128  # as in the kernels' source
LANES = 32  # threads that share a large group
_LINES = np.dtype(
    [(n, "u8") for n in ("above", "place", "weight", "reach", "coming", "value", "total")]
    + [(n, "i4") for n in ("boards", "lines", "hands", "width")]
)
_GROUPS = np.dtype(
    [(n, "u8") for n in ("kept", "start", "member", "weight")]
    + [(n, "i4") for n in ("rows", "first", "count", "width", "lanes", "unused")]
)
_ROWS = np.dtype(
    [("kept", "u8"), ("packed", "u8")]
    + [(n, "i4") for n in ("rows", "first", "count", "width", "unused")]
    + [("scale", "f4")]
)
_COPIES = np.dtype(
    [(n, "u8") for n in ("source", "target", "source_row", "target_row")]
    + [(n, "i4") for n in ("source_rows", "target_rows", "width")]
    + [("scale", "f4")]
)
_REGRETS = ("free_regret", "in_regret", "out_regret")
_GADGETS = np.dtype(
    [(n, "u8") for n in ("value", "coming", "target", "weight", "limit", "penalty", "kind")]
    + [(n, "u8") for n in _REGRETS]
    + [("positive", "f4"), ("negative", "f4"), ("learns", "i4"), ("width", "i4")]
)


class CudaStreetMachine(DeviceMemory):
    """A street of many boards on a device."""

    def __init__(self, game: CardGame, device: Device) -> None:
        super().__init__(device)
        self.layout = layout = lay_out_last(
            game, lambda shape, street: fit(device, shape, street).slots
        )
        self.lines = len(layout.shape.lines)
        self.size = 4 * layout.num_boards * self.lines * layout.width  # bytes of a player's lines
        coming = self.room(2 * self.size)
        self.coming = [coming, coming + self.size]
        self.streams = CudaStreet(self, layout, layout.num_boards, coming)
        self.module = device.compile({"STREET": 1}, SOURCES)
        self.before = before = HandsBefore(game, layout)
        self.record = np.zeros(1, _LINES)
        self.record["above"], self.record["place"] = self.put(before.above), self.put(before.place)
        self.record["weight"] = self.put(before.weight.astype(np.float32))
        self.record["reach"] = self.room(4 * self.lines * before.hands)
        self.record["total"] = self.room(8 * self.lines * before.hands)
        self.record["value"], self.record["boards"] = self.streams.value, layout.num_boards
        self.record["lines"], self.record["hands"] = self.lines, before.hands
        self.record["width"] = layout.width
        self._groups: dict[int, tuple[Ints, NDArray[Any]]] = {}

    def enter(self, player: int, reach: Array) -> None:
        """See `StreetMachine`."""
        self.device.upload(self.coming[player], reach.astype(np.float32))

    def enter_hands(self, player: int, reach: Array) -> None:
        """See `StreetMachine`."""
        self.device.upload(int(self.record["reach"][0]), reach.astype(np.float32))
        self.record["coming"] = self.coming[player]
        grid = (self.layout.num_boards, self.lines)
        self.module.launch("enter_hands", grid, THREADS, 0, [self.record])

    def run(self, one: Pass) -> None:
        """See `StreetMachine`."""
        self.streams.launch([one])

    def values(self) -> Array:
        """See `StreetMachine`."""
        shape = self.layout.num_boards, self.lines, self.layout.width
        return self._download(self.streams.value, np.empty(shape, np.float32))

    def hand_values(self) -> Floats:
        """See `StreetMachine`."""
        hands = self.before.hands
        grid = (-(-hands // THREADS), self.lines)
        self.module.launch("hand_values", grid, THREADS, 0, [self.record])
        return self._download(int(self.record["total"][0]), np.empty((self.lines, hands)))

    def _download(self, source: Pointer, array: Array) -> Array:
        self.device.download(array, source)
        return array

    def kept(self, kind: Kind, player: int, scale: float = 1.0) -> Array:
        """See `StreetMachine`."""
        rows = self.layout.shape.rows[player]
        found = np.empty((self.layout.num_boards, rows, self.layout.width), np.float32)
        packed = DeviceMemory(self.device)
        place = packed.room(found.nbytes)
        self._move("pack", kind, player, place, scale)
        self.device.download(found, place)
        packed.close()
        return found

    def set_kept(self, kind: Kind, player: int, rows: Array, scale: float = 1.0) -> None:
        """See `StreetMachine`."""
        packed = DeviceMemory(self.device)
        place = packed.put(np.asarray(rows, np.float32))
        self._move("unpack", kind, player, place, scale)
        packed.close()

    def _move(self, kernel: str, kind: Kind, player: int, place: Pointer, scale: float) -> None:
        """Copy a player's rows of all boards to or from where they lie side by side."""
        rows, record = self.layout.shape.rows, np.zeros(1, _ROWS)
        record["kept"], record["packed"] = self.streams.kept[kind], place
        record["rows"], record["first"] = sum(rows), rows[0] if player else 0
        record["count"], record["width"], record["scale"] = rows[player], self.layout.width, scale
        if rows[player]:
            grid = (self.layout.num_boards, rows[player])
            self.module.launch(kernel, grid, THREADS, 0, [record])
            self.device.synchronize()

    def copy_rows(self, player: int, source: "CudaStreetMachine", rows: RowCopies) -> None:
        """See `StreetMachine`."""
        record, numbers = np.zeros(1, _COPIES), DeviceMemory(self.device)
        sides = ("source", source, rows.source), ("target", self, rows.to)
        for name, machine, numbered in sides:
            counts = machine.layout.shape.rows
            which = numbered + (counts[0] if player else 0)
            record[name], record[f"{name}_rows"] = machine.streams.kept[Kind.AVERAGE], sum(counts)
            record[f"{name}_row"] = numbers.put(which.astype(np.int32))
        record["width"], record["scale"] = self.layout.width, rows.scale
        if len(rows.to):
            grid = (self.layout.num_boards, len(rows.to))
            self.module.launch("copy_rows", grid, THREADS, 0, [record])
            self.device.synchronize()
        numbers.close()

    def even_out(self, kind: Kind, player: int, of: Ints) -> None:
        """See `StreetMachine`."""
        record, rows = self._grouped(of), self.layout.shape.rows
        record["kept"], record["rows"] = self.streams.kept[kind], sum(rows)
        record["first"] = rows[0] if player else 0
        if rows[player]:
            threads = int(record["count"][0]) * int(record["lanes"][0])
            grid = (-(-threads // THREADS), rows[player])
            self.module.launch("even_out", grid, THREADS, 0, [record])

    def _grouped(self, of: Ints) -> NDArray[Any]:
        """Groups on the device; an array is uploaded once."""
        if id(of) not in self._groups:
            flat = of.ravel()
            member = np.argsort(flat, kind="stable")[np.count_nonzero(flat < 0) :]
            start = np.searchsorted(flat[member], np.arange(int(flat.max()) + 2))
            record = np.zeros(1, _GROUPS)
            record["start"] = self.put(start.astype(np.int32))
            record["member"] = self.put(member.astype(np.int32))
            weight = self.before.weight[member // self.layout.width]
            record["weight"] = self.put(weight.astype(np.float32))
            record["count"], record["width"] = len(start) - 1, self.layout.width
            record["lanes"] = LANES if len(member) > LANES // 2 * len(start) else 1
            self._groups[id(of)] = of, record  # the array lives as long as its number
        return self._groups[id(of)][1]

    def scale_averages(self, player: int, by: float) -> None:
        """See `StreetMachine`."""
        self.streams.scale(player, by)


class CudaGadgets(DeviceMemory):
    """The gadgets' roots above every board and line of a street: `GadgetRoot` on a device."""

    def __init__(self, machine: CudaStreetMachine, opponent: int, terms: Terms) -> None:
        """On terms [B, L, W], as `endgame.safe.techniques` has them."""
        super().__init__(machine.device)
        self.machine = machine
        self.record = np.zeros(1, _GADGETS)
        shape = machine.layout.num_boards, machine.lines, machine.layout.width
        self.blocks = shape[0] * shape[1]
        kind = np.zeros(shape, np.uint8) + terms.free + np.uint8(2) * terms.held
        self.record["kind"] = self.put(kind.astype(np.uint8))
        for name in ("target", "weight", "limit", "penalty"):
            self.record[name] = self.put(
                np.broadcast_to(getattr(terms, name), shape).astype(np.float32)
            )
        for name in _REGRETS:
            self.record[name] = self.room(machine.size)
        self.record["value"] = machine.streams.value
        self.record["coming"], self.record["width"] = machine.coming[opponent], shape[2]
        self._launch()

    def learn(self, by: Discounts) -> None:
        """Learn from the values of the opponent's half, and enter again."""
        self.record["learns"] = 1
        self.record["positive"], self.record["negative"] = by.positive, by.negative
        self._launch()

    def _launch(self) -> None:
        self.machine.module.launch("gadgets", (self.blocks, 1), THREADS, 0, [self.record])


def solve_gadgets(
    street: StreamStreet, player: int, terms: Terms, schedule: Sequence[Discounts]
) -> None:
    """Solve endgames, one a board and line, that the opponent enters on terms [B, L, W]."""
    assert isinstance(street.machine, CudaStreetMachine)
    roots = CudaGadgets(street.machine, 1 - player, terms)
    for by in schedule:
        street.advance(1 - player, by)
        roots.learn(by)
        street.advance(player, by)
    street.machine.device.synchronize()
    roots.close()


def cuda_street(game: CardGame) -> CudaStreetMachine:
    """A machine for a game's last street on the first GPU."""
    return CudaStreetMachine(game, cuda_device())
