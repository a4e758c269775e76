"""Lines after which nobody bets any more: what they are worth, exactly."""

from collections.abc import Sequence

import numpy as np

from endspiel.cards.equity import equities
from endspiel.cards.removal import unblocked_weights
from endspiel.values.depth import StreetLine


def wins(board: tuple[int, ...], held: np.ndarray) -> np.ndarray:
    """Chance to win less chance to lose against some hands, one at a time: [1326, 1326]."""
    found = np.zeros((1326, 1326))
    for hand in held:
        alone = np.zeros(1326)
        alone[hand] = 1
        if unblocked_weights(alone).any():
            found[:, hand] = np.nan_to_num(2 * equities(alone, board) - 1)
    return found


class RunOuts:
    """Lines valued by their run-outs."""

    def __init__(
        self,
        board: tuple[int, ...],
        ranges: tuple[np.ndarray, np.ndarray],
        lines: Sequence[StreetLine],
    ) -> None:
        self.pots = np.array([line.pot for line in lines])
        self.held = np.flatnonzero(ranges[0] + ranges[1])
        self.wins = wins(board, self.held)[:, self.held]

    def __call__(self, player: int, reaches: Sequence[np.ndarray]) -> np.ndarray:
        return self.pots[:, None] / 2 * (reaches[1 - player][:, self.held] @ self.wins.T)
