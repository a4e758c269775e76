"""A street's kernels: how blocks share a multiprocessor, what they are compiled for and given."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.gpu.cuda.device import Device, Module
from endspiel.gpu.machine import Pass
from endspiel.gpu.parts import in_parts
from endspiel.gpu.shape import StreetShape
from endspiel.gpu.stream import HEAD, WORDS, Stream, encode, longest_op, most_units
from endspiel.gpu.table_kernels import pack_tables
from endspiel.gpu.tables import Geometry, StreetTables

PASSES = 64  # in one launch: a GPU that draws a screen must not be busy for long
THREADS = 1152  # about as many as a multiprocessor gets
FEWEST_SLOTS, MOST_SLOTS = 4, 16
SLOT = 16  # bytes of a slot: four columns of 32 bits
STATIC = 512  # bytes of shared memory beside sums and rows
CONSTANT_UNITS = 1000  # of ops that fit into constant memory
STAGED = 64  # units of ops in shared memory, where they do not
UNIT = 4 * WORDS  # bytes

_PASS = np.dtype(
    [("player", "i4"), ("mode", "i4"), ("positive", "f4"), ("negative", "f4"), ("weight", "f4")]
)
_POINTERS = (
    "regret", "average", "coming", "above", "parent", "out", "below", "value", "scratch", "tables",
    "end", "lists", "locked", "game", "idle",
)  # fmt: skip
_NUMBERS = (
    "boards", "lines", "outs", "scratch_rows", "upper_width", "games", "buckets", "quads", "cards",
    "unused",
)  # fmt: skip
STREET = np.dtype(
    [(name, "u8") for name in _POINTERS]
    + [("pay", "u8", 2), ("ops", "u8", 2), ("strategy", "u8", 2), ("bucket", "u8")]
    + [(name, "i4", 2) for name in ("rows", "decisions", "pays", "units")]
    + [(name, "i4") for name in _NUMBERS]
)  # as `Street` in the kernels' source


class Fit(NamedTuple):
    """How blocks share a multiprocessor."""

    slots: int  # rows in shared memory
    blocks: int  # that fit side by side


def fit(device: Device, shape: Geometry, street: StreetShape) -> Fit:
    """As many blocks as keep a multiprocessor busy, and then as many rows as fit."""
    limits, sums = device.limits, shape.slots * SLOT
    static = STATIC if most_units(street) <= CONSTANT_UNITS else STATIC + STAGED * UNIT
    for blocks in range(max(1, THREADS // shape.threads), 0, -1):
        size = min(limits.bytes // blocks - limits.block_reserve, limits.block_bytes)
        slots = (size - sums - static) // (4 * shape.width)
        if slots >= FEWEST_SLOTS or blocks == 1:
            break
    return Fit(max(0, min(slots, MOST_SLOTS)), blocks)


class Kernels:
    """The kernels of one street's streams on boards of one geometry."""

    def __init__(
        self, device: Device, shape: Geometry, street: StreetShape, streams: Sequence[Stream]
    ) -> None:
        self.device, self.shape, self.street = device, shape, street
        self.words = [encode(stream) for stream in streams]
        self.longest = longest_op(streams)
        self.fit = fit(device, shape, street)
        self.scratch = max(stream.scratch for stream in streams)

    def compile(self, same_places: bool, given: bool = False, locks: bool = False) -> Module:
        """The kernels, for hands of both in the same places or not; what else they are asked for.

        Strategies that are given, or decisions that are locked.
        """
        constant = CONSTANT_UNITS if most_units(self.street) <= CONSTANT_UNITS else 0
        if self.longest > STAGED:
            raise GameError(f"a decision of more than {STAGED * WORDS - HEAD} actions is too wide")
        module = self.device.compile(
            {
                "WIDTH": self.shape.width,
                "SPILL": self.shape.spill,
                "CHUNKS": self.shape.chunks,
                "SLOTS": self.fit.slots,
                "SCRATCH": int(self.scratch > 0 or given),  # without, what is given spills
                "BLOCKS": self.fit.blocks,
                "CONSTANT_OPS": constant,
                "STAGED": STAGED,
                "OP_UNITS": 1 if constant else self.longest,
                "PASSES": PASSES,
                "SAME_PLACES": int(same_places),
                "GIVEN": int(given),
                "LOCKS": int(locks),
            }
        )
        if constant:
            module.set_constant("constant_ops", np.concatenate(self.words).reshape(-1, WORDS))
        return module

    @property
    def shared(self) -> int:
        """Bytes of shared memory that a launch asks for."""
        return self.shape.slots * SLOT + 4 * self.fit.slots * self.shape.width


def pass_records(passes: Sequence[Pass]) -> NDArray[Any]:
    """Passes as the kernels take them."""
    rows = np.zeros(PASSES, _PASS)
    rows[: len(passes)] = [*map(tuple, passes)]
    return rows


def packed(tables: StreetTables, same: bool, threads: int | None = None) -> NDArray[np.uint16]:
    """The tables as the kernels read them: [halves, B, 3, threads, 8], slots counted in bytes.

    First the three slots of each of a thread's two hands of q, and the places of the same hands as
    p's; then the eight slots of each of its two hands of p. With the same hands in the same places,
    one half serves both.
    """
    _, boards, _, width = tables.scatter.shape
    found = np.empty((1 if same else 2, boards, 3, width // 2, 8), np.uint16)
    given = tables.scatter, tables.gather, tables.same

    def pack(first: int, last: int) -> None:
        pack_tables(given, SLOT, found, (first, last))

    in_parts(boards, pack, threads)
    return found
