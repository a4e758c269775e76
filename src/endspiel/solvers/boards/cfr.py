"""The CFR family on real cards, by the board kernels: alternating, in 32-bit floats."""

from typing import Any

from endspiel.engine.driver import Driver
from endspiel.engine.schemes import Scheme
from endspiel.games.card_game import CardGame
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.store import BoardStore, arrays_of


class BoardCFR(Driver[BoardBackend]):
    """A running solve of an endgame on real cards; exploitability is a share of the pot."""

    def __init__(self, game: CardGame, scheme: Scheme, threads: int = 1, storage: int = 32) -> None:
        super().__init__(BoardBackend(game, threads, storage), scheme)

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

    _best: dict[str, Any] | None = None

    def keep(self) -> None:
        """Remember the average as it is."""
        self._best = {name: array.copy() for name, array in self._averages.items()}

    def fall_back(self) -> None:
        """Take the average that was remembered, if any."""
        for name, array in (self._best or {}).items():
            self._averages[name][:] = array

    @property
    def _averages(self) -> dict[str, Any]:
        return arrays_of(self.store.average, "average")
