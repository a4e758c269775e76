"""Regrets, averages and locks of a solve on real cards: where each board's lie, and what they say.

Hands lie in tiles of sixteen and actions in rows, as the board kernels want them; see
`kernels.board_arrays`. A board is named by its street, its number there, and the player whose hands
are meant.
"""

from typing import Any

import numpy as np

from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Float32s, Float64s, Floats, Ints, UInt8s
from endspiel.kernels.board_arrays import AVERAGE, DITHER, GROWN, KernelStore, Meta, ShortSums
from endspiel.kernels.lanes import LANES, padded, zeros
from endspiel.solvers.boards.plans import behavior_of
from endspiel.solvers.boards.short_sums import (
    LEAST_POWER,
    BoardSums,
    new_short_sums,
    short_rows,
    street_parts,
    write_short_rows,
    write_short_shares,
)

STORAGES = 32, 16  # bits of a regret or an average
MOST_GROWN = 2.0**40  # weight of what is added to averages of 16 bits, before all are made smaller


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


def read_board(game: CardGame, sums: BoardSums, street: int, b: int, player: int) -> Float32s:
    """A board's regrets or averages [S - L, K], a copy."""
    hands = game.cards[street].sides[player].hands[b]
    if isinstance(sums, ShortSums):
        return untile(short_rows(game, sums, street, b, player))[:, :hands]
    return untile(board_rows(game, sums, street, b, player))[:, :hands]


def write_board(
    game: CardGame, sums: BoardSums, at: tuple[int, int, int], values: Floats, first: int = 0
) -> None:
    """Put values [R, K] of a board's hands into its rows from `first` on: those of whole decisions.

    The board is named by its street, number and player.
    """
    if isinstance(sums, ShortSums):
        write_short_rows(game, sums, at, tiled(values), first)
    else:
        board_rows(game, sums, *at)[:, first : first + len(values)] = tiled(values)


def write_shares(
    game: CardGame, sums: BoardSums, at: tuple[int, int, int], shares: Floats, first: int
) -> None:
    """Make a decision's rows [A, K] of a board, from `first` on, play these probabilities."""
    if isinstance(sums, ShortSums):
        write_short_shares(game, sums, at, tiled(shares), first)
    else:
        write_board(game, sums, at, shares, first)


def arrays_of(sums: BoardSums, name: str) -> dict[str, Any]:
    """The arrays of regrets or averages, by names."""
    if isinstance(sums, ShortSums):
        return {name: sums.numbers, f"{name}_powers": sums.powers}
    return {name: sums}


def kernel_store(
    regret: BoardSums, average: BoardSums | None, locked: UInt8s, new: tuple[Float32s, Float32s]
) -> KernelStore:
    """What a kernel's walk reads and writes: where no average is stored, there is none."""
    nothing = zeros(0)
    if isinstance(regret, ShortSums):
        store = KernelStore(nothing, nothing, locked, *new, short_regret=regret)
        return store._replace(short_average=average) if isinstance(average, ShortSums) else store
    assert not isinstance(average, ShortSums)
    return KernelStore(regret, nothing if average is None else average, locked, *new)


def behavior_on(game: CardGame, sums: BoardSums, street: int, b: int, player: int) -> Float64s:
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

    def __init__(self, game: CardGame, storage: int = 32) -> None:
        if storage not in STORAGES:
            raise GameError(f"regrets and averages are stored in 32 or 16 bits, not {storage}")
        self.game, self.storage = game, storage
        self.regret, self.average = self._zeros(), self._zeros()
        self.locked: UInt8s = np.zeros(game.num_nodes, dtype=np.uint8)  # 1: never learns
        self.learned: Ints = np.zeros(2, dtype=np.int64)  # how often each player has
        self.grown: Float64s = np.ones(2)  # weight of what was added last to averages of 16 bits

    def _zeros(self) -> Any:
        """Regrets or averages of all boards: `Float32s`, or `ShortSums` where they have 16 bits."""
        return zeros(self.game.store_size) if self.storage == 32 else new_short_sums(self.game)

    @property
    def is_current(self) -> bool:
        """Whether the current strategies are the solution, and no average is stored."""
        return self.average is self.regret

    @property
    def in_step(self) -> bool:
        """Whether both players have learned alike, so that one schedule serves both."""
        return all(bool(counts[0] == counts[1]) for counts in (self.learned, self.grown))

    def drop_average(self) -> None:
        """Let the regrets, which current strategies match, stand in for the average."""
        self.average = self.regret

    def state(self) -> dict[str, Any]:
        """All of it by name."""
        averages = {} if self.is_current else arrays_of(self.average, "average")
        counts = {"learned": self.learned, "grown": self.grown} if self.storage == 16 else {}
        return {**arrays_of(self.regret, "regret"), **averages, "locked": self.locked, **counts}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take over a state."""
        for name, array in self.state().items():
            array[:] = arrays[name]

    def pace(self, player: int, rows: Float64s) -> None:
        """Count a player's next iterations, in the rows [T, 7] by which the kernels take them.

        Averages of 16 bits are not discounted: what is added to them grows instead.
        """
        if self.storage == 32:
            return
        if self.grown[player] > MOST_GROWN and not self.is_current:
            self._shrink(player)
        begun = int(self.learned[player])
        rows[:, DITHER] = range(begun, begun + len(rows))
        for row in rows:
            self.grown[player] = self.grown[player] / row[AVERAGE] if row[AVERAGE] > 0 else 1.0
            row[GROWN] = self.grown[player]
        self.learned[player] += len(rows)

    def _shrink(self, player: int) -> None:
        """Let an average of 16 bits count by smaller weights, before they are no floats."""
        powers = int(np.log2(self.grown[player]))
        self.grown[player] /= 2.0**powers
        for street in range(len(self.game.streets)):
            held = street_parts(self.game, self.average, street, player)[1]
            held[:] = (held.astype(np.int64) - powers).clip(LEAST_POWER)

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

    def read(self, sums: BoardSums, street: int, b: int, player: int) -> Float32s:
        """A board's regrets or averages [S - L, K], a copy."""
        return read_board(self.game, sums, street, b, player)

    def write(
        self, sums: BoardSums, board: tuple[int, int, int], values: Floats, first: int = 0
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
