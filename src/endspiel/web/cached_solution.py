"""A solution that remembers what took time to find, within a limit."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import msgspec

from endspiel.kernels.arrays import Floats
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.solution import SpotSolution

VALUES_BYTES: Final = 200_000_000  # of values and strategies that a solution remembers
ANSWERS_BYTES: Final = 30_000_000  # of answers, as sent


class _Remembered:
    """A cache by key of limited bytes; the least recently used goes first."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self._kept: OrderedDict[Any, tuple[Any, int]] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """What a key stands for, made if it is not remembered."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        made = make()
        self._kept[key] = made, size(made)
        self.size += size(made)
        while self.size > self.most and len(self._kept) > 1:
            self.size -= self._kept.popitem(last=False)[1][1]
        return made


@dataclass(frozen=True, eq=False)
class CachedBoards(BoardStrategy):
    """Strategies that remember the boards they were asked about.

    All decisions of a board are found at once, so that the other nodes of a board cost nothing
    once one was opened.
    """

    @cached_property
    def _boards(self) -> _Remembered:
        return _Remembered(VALUES_BYTES)

    @classmethod
    def remembering(cls, boards: BoardStrategy) -> "CachedBoards":
        """Wrap strategies, sharing their arrays."""
        return cls(boards.game, boards.average, boards.locked, boards.threads, boards.pieces)

    def action_values(self, street: int, b: int, player: int) -> Floats:
        key = ("values", street, b, player)
        return self._array(key, lambda: super(CachedBoards, self).action_values(street, b, player))

    def behavior(self, street: int, b: int, player: int) -> Floats:
        key = ("behavior", street, b, player)
        return self._array(key, lambda: super(CachedBoards, self).behavior(street, b, player))

    def _array(self, key: tuple[Any, ...], make: Callable[[], Floats]) -> Floats:
        array: Floats = self._boards.get(key, make, lambda made: made.nbytes)
        array.flags.writeable = False
        return array


class CachedSolution:
    """A solution that many may ask at once: one at a time, answers remembered."""

    def __init__(self, solution: SpotSolution) -> None:
        self.solution = replace(solution, boards=CachedBoards.remembering(solution.boards))
        self._answers = _Remembered(ANSWERS_BYTES)
        self._lock = threading.Lock()

    @property
    def memory_bytes(self) -> int:
        """What it takes, about."""
        return self.solution.memory_bytes + VALUES_BYTES + ANSWERS_BYTES

    def ask(self, key: tuple[Any, ...], question: Callable[[SpotSolution], Any]) -> bytes:
        """The answer to a question, as JSON."""
        with self._lock:
            answer: bytes = self._answers.get(
                key, lambda: msgspec.json.encode(question(self.solution)), len
            )
            return answer

    def use(self, work: Callable[[SpotSolution], Any]) -> Any:
        """Something done with the solution that is not to be remembered."""
        with self._lock:
            return work(self.solution)
