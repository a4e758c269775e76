"""Games that are not zero-sum: the same two treeplexes, with payoffs of each player's own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endspiel.errors import GameError
from endspiel.game.game import Game, TerminalGroup
from endspiel.kernels.arrays import Floats


@dataclass(frozen=True)
class GeneralGame(Game):
    """A two-player game of which `groups` are what player 0 gets, `second` what player 1 gets."""

    second: Sequence[TerminalGroup] = ()

    @property
    def zero_sum(self) -> bool:
        return False

    def gradient(self, player: int, plan: Floats) -> Floats:
        """What each of the player's sequences earns the player against the other's plan."""
        plan = plan.astype(np.float64, copy=False)  # of training, it may have 32 bits
        out = np.zeros(self.plexes[player].num_sequences)
        for group in self.groups if player == 0 else self.second:
            group.add_gradient(player, plan, out)
        return out

    def terminal_groups(self) -> Sequence[TerminalGroup]:
        """All groups, of both players."""
        return [*self.groups, *self.second]

    def require_zero_sum(self, algorithm: str) -> None:
        raise GameError(f"{algorithm} solves zero-sum games, and this is none")
