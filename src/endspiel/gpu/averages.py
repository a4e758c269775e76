"""A game's averages, taken out of a batch and put where the board kernels look them up."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS
from endspiel.jit import njit
from endspiel.kernels.lanes import LANES
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
            how = self.rows[0] if player else 0, np.float32(1 / self.weights[player])
            _fill(self.kept, self.hand[player], (start, side.hand), how, out)


class GameAverages(NamedTuple):
    """A game's averages: a copy."""

    streets: list[BoardAverages]

    def fill(self, store: BoardStore) -> None:
        """Put them into a store; in any thread."""
        for s, street in enumerate(self.streets):
            street.fill(store, s)


@njit(cache=True, nogil=True)
def _fill(
    kept: Float32s,
    hands: NDArray[np.int16],
    side: tuple[NDArray[np.int64], NDArray[np.int32]],  # [B + 1] first tile, [tiles * 16] hand
    how: tuple[int, np.float32],  # first row, factor
    out: Float32s,  # [tiles, rows, 16]
) -> None:
    start, lanes = side
    first, scale = how
    place = np.zeros(NUM_HANDS, np.int64)
    for b in range(len(kept)):
        for at in range(hands.shape[1]):
            if hands[b, at] >= 0:
                place[hands[b, at]] = at
        for tile in range(start[b], start[b + 1]):
            for row in range(out.shape[1]):
                for lane in range(LANES):
                    hand = lanes[tile * LANES + lane]
                    value = kept[b, first + row, place[hand]] if hand >= 0 else np.float32(0)
                    out[tile, row, lane] = scale * value
