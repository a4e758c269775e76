"""The CFR family on real cards, by the board kernels: alternating, in 32-bit floats."""

from endspiel.engine.driver import Driver
from endspiel.engine.schemes import Scheme
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Float32s
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.store import BoardStore


class BoardCFR(Driver[BoardBackend]):
    """A running solve of an endgame on real cards; exploitability is a share of the pot."""

    def __init__(self, game: CardGame, scheme: Scheme, threads: int = 1) -> None:
        super().__init__(BoardBackend(game, threads), scheme)

    @property
    def game(self) -> CardGame:
        """What is solved."""
        return self.backend.game

    @property
    def store(self) -> BoardStore:
        """Its strategies."""
        return self.backend.store


class KeepingBoardCFR(BoardCFR):
    """Solve, ending with the best average that was measured.

    On large stakes a strategy may become far worse again: an infoset that is hardly reached, and
    hardly learned, may cost a thousand pots.
    """

    _best: Float32s | None = None

    def keep(self) -> None:
        """Remember the average as it is."""
        self._best = self.store.average.copy()

    def fall_back(self) -> None:
        """Take the average that was remembered, if any."""
        if self._best is not None:
            self.store.average[:] = self._best
