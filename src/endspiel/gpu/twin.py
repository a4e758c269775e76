"""The op streams run by NumPy, over all boards at once: what the GPU must agree with.

It reads the same words and the same tables. Arrays are by board and place [B, W]; works in the
precision asked for.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.gpu.layout import BatchLayout, StreetLayout
from endspiel.gpu.machine import Array, Kind, Mode, Pass
from endspiel.gpu.stream import (
    EVALUATE,
    FORWARD,
    LOAD,
    NOWHERE,
    OUT,
    PORT,
    SHOWDOWN,
    Op,
    decode,
    encode,
)
from endspiel.gpu.tables import ABSENT, Geometry, StreetTables
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import add_advantages, decision_values, shares


class Twin:
    """A batch of games of one shape, by NumPy."""

    def __init__(self, layout: BatchLayout, dtype: Any = np.float32) -> None:
        self.layout, self.dtype = layout, dtype
        self.streets = [KeptStreet(street, dtype) for street in layout.streets]
        self.roots = [root.astype(dtype) for root in layout.roots]  # [G, W] each
        self.scales: Sequence[float | None] = ()  # of regrets in fixed point, by street
        self.worth: dict[int, Array] = {}  # of lines [B, L, W] in the newest run, by street

    def run(self, one: Pass) -> Array:
        """See `Machine`."""
        last = len(self.streets) - 1
        found = self.roots[1 - one.player][:, None]  # [B, lines, W]
        for s, street in enumerate(self.streets):
            found = street.run(one, street.coming(1 - one.player, found), None, s < last)
        if one.mode == Mode.FORWARD:
            return np.zeros((0, 0), self.dtype)
        self.worth[last] = found
        for s in reversed(range(last)):
            street, below = self.streets[s], self.streets[s + 1]
            up = below.going_up(one.player, found, street.layout.num_boards)
            found = self.worth[s] = street.run(one._replace(weight=0.0), street.came, up, False)
        if one.mode == Mode.LEARN:
            for street, scale in zip(self.streets, self.scales, strict=False):
                street.round_regrets(one.player, scale)
        return found[:, 0]

    def line_values(self, street: int) -> Array:
        """See `Machine`."""
        return self.worth[street]

    def run_all(self, passes: Sequence[Pass]) -> None:
        """See `Machine`."""
        for one in passes:
            self.run(one)

    def set_root(self, player: int, game: int, weights: Array) -> None:
        """See `Machine`."""
        self.roots[player][game] = weights

    def kept(self, kind: Kind, street: int, player: int, board: int) -> Array:
        """See `Machine`."""
        where = self.streets[street]
        rows: Array = where.kept[kind][board, where.layout.rows(player)].copy()
        return rows

    def kept_boards(self, kind: Kind, street: int, boards: slice) -> Array:
        """See `Machine`."""
        rows: Array = self.streets[street].kept[kind][boards].copy()
        return rows

    def set_kept(self, kind: Kind, street: int, player: int, board: int, rows: Array) -> None:
        """See `Machine`."""
        where = self.streets[street]
        where.kept[kind][board, where.layout.rows(player)] = rows

    def lock(self, street: int, player: int, board: int, decision: int) -> None:
        """See `Machine`."""
        self.streets[street].locked[player][board, decision] = True

    def retire(self, game: int) -> None:
        """See `Machine`."""
        for street in self.streets:
            street.active[street.layout.game == game] = False

    def scale_averages(self, player: int, by: float) -> None:
        """See `Machine`."""
        for street in self.streets:
            street.kept[Kind.AVERAGE][:, street.layout.rows(player)] *= self.dtype(by)

    def drop_averages(self) -> None:
        """See `Machine`."""
        for street in self.streets:
            street.kept[Kind.AVERAGE] = street.kept[Kind.REGRET]

    def measure_current(self, yes: bool) -> None:
        """See `Machine`."""
        for street in self.streets:
            street.measured = Kind.REGRET if yes else Kind.AVERAGE

    def keep_fixed(self, scales: Sequence[float | None]) -> None:
        """See `Machine`."""
        self.scales = tuple(scales)

    def state(self) -> dict[str, NDArray[Any]]:
        """See `Machine`."""
        found: dict[str, NDArray[Any]] = {}
        for s, street in enumerate(self.streets):
            found[f"locked_{s}"] = np.concatenate(street.locked, axis=1).astype(np.uint8)
            for kind in Kind:
                found[f"{kind.name.lower()}_{s}"] = street.kept[kind]
        return found

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """See `Machine`."""
        for s, street in enumerate(self.streets):
            first = street.layout.shape.decisions[0]
            street.locked[0][:] = arrays[f"locked_{s}"][:, :first] > 0
            street.locked[1][:] = arrays[f"locked_{s}"][:, first:] > 0
            for kind in Kind:
                street.kept[kind][:] = arrays[f"{kind.name.lower()}_{s}"]

    def close(self) -> None:
        """See `Machine`."""
        self.streets = []


class TwinStreet:
    """One street of the batch: how its stream runs."""

    def __init__(self, layout: StreetLayout, dtype: Any) -> None:
        self.layout, self.dtype = layout, dtype
        self.streams = [decode(encode(stream)) for stream in layout.streams]
        self.pays = [pay.astype(dtype)[layout.game] for pay in layout.pays]  # [B, P]
        self.came: Array = np.zeros((0, 0, 0), dtype)  # reaches of the lines that came in

    def coming(self, q: int, reaches: Array) -> Array:
        """The reaches of the lines that come in [B, L, W], from those that go out above."""
        links = self.layout.links
        if links is not None:
            reaches = _taken(reaches[links.parent], links.above[q][:, None])
        self.came = reaches
        return reaches

    def going_up(self, p: int, values: Array, boards: int) -> Array:
        """What lines are worth on the boards above [boards, L, W], from their values [B, L, W]."""
        links = self.layout.links
        assert links is not None
        images = _taken(values[links.child], links.below[p][:, None])  # [I, L, W above]
        total = np.zeros((boards, *images.shape[1:]), self.dtype)
        np.add.at(total, links.parent[links.child], images)
        return total


class KeptStreet(TwinStreet):
    """A street whose regrets and averages are kept."""

    def __init__(self, layout: StreetLayout, dtype: Any) -> None:
        super().__init__(layout, dtype)
        boards, width, shape = layout.num_boards, layout.width, layout.shape
        self.kept = [np.zeros((boards, sum(shape.rows), width), dtype) for _ in Kind]
        self.locked = [np.zeros((boards, count), np.bool_) for count in shape.decisions]
        self.active = np.ones(boards, np.bool_)
        self.measured = Kind.AVERAGE  # what values are taken of

    def round_regrets(self, player: int, scale: float | None) -> None:
        """Make a player's regrets whole numbers of 1 / scale."""
        if scale is not None:
            regrets = self.kept[Kind.REGRET][:, self.layout.rows(player)]
            regrets[:] = np.rint(regrets * self.dtype(scale)) / self.dtype(scale)

    def run(self, one: Pass, coming: Array, below: Array | None, down: bool) -> Array:
        """Run p's stream: p's values of lines; or q's reaches of lines that go on, going down."""
        return _KeptRun(self, one, (coming, below), down or one.mode == Mode.FORWARD).result()


class StreamRun(ABC):
    """A stream while it runs; decisions get their strategies by those that follow."""

    def __init__(
        self, street: TwinStreet, one: Pass, given: tuple[Array, Array | None], down: bool
    ) -> None:
        self.one, self.down = one, down
        self.coming, self.below = given  # reaches of lines that come in, values from below
        self.stream, self.pay = street.streams[one.player], street.pays[one.player]
        self.tables = street.layout.tables
        self.rows: dict[int, Array] = {}
        layout = street.layout
        boards, lines = layout.num_boards, layout.shape.outs if down else self.coming.shape[1]
        self.out = np.zeros((boards, lines, layout.width), street.dtype)

    def result(self) -> Array:
        stream, at = self.stream, 0
        while at < len(stream):
            op = stream[at]
            at += 1
            if op.kind == LOAD:
                for line, row in enumerate(op.rows, op.port):
                    self.rows[row] = self.coming[:, line]
            elif op.kind == FORWARD:
                self.forward(op)
            elif op.kind == OUT and self.down:
                self.out[:, op.port] = self.rows[op.row]
            elif op.kind == EVALUATE:
                posts, at = stream[at : at + op.actions], at + op.actions
                if not self.down:
                    self.evaluate(op, posts)
        return self.out

    def forward(self, op: Op) -> None:
        """One of q's decisions."""
        before = self.coming[:, op.row - PORT] if op.row >= PORT else self.rows[op.row]
        reaches = self.reaches(op, before)
        for action, row in enumerate(op.rows):
            if row != NOWHERE:
                self.rows[row] = reaches[:, action]

    def evaluate(self, op: Op, posts: Sequence[Op]) -> None:
        """Masses and showdowns of some columns, and all that stands on them."""
        columns = np.stack([self.rows[row] for row in op.rows], axis=-1)  # [B, W, N]
        show, mass = evaluate(self.tables, self.one.player, columns)
        for i, post in enumerate(posts):
            self.post(post, show[..., i], mass[..., i])

    def post(self, op: Op, show: Array, mass: Array) -> None:
        """One of p's decisions, or a terminal, on the column of this showdown value and mass."""
        pays = self.pay[:, op.pay : op.pay + 1 + len(op.rows)]  # [B, 1 + A]
        gains = np.stack(
            [self.gain(row, pays[:, 1 + a, None], show, mass) for a, row in enumerate(op.rows)], 1
        )
        value = self.decide(op, gains) if op.actions else gains[:, 0]
        value = value + pays[:, 0, None] * mass
        if not op.fresh:
            value = self.rows[op.row] + value
        if op.line == NOWHERE:
            self.rows[op.row] = value
        else:
            self.out[:, op.line] = value

    def gain(self, row: int, pay: Array, show: Array, mass: Array) -> Array:
        """What one action is worth [B, W]."""
        if row == SHOWDOWN:
            return pay * show
        if row == NOWHERE:
            return pay * mass
        if row < PORT:
            return self.rows[row] + pay * mass
        assert self.below is not None
        return self.below[:, row - PORT] + pay * mass

    @abstractmethod
    def reaches(self, op: Op, before: Array) -> Array:
        """Reaches [B, A, W] after one of q's decisions, from those before it [B, W]."""

    @abstractmethod
    def decide(self, op: Op, gains: Array) -> Array:
        """The value [B, W] of one of p's decisions, from its actions' [B, A, W]."""


class _KeptRun(StreamRun):
    """Decisions by the regrets and averages that are kept."""

    def __init__(
        self, street: KeptStreet, one: Pass, given: tuple[Array, Array | None], down: bool
    ) -> None:
        super().__init__(street, one, given, down)
        self.street = street
        learns = one.mode in (Mode.LEARN, Mode.FORWARD)
        self.source = street.kept[Kind.REGRET if learns else street.measured]  # [B, rows, W]

    def reaches(self, op: Op, before: Array) -> Array:
        """See `StreamRun`; q's average is added to."""
        span = slice(op.first, op.first + op.actions)
        reaches: Array = shares(self.source[:, span], axis=1) * before[:, None]
        if self.one.weight:
            average = self.street.kept[Kind.AVERAGE][:, span]
            average += (
                self.street.dtype(self.one.weight) * reaches * self.street.active[:, None, None]
            )
        if self.one.mode == Mode.TRACE:
            self.street.kept[Kind.REGRET][:, span] = reaches
        return reaches

    def decide(self, op: Op, gains: Array) -> Array:
        """The value [B, W] of one of p's decisions; its regrets learn on the way."""
        p, mode = self.one.player, self.one.mode
        kept = self.source[:, op.first : op.first + op.actions]  # [B, A, W], a view
        free = ~self.street.locked[p][:, op.port, None]  # [B, 1]
        value: Array = decision_values(gains, shares(kept, axis=1), axis=1)
        if mode in (Mode.BEST, Mode.TRACE):
            value = np.where(free, decision_values(gains, None, axis=1), value)
        if mode == Mode.TRACE:
            self.street.kept[Kind.REGRET][:, op.first : op.first + op.actions] = gains
        if mode == Mode.LEARN:
            learned = kept.copy()
            discounts = Discounts(self.one.positive, self.one.negative, 1.0, 0.0)
            add_advantages(learned, gains - value[:, None], discounts)
            learns = (free & self.street.active[:, None])[:, None]
            kept[:] = np.where(learns, learned, kept)
        return value


def evaluate(tables: StreetTables, p: int, columns: Array) -> tuple[Array, Array]:
    """What p's hands win at showdowns, and q's unblocked mass: from q's reaches, [B, W, N] all."""
    shape = tables.geometry
    same = _taken(columns.swapaxes(1, 2), tables.same[p][:, None]).swapaxes(1, 2)
    sums = _summed(columns, tables.scatter[1 - p], tables.lists[1 - p], shape)
    at = tables.gather[p].astype(np.int64)[..., None]  # [B, 8, W, 1]
    lo_c, hi_c, lo_d, hi_d, lo, hi, end_c, end_d = (
        np.take_along_axis(sums, at[:, i], axis=1) for i in range(8)
    )
    whole = np.take_along_axis(sums, tables.end[1 - p].astype(np.int64)[:, None, None], axis=1)
    mass = whole - end_c - end_d
    return (lo - lo_c - lo_d) + ((hi - hi_c - hi_d) - mass), mass + same


def _taken(rows: Array, places: NDArray[np.uint16]) -> Array:
    """Rows [B, L, W] at other places [B, 1, W'], zero where there is none."""
    there = places != ABSENT
    found = np.take_along_axis(rows, np.where(there, places, 0).astype(np.int64), axis=2)
    return np.where(there, found, rows.dtype.type(0))


def _summed(
    columns: Array, scatter: NDArray[np.uint16], lists: NDArray[np.uint32], shape: Geometry
) -> Array:
    """Exclusive sums of columns [B, W, N] in slots [B, slots, N], scattered by [B, 3, W].

    Card lists [B, C] are given by their starts and lengths.
    """
    boards, _, count = columns.shape
    slots = np.zeros((boards, shape.slots, count), columns.dtype)
    for i in range(3):
        np.put_along_axis(slots, scatter[:, i, :, None].astype(np.int64), columns, axis=1)
    start, length = (lists & 0xFFFF).astype(np.int64)[:, None], (lists >> 16)[:, None]
    rank = np.arange(int(length.max()) + 1)[:, None]  # those past the end of a list are spilled
    at = np.where(rank <= length, start + rank, shape.spill)  # [B, ranks, C]
    where = at.reshape(boards, -1, 1)
    slots[:, shape.spill] = 0
    by_rank = np.take_along_axis(slots, where, axis=1).reshape(*at.shape, count)
    np.put_along_axis(slots, where, _before(by_rank).reshape(boards, -1, count), axis=1)
    # The main list, chunk by chunk, and its whole sum where the chunk after the last would begin.
    by_chunk = slots[:, shape.main :].reshape(boards, shape.per, shape.chunks + 1, count)
    order = by_chunk[:, :, : shape.chunks].swapaxes(1, 2).reshape(boards, shape.width, count)
    before = _before(order)
    by_chunk[:, 0, shape.chunks] = before[:, -1] + order[:, -1]
    before = before.reshape(boards, shape.chunks, shape.per, count)
    by_chunk[:, :, : shape.chunks] = before.swapaxes(1, 2)
    return slots


def _before(lists: Array) -> Array:
    """The sum of what comes before each entry of a list, along the second axis."""
    sums = np.zeros_like(lists)
    np.cumsum(lists[:, :-1], axis=1, out=sums[:, 1:])
    return sums
