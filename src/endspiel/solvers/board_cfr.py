"""The CFR family on real cards, by the board kernels: alternating, in 32-bit floats.

The loop is that of `cfr`; what differs is that nothing but regrets and averages is kept, and that
a player's whole half of an iteration is one walk over the boards.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.games.card_game import CardGame
from endspiel.kernels.board import BEST, EXPECTED
from endspiel.kernels.board_arrays import Kept
from endspiel.kernels.board_walk import iterate, visit
from endspiel.kernels.simd import zeros
from endspiel.solvers.cfr import Scheme

Floats = NDArray[np.float64]
_KEEP = np.ones(4)  # discounts of a walk that does not learn


class BoardCFR:
    """A running solve of an endgame on real cards."""

    def __init__(self, game: CardGame, scheme: Scheme) -> None:
        self.game = game
        self.scheme = scheme
        self.iteration = 0
        decisions = sum(
            len(boards) * (len(street.decisions[0]) + len(street.decisions[1]))
            for boards, street in zip(game.tree.streets, game.streets, strict=True)
        )
        self.kept = Kept(
            zeros(game.kept_size), zeros(game.kept_size), np.zeros(decisions, dtype=np.uint8)
        )
        self._work = zeros(game.work_size)

    def step(self, count: int = 1) -> None:
        """So many iterations: each player learns in turn."""
        first = self.iteration + 1
        schedule = np.array([self.scheme.at(first + i) for i in range(count)])
        room = zeros(len(self.game.tables.root))
        iterate(self.game.tables, schedule, self.kept, self._work, room)
        self.iteration += count

    def hand_values(self, player: int, mode: int) -> Floats:
        """Each hand's value [K] against the other's average: by best play, or by the average's."""
        room = zeros(len(self.game.tables.root))
        visit(self.game.tables, 0, 0, 1, player, mode, _KEEP, self.kept, self._work, room)
        held = self.game.cards[0].sides[player].hand >= 0
        return room[: len(held)][held].astype(np.float64) / self.game.pairs

    def _total(self, player: int, mode: int) -> float:
        board = self.game.tree.streets[0][0]
        weights = self.game.tree.ranges[player][board.hands[player]]
        return float(weights @ self.hand_values(player, mode))

    def exploitability(self) -> float:
        """Mean of both players' best-response gains, as a share of the pot."""
        return (self._total(0, BEST) + self._total(1, BEST)) / 2

    def value(self) -> float:
        """Player 0's share of the pot beyond half of it, when both follow the average."""
        return self._total(0, EXPECTED)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        return {
            "iteration": np.array(self.iteration),
            "regret": self.kept.regret,
            "average": self.kept.average,
            "locked": self.kept.locked,
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"])
        self.kept.regret[:] = arrays["regret"]
        self.kept.average[:] = arrays["average"]
        self.kept.locked[:] = arrays["locked"]
