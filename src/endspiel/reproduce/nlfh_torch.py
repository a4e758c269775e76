"""Flop hold'em's solvers on a torch device: a graphics processor, or a processor to try it."""

from collections.abc import Iterator

from endspiel.errors import GameError
from endspiel.games.card_game import Buckets
from endspiel.reproduce.nlfh_batched import BatchedLines, BatchedWhole
from endspiel.reproduce.nlfh_game import FlopGame
from endspiel.reproduce.nlfh_solvers import Endgames
from endspiel.solvers.boards.array_libraries import TorchArrays
from endspiel.solvers.boards.tensors import BoardTensors


class TorchBackend:
    """A torch device: cuda, or cpu to try the same code without one."""

    def __init__(self, device: str = "cuda") -> None:
        self.device = device
        self._boards: dict[int, BoardTensors] = {}

    def _of(self, game: FlopGame) -> BoardTensors:
        if game.ranks not in self._boards:
            self._boards[game.ranks] = BoardTensors(game.cards, TorchArrays(self.device))
        return self._boards[game.ranks]

    def whole(self, game: FlopGame, buckets: Buckets | None = None) -> BatchedWhole:
        return BatchedWhole(game, self._of(game), buckets)

    def lines(self, game: FlopGame, endgames: Endgames) -> BatchedLines:
        if endgames != game.endgames:
            raise GameError("on a torch device all endgames are solved together")
        return BatchedLines(game, self._of(game))

    def groups(self, game: FlopGame) -> Iterator[Endgames]:
        """All of them: a device is fast only when it has much to do at once."""
        return iter([game.endgames])
