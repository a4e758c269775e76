"""A batch laid out: games of one shape, their boards street by street, and what they take.

Games have a number g, boards of a street by number b over all games. Only games of equal
shapes and equally wide rows share a layout; `grouped` sorts a mixed lot, `split` cuts a group into
parts that fit into memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.gpu.shape import Shapes, StreetShape, game_shape, game_stakes, street_shape
from endspiel.gpu.stream import Stream, compile_street, side_by_side
from endspiel.gpu.tables import (
    Geometry,
    Links,
    StreetTables,
    dealt_boards,
    geometry,
    row_width,
    street_links,
    street_tables,
)
from endspiel.kernels.arrays import Floats, Ints
from endspiel.solvers.memory import format_bytes

FLOAT = 4  # bytes
TABLE = 2 * (3 + 8 + 1 + 1 + 2) * 2  # bytes of a place of a board: both players' tables and links


@dataclass(frozen=True, eq=False)
class StreetLayout:
    """One street of a batch. B boards of G games."""

    shape: StreetShape
    streams: tuple[Stream, Stream]  # of each player's half
    pays: tuple[Floats, Floats]  # [G, P] each
    tables: StreetTables
    links: Links | None  # none on the first street
    game: Ints  # [B] whose board it is
    start: Ints  # [G + 1] first board of each game

    def rows(self, player: int) -> slice:
        """The rows of a player's decisions among those of a board."""
        first, second = self.shape.rows
        return slice(first, first + second) if player else slice(0, first)

    @property
    def num_boards(self) -> int:
        """B."""
        return len(self.game)

    @property
    def width(self) -> int:
        """W."""
        return self.tables.geometry.width


@dataclass(frozen=True, eq=False)
class BatchLayout:
    """Games of one shape, ready to run side by side."""

    games: tuple[CardGame, ...]
    streets: tuple[StreetLayout, ...]

    @property
    def roots(self) -> tuple[Floats, Floats]:
        """Weights of the hands where each game begins: [G, W] of each player."""
        first = self.streets[0].tables
        found = []
        for player in (0, 1):
            hand = first.hand[player]
            weights = np.stack([np.append(game.tree.ranges[player], 0.0) for game in self.games])
            found.append(np.take_along_axis(weights, hand.astype(np.int64) % weights.shape[1], 1))
        return found[0], found[1]


SlotsOf = Callable[[Geometry, StreetShape], int]  # rows of a board that fit into fast memory


def lay_out(games: Sequence[CardGame], slots: SlotsOf) -> BatchLayout:
    """Lay out games of one shape."""
    shapes = game_shape(games[0])
    streets: list[StreetLayout] = []
    for s, shape in enumerate(shapes):
        boards = [board for game in games for board in game.tree.streets[s]]
        counts = [len(game.tree.streets[s]) for game in games]
        start = np.concatenate([[0], np.cumsum(counts)])
        dealt = dealt_boards(boards, s == len(shapes) - 1)
        wide = geometry(dealt)
        tables = street_tables(dealt, wide)
        links = None
        if s:
            upper = streets[-1]
            shift = np.repeat(upper.start[:-1], counts)
            parent = shift + np.array([board.parent for board in boards], dtype=np.int64)
            links = street_links(boards, parent, tables, upper.tables)
        streams = [compile_street(shape, player, slots(wide, shape)) for player in (0, 1)]
        stakes = [game_stakes(game, s) for game in games]
        pays = [np.stack([stream.payoffs(stake) for stake in stakes]) for stream in streams]
        whose = np.repeat(np.arange(len(games)), counts)
        streets.append(
            StreetLayout(
                shape, (streams[0], streams[1]), (pays[0], pays[1]), tables, links, whose, start
            )
        )
    return BatchLayout(tuple(games), tuple(streets))


def lay_out_last(game: CardGame, slots: SlotsOf) -> StreetLayout:
    """Lay out the last street of a game alone, as if every board were entered by itself."""
    boards, s = game.tree.streets[-1], len(game.streets) - 1
    shape, dealt = street_shape(game.betting, game.streets[s]), dealt_boards(boards, True)
    wide = geometry(dealt)
    first, second = (compile_street(shape, player, slots(wide, shape), 1) for player in (0, 1))
    stakes = game_stakes(game, s)
    pays = first.payoffs(stakes)[None], second.payoffs(stakes)[None]
    whose, start = np.zeros(len(boards), np.int64), np.array([0, len(boards)])
    tables = street_tables(dealt, wide)
    return StreetLayout(shape, (first, second), pays, tables, None, whose, start)


def row_widths(game: CardGame) -> tuple[int, ...]:
    """How wide the rows of each street's boards are."""
    return tuple(row_width(boards) for boards in game.tree.streets)


def grouped(games: Sequence[CardGame]) -> list[list[int]]:
    """Numbers of the games that can share a layout, group by group."""
    groups: dict[object, list[int]] = {}
    numbers: dict[int, int] = {}  # by shape: most are the same object, and large to compare
    distinct: dict[Shapes, int] = {}
    kept = [game_shape(game) for game in games]
    for number, (game, shapes) in enumerate(zip(games, kept, strict=True)):
        if id(shapes) not in numbers:
            numbers[id(shapes)] = distinct.setdefault(shapes, len(distinct))
        groups.setdefault((numbers[id(shapes)], row_widths(game)), []).append(number)
    return list(groups.values())


def game_bytes(game: CardGame, copies: int = 2) -> int:
    """What a game takes in a batch, before anything large is made of it.

    Regrets and averages are two copies of the strategies' size; regrets alone are one.
    """
    total = 0
    widths = row_widths(game)
    for s, shape in enumerate(game_shape(game)):
        boards = game.tree.streets[s]
        images = sum(len(board.images) for board in boards) if s else 0
        lines = len(shape.lines) + shape.outs + side_by_side(shape.outs)
        rows = copies * sum(shape.rows) + lines + 2
        above = widths[s - 1] if s else 0
        total += len(boards) * widths[s] * (FLOAT * rows + TABLE) + 4 * images * above
    return total


def split(games: Sequence[CardGame], numbers: Sequence[int], memory: int) -> list[list[int]]:
    """A group cut into parts that each fit into a number of bytes."""
    parts: list[list[int]] = [[]]
    room = memory
    for number in numbers:
        needed = game_bytes(games[number])
        if needed > memory:
            raise EndspielError(
                f"this endgame needs {format_bytes(needed)} and {format_bytes(memory)} are there: "
                "use fewer bet sizes or narrower ranges"
            )
        if needed > room:
            parts.append([])
            room = memory
        parts[-1].append(number)
        room -= needed
    return parts
