"""A game's averages, taken out of a batch and put where the board kernels look them up."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.gpu.table_kernels import fill_averages
from endspiel.solvers.boards.store import BoardStore

Float32s = NDArray[np.float32]


class BoardAverages(NamedTuple):
    """Averages of some boards of one street as they lay in the batch: a copy."""

    kept: Float32s  # [B, rows of both players, W]
    hand: NDArray[np.int16]  # [2, B, W] the hand in each place
    rows: tuple[int, int]  # of each player
    weights: tuple[float, float]  # of each player's newest iteration

    def fill(self, store: BoardStore, street: int, first: int = 0) -> None:
        """Put them into a store from a board on, discounted to a newest weight of one."""
        for player in (0, 1):
            side = store.game.cards[street].sides[player]
            out = store.street_rows(store.average, street, player)
            start = side.start[first : first + len(self.kept) + 1]
            how = self.rows[0] if player else 0, 1 / self.weights[player]
            fill_averages(self.kept, self.hand[player], (start, side.hand), how, out)


class GameAverages(NamedTuple):
    """A game's averages: a copy."""

    streets: list[BoardAverages]

    def fill(self, store: BoardStore) -> None:
        """Put them into a store; in any thread."""
        for s, street in enumerate(self.streets):
            street.fill(store, s)
