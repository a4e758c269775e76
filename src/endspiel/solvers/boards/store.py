"""Regrets, averages and locks of a solve on real cards: where each board's lie, and what they say.

Hands lie in tiles of sixteen and actions in rows, as the board kernels want them; see
`kernels.board_arrays`. A board is named by its street, its number there, and the player whose hands
are meant.
"""

from typing import Any

import numpy as np

from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Float32s, Float64s, Floats, UInt8s
from endspiel.kernels.board_arrays import Meta
from endspiel.kernels.lanes import LANES, padded, zeros
from endspiel.solvers.boards.plans import behavior_of


def street_rows(game: CardGame, sums: Float32s, street: int, player: int) -> Float32s:
    """A view [tiles, S - L, 16] of a street's regrets or averages; its rows are no buckets'."""
    meta, tiles = game.tables.meta[street, player], int(game.cards[street].sides[player].start[-1])
    rows = int(meta[Meta.ROWS])
    start = int(meta[Meta.STORED] + meta[Meta.LINES] * LANES)
    return sums[start : start + tiles * rows * LANES].reshape(tiles, rows, LANES)


def board_rows(game: CardGame, sums: Float32s, street: int, b: int, player: int) -> Float32s:
    """A view [tiles, S - L, 16] of a board's regrets or averages."""
    start = game.cards[street].sides[player].start
    return street_rows(game, sums, street, player)[start[b] : start[b + 1]]


def read_board(game: CardGame, sums: Float32s, street: int, b: int, player: int) -> Float32s:
    """A board's regrets or averages [S - L, K], a copy."""
    hands = game.cards[street].sides[player].hands[b]
    return untile(board_rows(game, sums, street, b, player))[:, :hands]


def write_board(
    game: CardGame, sums: Float32s, at: tuple[int, int, int], values: Floats, first: int = 0
) -> None:
    """Put values [R, K] of a board's hands into its rows from `first` on.

    The board is named by its street, number and player.
    """
    board_rows(game, sums, *at)[:, first : first + len(values)] = tiled(values)


def behavior_on(game: CardGame, sums: Float32s, street: int, b: int, player: int) -> Float64s:
    """Probability [S - L, K] of each action on a board, decision after decision.

    Row s - L belongs to local sequence s; a decision's rows sum to one.
    """
    weights = read_board(game, sums, street, b, player).astype(np.float64)
    return behavior_of(game.streets[street], player, weights)


def lock_place(game: CardGame, street: int, b: int, player: int, decision: int) -> int:
    """Where a decision of a board lies among the locks."""
    meta = game.tables.meta[street, player]
    return int(meta[Meta.LOCKED]) + b * int(meta[Meta.DECISIONS]) + decision


class BoardStore:
    """What learning changes, between iterations."""

    def __init__(self, game: CardGame) -> None:
        self.game = game
        self.regret: Float32s = zeros(game.store_size)
        self.average: Float32s = zeros(game.store_size)
        self.locked: UInt8s = np.zeros(game.num_nodes, dtype=np.uint8)  # 1: never learns

    @property
    def is_current(self) -> bool:
        """Whether the current strategies are the solution, and no average is stored."""
        return self.average is self.regret

    def drop_average(self) -> None:
        """Let the regrets, which current strategies match, stand in for the average."""
        self.average = self.regret

    def state(self) -> dict[str, Any]:
        """All of it by name."""
        averages = {} if self.is_current else {"average": self.average}
        return {"regret": self.regret, **averages, "locked": self.locked}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take over a state."""
        for name, array in self.state().items():
            array[:] = arrays[name]

    def street_rows(self, sums: Float32s, street: int, player: int) -> Float32s:
        """A view [tiles, S - L, 16] of a street's regrets or averages; its rows are no buckets'."""
        return street_rows(self.game, sums, street, player)

    def bucket_rows(self, sums: Float32s, player: int) -> Float32s:
        """A view [buckets + 1, rows padded] of the last street's shared rows; the last: padding."""
        game, street = self.game, len(self.game.streets) - 1
        if game.buckets is None:
            raise GameError("no hands of this game share rows")
        start = int(game.tables.meta[street, player, Meta.STORED])
        part = sums[start : start + game.store_part(street, player)]
        return part.reshape(game.buckets.count + 1, -1)

    def board_rows(self, sums: Float32s, street: int, b: int, player: int) -> Float32s:
        """A view [tiles, S - L, 16] of a board's regrets or averages."""
        return board_rows(self.game, sums, street, b, player)

    def read(self, sums: Float32s, street: int, b: int, player: int) -> Float32s:
        """A board's regrets or averages [S - L, K], a copy."""
        return read_board(self.game, sums, street, b, player)

    def write(
        self, sums: Float32s, board: tuple[int, int, int], values: Floats, first: int = 0
    ) -> None:
        """Put values [R, K] of the hands on a board into its rows from row `first` on."""
        write_board(self.game, sums, board, values, first)

    def behavior(self, street: int, b: int, player: int) -> Float64s:
        """Average probability [S - L, K] of each action: see `behavior_on`."""
        return behavior_on(self.game, self.average, street, b, player)


def untile(rows: Float32s) -> Float32s:
    """Tiles [tiles, rows, 16] as rows [rows, tiles * 16]."""
    return rows.swapaxes(0, 1).reshape(rows.shape[1], rows.shape[0] * LANES)


def tiled(rows: Floats) -> Float32s:
    """Rows [rows, K] as tiles [tiles, rows, 16]."""
    count, hands = rows.shape
    wide = np.zeros((count, padded(hands)), dtype=np.float32)
    wide[:, :hands] = rows
    return wide.reshape(count, padded(hands) // LANES, LANES).swapaxes(0, 1)
