"""Subgames that begin on the turn: each flop's betting lines, with regrets of their own.

The supplement's system keeps a trunk, preflop and flop, in one place and sends reaches down to
subgames, which send values up. A subgame is one flop and one line of betting to its end; all turns
and rivers are inside. What it adds to a value of the trunk it adds card by card to the sum so far,
as the undivided solve does, so that both have the same digits.
"""

from dataclasses import replace
from math import inf, log2
from typing import Any, NamedTuple

import numpy as np

from endspiel.betting.tree import BettingTree
from endspiel.bounds import MOST_BITS
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import Board, CardTree
from endspiel.kernels.arrays import Float32s, Float64s, Ints
from endspiel.kernels.board import UPDATE
from endspiel.kernels.board_arrays import BoardWalk, KernelStore, Meta, Seated
from endspiel.kernels.board_walk import bring_down, visit
from endspiel.kernels.lanes import LANES, zeros
from endspiel.kernels.packing import PackedShape, pack, unpack
from endspiel.solvers.boards.store import BoardStore

FLOP = 1  # street of the whole game
BELOW = (1, 2)  # streets of a subgame: turn and river
REGRET, AVERAGE = "regret", "average"
MORE_BITS = 4  # that averages have
# An average is a sum of reaches, each at most 1: of these bits it fits for 4,096 iterations that
# count alike, and more where later ones count more.
MOST_BITS_OF_AVERAGES = 14


class FlopStart(NamedTuple):
    """What a flop's subgames are made from."""

    betting: BettingTree
    tree: CardTree  # the flop, its turns and rivers
    unit: float
    nodes: tuple[int, ...]  # [L] chance node at the end of each line
    is_current: bool  # no averages are stored
    bits: int | None = None  # regrets are packed, in fixed point: see `fixed_scale`
    floors: bool = False  # negative regrets are forgotten: they need not be stored


class SubgameOrder(NamedTuple):
    """One player's walk over a subgame."""

    player: int
    mode: int
    schedule: Float64s  # [1, 6]
    reaches: tuple[Float32s, Float32s]  # [tiles * 16] of both players' hands
    gains: Float32s  # [tiles * 16] what the line is worth to the player so far
    by_current: bool = False  # measure current strategies, though averages are stored


def flop_tree_of(tree: CardTree, flop: int) -> CardTree:
    """A flop with all that follows it, its chance as in the whole tree."""
    root = replace(tree.streets[FLOP][flop], parent=-1, images=(0,), weight=1)
    streets: list[tuple[Board, ...]] = [(root,)]
    numbers = {flop: 0}
    for boards in tree.streets[FLOP + 1 :]:
        below = [(b, board) for b, board in enumerate(boards) if board.parent in numbers]
        streets.append(tuple(replace(board, parent=numbers[board.parent]) for _, board in below))
        numbers = {b: place for place, (b, _) in enumerate(below)}
    return CardTree(tuple(streets), tree.ranges, tree.deck, tree.chance[FLOP])


def check_bits(bits: int, averages: bool = False) -> None:
    """Refuse more bits of fixed point than a float has, or than leave room for averages' sums."""
    most = MOST_BITS_OF_AVERAGES if averages else MOST_BITS
    if not -MOST_BITS <= bits <= most:
        where = " where averages are packed too" if averages else ""
        raise GameError(f"fixed point has {-MOST_BITS} to {most} bits{where}, not {bits}")


def fixed_scale(tree: CardTree, street: int, bits: int) -> float:
    """Steps in a big blind of a street's regrets: by bits, more where chance makes them small.

    A power of two, so that no step is rounded.
    """
    return 2.0 ** (bits - round(log2(tree.chance[street])))


class Subgame:
    """One flop and one line: its strategies, and walks over its turns and rivers."""

    def __init__(self, start: FlopStart, node: int) -> None:
        self.game = CardGame(start.betting, start.tree, node, start.unit)
        tables = self.game.tables
        self._tables = tables._replace(root=tables.root.copy())
        self._turns = np.arange(len(start.tree.streets[1]))
        self._locked = np.zeros(self.game.num_nodes, dtype=np.uint8)
        self.memory = SubgameMemory(self.game, start)

    def walk(self, order: SubgameOrder, work: Float32s, scratch: Float32s) -> Float32s:
        """The line's worth to a player's hands [tiles * 16], turns and rivers included."""
        player, mode, schedule, reaches, gains, _ = order
        tables = self._tables
        for side, reach in enumerate(reaches):
            start = int(tables.meta[0, side, Meta.ROOT])
            tables.root[start : start + len(reach)] = reach
        regret, average = self.memory.open(scratch, order)
        sums = KernelStore(regret, average, self._locked, _NOTHING, _NOTHING)
        walk = BoardWalk(mode, sums, work, _NOTHING)
        bring_down(tables, Seated(0, player, 0), schedule[0], walk)
        at = int(tables.meta[0, player, Meta.GAIN])
        work[at : at + len(gains)] = gains
        visit(tables, 1, self._turns, (player, player + 1), schedule, walk)
        if mode == UPDATE:
            self.memory.shut(regret, average, player)
        return work[at : at + len(gains)].copy()


_NOTHING = zeros(0)


class SubgameMemory:
    """What a subgame keeps from walk to walk: floats, or packed bytes by street and player.

    A walk that learns reads both players' regrets and its own player's average, and changes what is
    its player's; one that measures reads both averages, or both regrets.
    """

    def __init__(self, game: CardGame, start: FlopStart) -> None:
        self.game, self.bits, self.is_current = game, start.bits, start.is_current
        self.floors, self.size = start.floors, game.store_size
        self.arrays: dict[str, Any] = {}
        names = (REGRET,) if self.is_current else (REGRET, AVERAGE)
        if self.bits is None:
            self.arrays = {name: zeros(self.size) for name in names}
            return
        for name in names:
            for player in (0, 1):
                self._pack(name, zeros(self.size), player)

    @property
    def scratch(self) -> int:
        """Floats that a walk unpacks to."""
        return 0 if self.bits is None else self.size * (1 if self.is_current else 2)

    def _span(self, street: int, player: int) -> tuple[slice, PackedShape]:
        """Where a street's regrets lie, and how."""
        meta, side = self.game.tables.meta[street, player], self.game.cards[street].sides[player]
        rows = int(meta[Meta.ROWS])
        first = int(meta[Meta.STORED] + meta[Meta.LINES] * LANES)
        span = slice(first, first + int(side.start[-1]) * rows * LANES)
        return span, PackedShape(side.start, side.hands, rows)

    def _pack(self, name: str, values: Float32s, player: int) -> None:
        for street in BELOW:
            span, shape = self._span(street, player)
            scale = packed_scale(self.game.tree, street, self.bits or 0, name)
            key = packed_name(name, street, player)
            least = 0.0 if self.floors and name == REGRET else -inf
            self.arrays[key] = pack(values[span], shape, scale, what=name, least=least)

    def _unpack(self, name: str, to: Float32s, player: int) -> None:
        for street in BELOW:
            span, shape = self._span(street, player)
            scale = packed_scale(self.game.tree, street, self.bits or 0, name)
            unpack(self.arrays[packed_name(name, street, player)], shape, scale, to[span])

    def open(self, scratch: Float32s, order: SubgameOrder) -> tuple[Float32s, Float32s]:
        """Regrets and averages for a walk; regrets twice where it measures current strategies."""
        learns, player = order.mode == UPDATE, order.player
        by_current = order.by_current or self.is_current
        if self.bits is None:
            regret: Float32s = self.arrays[REGRET]
            average = regret if by_current else self.arrays[AVERAGE]
        else:
            regret, average = scratch[: self.size], scratch[self.size :]
            for side in (0, 1) if learns or by_current else ():
                self._unpack(REGRET, regret, side)
            if by_current:
                average = regret
            else:
                for side in (player,) if learns else (0, 1):
                    self._unpack(AVERAGE, average, side)
        return regret, _NOTHING if learns and self.is_current else average

    def shut(self, regret: Float32s, average: Float32s, player: int) -> None:
        """Keep what a player's walk has learned."""
        if self.bits is not None:
            self._pack(REGRET, regret, player)
            if not self.is_current:
                self._pack(AVERAGE, average, player)

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.arrays = {name: np.array(arrays[name]) for name in self.arrays}


def packed_name(name: str, street: int, player: int) -> str:
    """What the packed bytes of a subgame's street are called."""
    return f"packed_{street}_{player}" if name == REGRET else f"packed_{name}_{street}_{player}"


def packed_scale(tree: CardTree, street: int, bits: int, name: str) -> float:
    """Steps of a regret's big blind, or of an average's newest reach.

    Averages are sums of reaches, and no reach is large beside those that count: what is less than
    half a step never enters. So they have some bits more.
    """
    return fixed_scale(tree, street, bits) if name == REGRET else 2.0 ** (bits + MORE_BITS)


class FlopSubgames:
    """All subgames of one flop: a block of state that may stay in a worker."""

    def __init__(self, start: FlopStart) -> None:
        self.subgames = [Subgame(start, node) for node in start.nodes]
        self._work = zeros(max(one.game.work_size for one in self.subgames))
        self._scratch = zeros(max(one.memory.scratch for one in self.subgames))

    def step(self, orders: list[SubgameOrder]) -> list[Float32s]:
        """One walk over every subgame, in the order of the lines."""
        return [
            one.walk(order, self._work, self._scratch)
            for one, order in zip(self.subgames, orders, strict=True)
        ]

    def state(self) -> list[dict[str, Any]]:
        """What learning changed."""
        return [one.memory.arrays for one in self.subgames]

    def restore(self, state: list[dict[str, Any]]) -> None:
        """Go on from a state."""
        for one, arrays in zip(self.subgames, state, strict=True):
            one.memory.restore(arrays)


def line_rows(meta: Ints, player: int, work: Float32s, column: Meta, tiles: int) -> Float32s:
    """A view [tiles, S, 16] of the flop's reaches or values in a work array."""
    start, size = int(meta[FLOP, player, column]), int(meta[FLOP, player, Meta.SIZE])
    return work[start : start + tiles * size * LANES].reshape(tiles, size, LANES)


def gather_subgames(
    store: BoardStore, states: list[list[dict[str, Any]]], bits: int | None
) -> None:
    """Put what subgames learned, by flop and line, where the undivided solve has it."""
    game, below = store.game, range(FLOP + 1, len(store.game.streets))
    rows = {(s, p): _rows_by_line(game, s, p) for s in below for p in (0, 1)}
    for flop, lines in enumerate(states):
        first, last, at = flop, flop + 1, [0] * len(lines)
        for street in below:
            child = game.cards[street - 1].child
            first, last = int(child[first]), int(child[last])
            for player in (0, 1):
                side = game.cards[street].sides[player]
                starts, hands = side.start[first : last + 1], side.hands[first:last]
                tiles = slice(int(starts[0]), int(starts[-1]))
                for line, arrays in enumerate(lines):
                    own = rows[street, player][line]
                    shape = PackedShape(starts - starts[0], hands, len(own))
                    begin = at[line]
                    at[line] += int(shape.starts[-1]) * len(own) * LANES
                    for name in (REGRET,) if store.is_current else (REGRET, AVERAGE):
                        if bits is None:
                            values = arrays[name][begin : at[line]]
                        else:
                            values, key = zeros(at[line] - begin), (name, street - FLOP, player)
                            scale = packed_scale(game.tree, street, bits, name)
                            unpack(arrays[packed_name(*key)], shape, scale, values)
                        whole = store.street_rows(getattr(store, name), street, player)
                        whole[tiles, own] = values.reshape(-1, len(own), LANES)


def _rows_by_line(game: CardGame, street: int, player: int) -> list[Ints]:
    """Rows of a street's board that belong to each line of the flop's end."""
    betting, plan = game.betting, game.streets[street]
    entries = {node: line for line, node in enumerate(game.streets[FLOP + 1].starts)}
    found: list[list[int]] = [[] for _ in entries]
    for own in plan.own(player):
        node = own.node
        while node not in entries:
            node = int(betting.parent[node])
        found[entries[node]] += range(own.rows.start, own.rows.stop)
    return [np.array(rows, dtype=np.int64) for rows in found]
