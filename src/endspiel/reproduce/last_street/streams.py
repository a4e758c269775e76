"""The last street of a game alone, all its boards side by side, by op streams.

Hands that share rows (a card abstraction) have rows of their own all the same, kept equal: after
each half of an iteration every hand takes the mean over its bucket, boards by their weight. Regret
matching asks for the direction of regrets only, so that is the iteration of the shared rows.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.games.card_game import CardGame
from endspiel.gpu.backend import HEAVY, SLOTS, START
from endspiel.gpu.layout import StreetLayout, lay_out_last
from endspiel.gpu.machine import Array, Kind, Mode, Pass
from endspiel.gpu.tables import ABSENT
from endspiel.gpu.twin import KeptStreet
from endspiel.kernels.arrays import Discounts, Floats, Ints
from endspiel.kernels.board import BEST
from endspiel.reproduce.last_street.boards import (
    AVERAGE,
    REGRET,
    BySequence,
    LastStreet,
    group_means,
)

KINDS = {REGRET: Kind.REGRET, AVERAGE: Kind.AVERAGE}


class RowCopies(NamedTuple):
    """Rows of one player and where they go, with what they are multiplied by."""

    source: Ints  # [n]
    to: Ints  # [n]
    scale: float


class StreetMachine(Protocol):
    """Runs the streams of one street and owns what is kept. Arrays are by place [W]."""

    layout: StreetLayout
    before: "HandsBefore"

    def enter(self, player: int, reach: Array) -> None:
        """Let a player come into each line of each board with these reaches [B, L, W]."""

    def enter_hands(self, player: int, reach: Array) -> None:
        """Let a player come in with these reaches [L, H] of the hands before the street."""

    def run(self, one: Pass) -> None:
        """One pass over all boards."""

    def values(self) -> Array:
        """What the last pass found at each line of each board [B, L, W]."""

    def hand_values(self) -> Floats:
        """Values summed over the boards, by their weights, for the hands before [L, H]."""

    def kept(self, kind: Kind, player: int, scale: float = 1.0) -> Array:
        """A copy of what is kept of a player [B, rows, W], times a scale."""

    def set_kept(self, kind: Kind, player: int, rows: Array, scale: float = 1.0) -> None:
        """Keep something else of a player [B, rows, W], times a scale."""

    def copy_rows(self, player: int, source: Any, rows: RowCopies) -> None:
        """Take averages of another machine's on the same boards."""

    def even_out(self, kind: Kind, player: int, of: Ints) -> None:
        """Give the places of one group [B, W] the mean of what is kept; -1 is in none."""

    def scale_averages(self, player: int, by: float) -> None:
        """Multiply a player's averages."""


class HandsBefore:
    """How the places of a street's boards hang on the hands before it."""

    def __init__(self, game: CardGame, layout: StreetLayout) -> None:
        held, hand = game.tree.streets[0][0].hands[0], layout.tables.hand[0]
        number = np.full(NUM_HANDS + 1, ABSENT, np.uint16)  # the last: padding
        number[held] = np.arange(len(held))
        self.hands = len(held)  # H
        self.above = number[hand]  # [B, W] number of each place's hand, or ABSENT
        self.place = np.full((len(hand), self.hands), ABSENT, np.uint16)  # [B, H] where it lies
        for b, row in enumerate(self.above):
            filled = np.flatnonzero(row != ABSENT)
            self.place[b, row[filled]] = filled
        self.weight = np.array([float(board.weight) for board in game.tree.streets[-1]])  # [B]


StreetMaker = Callable[[CardGame], StreetMachine]


class NumpyStreet:
    """A machine that runs anywhere, by NumPy."""

    def __init__(self, game: CardGame) -> None:
        self.layout = lay_out_last(game, lambda shape, street: SLOTS)
        self.before = HandsBefore(game, self.layout)
        self.twin = KeptStreet(self.layout, np.float32)
        shape = self.layout.num_boards, len(self.layout.shape.lines), self.layout.width
        self.coming = [np.zeros(shape, np.float32) for _ in (0, 1)]
        self.found: Array = np.zeros(shape, np.float32)

    def enter(self, player: int, reach: Array) -> None:
        """See `StreetMachine`."""
        self.coming[player] = reach.astype(np.float32)

    def enter_hands(self, player: int, reach: Array) -> None:
        """See `StreetMachine`."""
        wide = np.append(reach, np.zeros((len(reach), 1)), axis=1).astype(np.float32)
        places = np.minimum(self.before.above, self.before.hands)
        self.coming[player] = wide[:, places].swapaxes(0, 1)

    def run(self, one: Pass) -> None:
        """See `StreetMachine`."""
        self.found = self.twin.run(one, self.coming[1 - one.player], None, False)

    def values(self) -> Array:
        """See `StreetMachine`."""
        return self.found

    def hand_values(self) -> Floats:
        """See `StreetMachine`."""
        place = self.before.place[:, None].astype(np.int64)  # [B, 1, H]
        there = place != ABSENT
        each = np.take_along_axis(self.found, np.where(there, place, 0), axis=2)
        found: Floats = np.einsum("blh,b->lh", np.where(there, each, 0.0), self.before.weight)
        return found

    def kept(self, kind: Kind, player: int, scale: float = 1.0) -> Array:
        """See `StreetMachine`."""
        rows: Array = self.twin.kept[kind][:, self.layout.rows(player)] * np.float32(scale)
        return rows

    def set_kept(self, kind: Kind, player: int, rows: Array, scale: float = 1.0) -> None:
        """See `StreetMachine`."""
        self.twin.kept[kind][:, self.layout.rows(player)] = rows * np.float32(scale)

    def copy_rows(self, player: int, source: "NumpyStreet", rows: RowCopies) -> None:
        """See `StreetMachine`."""
        own, other = (each.layout.rows(player).start for each in (self, source))
        found = source.twin.kept[Kind.AVERAGE][:, other + rows.source]
        self.twin.kept[Kind.AVERAGE][:, own + rows.to] = np.float32(rows.scale) * found

    def even_out(self, kind: Kind, player: int, of: Ints) -> None:
        """See `StreetMachine`."""
        rows = self.twin.kept[kind][:, self.layout.rows(player)]
        rows[:] = group_means(rows, of, self.before.weight)

    def scale_averages(self, player: int, by: float) -> None:
        """See `StreetMachine`."""
        self.twin.kept[Kind.AVERAGE][:, self.layout.rows(player)] *= np.float32(by)


def numpy_street(game: CardGame) -> NumpyStreet:
    """A machine for a game's last street that runs anywhere."""
    return NumpyStreet(game)


class StreamStreet:
    """A running solve of the street; as `boards.LastStreet` has it."""

    def __init__(self, game: CardGame, maker: StreetMaker = numpy_street) -> None:
        self.machine = maker(game)
        self.street, self.tree = game.streets[-1], game.tree
        self.layout = self.machine.layout
        self.hand: Ints = self.layout.tables.hand[0].astype(np.int64)
        self.before = self.machine.before
        self.weights = [START, START]  # of each player's newest iteration in its average
        self.buckets: Ints | None = None  # [B, W]
        if game.buckets is not None:
            of = np.take_along_axis(game.buckets.of, np.maximum(self.hand, 0), axis=1)
            self.buckets = np.where(self.hand < 0, -1, of)
        self._ranges: list[Floats] = [np.zeros((len(self.street.starts), self.before.hands))] * 2
        held = game.tree.streets[0][0].hands[0]
        _, self._classes = np.unique(hand_classes()[held], return_inverse=True)  # [H]

    def set_range(self, player: int, ranges: Floats) -> None:
        """See `LastStreet`."""
        self._ranges[player] = ranges
        self.machine.enter_hands(player, ranges)

    def set_board_range(self, player: int, ranges: Floats) -> None:
        """See `LastStreet`."""
        self._ranges[player] = ranges
        self.machine.enter(player, ranges)

    def entering(self, player: int) -> Floats:
        """See `LastStreet`."""
        ranges = self._ranges[player]
        if ranges.ndim == 3:
            return ranges
        wide = np.append(ranges, np.zeros((len(ranges), 1)), axis=1)
        return wide[:, np.minimum(self.before.above, self.before.hands)].swapaxes(0, 1)

    def advance(self, player: int, discounts: Discounts) -> None:
        """One player's half of an iteration."""
        if discounts.average > 0:
            self.weights[player] /= discounts.average
        else:  # nothing of the past counts
            self.machine.scale_averages(player, 0.0)
            self.weights[player] = START
        self.machine.run(Pass(1 - player, Mode.FORWARD, weight=self.weights[player]))
        self.machine.run(Pass(player, Mode.LEARN, discounts.positive, discounts.negative))
        if self.buckets is not None:
            self.machine.even_out(Kind.REGRET, player, self.buckets)
        if self.weights[player] > HEAVY:  # by a power of two, which loses no bit
            self.machine.scale_averages(player, START / HEAVY)
            self.weights[player] *= START / HEAVY

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """See `LastStreet`."""
        self.advance(player, discounts)
        return self._by_hand()

    def learn_boards(self, player: int, discounts: Discounts) -> Floats:
        """See `LastStreet`."""
        self.advance(player, discounts)
        return self.machine.values()

    def _by_hand(self) -> Floats:
        """The last pass's values [L, H]; of folded boards, means over suit classes."""
        found = self.machine.hand_values()
        if self.tree.classed:
            sizes = np.bincount(self._classes)
            for row in found:
                row[:] = (np.bincount(self._classes, row) / sizes)[self._classes]
        return found

    def values(self, player: int, mode: int) -> Floats:
        """See `LastStreet`."""
        self._share_averages()
        self.machine.run(Pass(player, Mode.BEST if mode == BEST else Mode.EXPECTED))
        return self._by_hand()

    def trace(self, player: int) -> tuple[BySequence, BySequence]:
        """See `LastStreet`."""
        self._share_averages()
        self.machine.run(Pass(player, Mode.TRACE))
        worth, plan = (self.machine.kept(Kind.REGRET, each) for each in (player, 1 - player))
        coming = self.entering(1 - player).astype(np.float32)
        return BySequence(self.machine.values(), worth), BySequence(coming, plan)

    def _share_averages(self) -> None:
        """Let hands of one bucket have one average: sums over buckets stay what they are."""
        if self.buckets is not None:
            for player in (0, 1):
                self.machine.even_out(Kind.AVERAGE, player, self.buckets)

    def read(self, kind: str, player: int) -> Floats:
        """See `LastStreet`."""
        self._share_averages()
        scale = 1 / self.weights[player] if kind == AVERAGE else 1.0
        return self.machine.kept(KINDS[kind], player, scale)

    def write(self, kind: str, player: int, rows: Floats) -> None:
        """See `LastStreet`."""
        scale = self.weights[player] if kind == AVERAGE else 1.0
        self.machine.set_kept(KINDS[kind], player, rows, scale)

    def state(self, kind: str, player: int) -> Floats:
        """See `LastStreet`: of hands that share rows, those of one a bucket [buckets, S - L]."""
        rows = self.read(kind, player)
        if self.buckets is None:
            return rows
        numbers, first = np.unique(self.buckets, return_index=True)
        board, place = np.divmod(first[numbers >= 0], self.layout.width)
        return rows[board, :, place]

    def restore(self, kind: str, player: int, state: Floats) -> None:
        """See `LastStreet`."""
        if self.buckets is not None:
            numbers, which = np.unique(self.buckets, return_inverse=True)
            which = which.reshape(self.buckets.shape) - np.count_nonzero(numbers < 0)  # [B, W]
            rows = np.moveaxis(state[which], 2, 1)  # of padding, whatever
            state = rows * (self.hand >= 0)[:, None]
        self.write(kind, player, state)

    def copy_averages(
        self, player: int, source: LastStreet, rows: Sequence[tuple[int, int]]
    ) -> None:
        """See `LastStreet`."""
        assert isinstance(source, StreamStreet)
        source._share_averages()
        pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
        scale = self.weights[player] / source.weights[player]
        copies = RowCopies(pairs[:, 0], pairs[:, 1], scale)
        self.machine.copy_rows(player, source.machine, copies)

    def even_out(self, kind: str, player: int, of: Ints) -> None:
        """See `LastStreet`."""
        self.machine.even_out(KINDS[kind], player, of)
