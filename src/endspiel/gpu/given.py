"""Best responses to strategies that are given by buckets of hands, on whole flops.

Nothing is kept of a board but its cards and the bucket of each hand: q's reaches are multiplied by
what its strategy does with the bucket, p takes the best action with each hand. The streams are
those of solving. Both players can hold every hand that a board leaves, so one table serves both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import Street
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_mask
from endspiel.gpu.layout import StreetLayout
from endspiel.gpu.machine import Array, Mode, Pass
from endspiel.gpu.shape import StreetShape, street_shape
from endspiel.gpu.stream import Op, compile_street
from endspiel.gpu.table_kernels import Dealt
from endspiel.gpu.tables import (
    Geometry,
    Links,
    StreetTables,
    geometry,
    image_links,
    rows_by_hand,
    street_tables,
)
from endspiel.gpu.twin import StreamRun, TwinStreet
from endspiel.kernels.arrays import Floats, Ints
from endspiel.kernels.regrets import decision_values

Float32s = NDArray[np.float32]
UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
QUAD = 4  # probabilities that a GPU reads at once
SLOTS = 13  # rows of a board in the twin's fast memory


@dataclass(frozen=True, eq=False)
class GivenStreet:
    """One street of the betting, with what both players do there."""

    shape: StreetShape
    geometry: Geometry
    stakes: Floats  # [T] chance included
    strategies: tuple[Float32s, Float32s]  # [D, K, quads * 4] of each player

    @property
    def quads(self) -> int:
        """Fours of probabilities of a decision."""
        return int(self.strategies[0].shape[2]) // QUAD


def given_street(
    tree: BettingTree, street: Street, board: int, chance: float, rows: dict[int, Floats]
) -> GivenStreet:
    """A street on boards of a number of cards; `rows` has probabilities [A, K] by decision."""
    width = max(len(row) for row in rows.values())
    wide = -(-width // QUAD) * QUAD
    strategies = []
    for decisions in street.decisions:
        buckets = next(iter(rows.values())).shape[1]
        found = np.zeros((len(decisions), buckets, wide), np.float32)
        for number, node in enumerate(decisions):
            found[number, :, : len(rows[node])] = rows[node].T
        strategies.append(found)
    stakes = chance * np.array([end.stake for end in street.terminals], dtype=float)
    shape = street_shape(tree, street)
    return GivenStreet(shape, all_hands(board), stakes, (strategies[0], strategies[1]))


def all_hands(board: int) -> Geometry:
    """The geometry of boards of a number of cards with every hand that they leave."""
    cards = np.arange(board, dtype=np.uint8)[None]
    held = np.broadcast_to(live_mask(cards).astype(np.uint8), (2, 1, NUM_HANDS))
    return geometry(Dealt(cards, np.ascontiguousarray(held), False))


class DealtBoards(NamedTuple):
    """The boards of one street below one flop, in the order of the boards above. B boards."""

    cards: UInt8s  # [B, n]
    parent: Ints  # [B] board above
    images: tuple[Ints, Ints]  # [I] board and relabeling of suits that gives another
    buckets: UInt16s  # [B, 1326] of the hands that can be held


class DealtStreet(NamedTuple):
    """The game as machines want it."""

    tables: StreetTables
    buckets: UInt16s  # [B, W] by place
    links: Links | None  # none on the flop


def lay_down(streets: Sequence[GivenStreet], boards: Sequence[DealtBoards]) -> list[DealtStreet]:
    """Tables, buckets and links of a flop's boards."""
    laid: list[DealtStreet] = []
    for street, dealt in zip(streets, boards, strict=True):
        held = live_mask(dealt.cards).astype(np.uint8)
        last = len(laid) == len(streets) - 1
        tables = street_tables(
            Dealt(dealt.cards, np.stack([held, held]), last), street.geometry, threads=1
        )
        hand = tables.hand[0].astype(np.int64)
        there = np.take_along_axis(dealt.buckets, np.maximum(hand, 0), axis=1)
        links = image_links(dealt.parent, dealt.images, tables, laid[-1].tables) if laid else None
        laid.append(DealtStreet(tables, np.where(hand >= 0, there, 0).astype(np.uint16), links))
    return laid


def rows_by_place(rows: Array, tables: StreetTables) -> Float32s:
    """Rows by hand [L, 1326] in the places of boards [B, L, W], zero where there is no hand."""
    hand = tables.hand[0].astype(np.int64)
    return np.where(hand[:, None] >= 0, rows[:, hand].swapaxes(0, 1), 0).astype(np.float32)


class GivenTwin:
    """Best responses by NumPy: what the GPU must agree with."""

    def __init__(self, streets: Sequence[GivenStreet], dtype: Any = np.float32) -> None:
        self.streets, self.dtype = streets, dtype
        self.streams = [
            [compile_street(street.shape, player, SLOTS) for player in (0, 1)] for street in streets
        ]

    def respond(self, boards: Sequence[DealtBoards], player: int, reach: Array) -> Float32s:
        """A player's best values [L, 1326] on a flop, from the other's reaches [L, 1326]."""
        laid = lay_down(self.streets, boards)
        run = [self._street(s, street) for s, street in enumerate(laid)]
        one = Pass(player, Mode.BEST)
        found: Array = rows_by_place(reach, laid[0].tables).astype(self.dtype)
        for s, street in enumerate(run):
            coming = street.coming(1 - player, found)
            found = _GivenRun(street, one, (coming, None), s < len(run) - 1).result()
        for s in reversed(range(len(run) - 1)):
            up = run[s + 1].going_up(player, found, run[s].layout.num_boards)
            found = _GivenRun(run[s], one, (run[s].came, up), down=False).result()
        by_hand: Float32s = rows_by_hand(found.astype(np.float32), laid[0].tables.hand[0])[0]
        return by_hand

    def _street(self, s: int, laid: DealtStreet) -> "_GivenTwinStreet":
        given, streams = self.streets[s], self.streams[s]
        count = len(laid.buckets)
        pays = [stream.payoffs(given.stakes)[None] for stream in streams]
        layout = StreetLayout(
            given.shape,
            (streams[0], streams[1]),
            (pays[0], pays[1]),
            laid.tables,
            laid.links,
            np.zeros(count, np.int64),
            np.array([0, count]),
        )
        return _GivenTwinStreet(layout, self.dtype, given, laid.buckets)


class _GivenTwinStreet(TwinStreet):
    def __init__(
        self, layout: StreetLayout, dtype: Any, given: GivenStreet, buckets: UInt16s
    ) -> None:
        super().__init__(layout, dtype)
        self.given, self.buckets = given, buckets


class _GivenRun(StreamRun):
    """Decisions by what the strategies do with each bucket."""

    def __init__(
        self,
        street: _GivenTwinStreet,
        one: Pass,
        given: tuple[Array, Array | None],
        down: bool,
    ) -> None:
        super().__init__(street, one, given, down)
        self.strategy = street.given.strategies[1 - one.player]
        self.buckets = street.buckets

    def reaches(self, op: Op, before: Array) -> Array:
        """See `StreamRun`."""
        shares = self.strategy[op.port][self.buckets][..., : op.actions]  # [B, W, A]
        found: Array = shares.swapaxes(1, 2) * before[:, None]
        return found

    def decide(self, op: Op, gains: Array) -> Array:
        """See `StreamRun`."""
        best: Array = decision_values(gains, None, axis=1)
        return best
