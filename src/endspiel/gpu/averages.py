"""A game's averages, taken out of a batch and put where the board kernels look them up."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float32s
from endspiel.games.card_game import CardGame
from endspiel.gpu.table_kernels import fill_averages
from endspiel.solvers.boards.store import street_rows
from endspiel.solvers.boards.strategy import BoardStrategy


class BoardAverages(NamedTuple):
    """Averages of some boards of one street as they lay in the batch: a copy."""

    kept: Float32s  # [B, rows of both players, W]
    hand: NDArray[np.int16]  # [2, B, W] the hand in each place
    rows: tuple[int, int]  # of each player
    weights: tuple[float, float]  # of each player's newest iteration

    def fill(self, game: CardGame, average: Float32s, street: int, first: int = 0) -> None:
        """Put them among averages from a board on, discounted to a newest weight of one."""
        for player in (0, 1):
            side = game.cards[street].sides[player]
            out = street_rows(game, average, street, player)
            start = side.start[first : first + len(self.kept) + 1]
            how = self.rows[0] if player else 0, 1 / self.weights[player]
            fill_averages(self.kept, self.hand[player], (start, side.hand), how, out)


class GameAverages(NamedTuple):
    """A game's averages: a copy."""

    streets: list[BoardAverages]

    def strategy(self, game: CardGame) -> BoardStrategy:
        """What they are in the game that they are of; in any thread."""
        found = BoardStrategy.made(game)
        for s, street in enumerate(self.streets):
            street.fill(game, found.average, s)
        return found
