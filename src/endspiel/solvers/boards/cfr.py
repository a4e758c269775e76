"""The CFR family on real cards, by the board kernels: alternating, in 32-bit floats."""

from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES, Scheme
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Float32s
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.store import BoardStore

# All but the predictive ones, which need the newest regrets too: the board kernels keep none.
SPOT_SCHEMES = {name: scheme for name, scheme in SCHEMES.items() if not scheme.predictive}
SPOT_SCHEMES["dcfr"] = Scheme(1.25, 0.375, 4)  # chosen by benchmarks/schemes.py
# For rivers whose stakes grow to thousands of pots. Regrets of the first iterations are as large as
# the stakes, and discounted CFR keeps a hundredth of them for ever: later ones, as large as the
# pot, take that many iterations to outweigh them. These weights have forgotten them by then.
CUBIC = "cubic"
SPOT_SCHEMES[CUBIC] = Scheme(1, 1, 4, power=3)


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
