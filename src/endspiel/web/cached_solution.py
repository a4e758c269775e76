"""A solution that remembers what took time to find, within a limit."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import msgspec

from endspiel.kernels.arrays import Floats
from endspiel.strategy import SpotSolution
from endspiel.strategy.spot_solution import SolvedBoards

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


class CachedBoards:
    """A finished solve that remembers the boards it was asked about.

    All decisions of a board are found at once, so that the other nodes of a board cost nothing
    once one was opened.
    """

    def __init__(self, solved: SolvedBoards) -> None:
        self.game, self.store = solved.game, solved.store
        self._solved = solved
        self._boards = _Remembered(VALUES_BYTES)

    def action_values(self, street: int, b: int, player: int) -> Floats:
        """As the solve finds them."""
        key = ("values", street, b, player)
        return self._array(key, lambda: self._solved.action_values(street, b, player))

    def behavior(self, street: int, b: int, player: int) -> Floats:
        """As the solve finds it."""
        key = ("behavior", street, b, player)
        return self._array(key, lambda: self._solved.behavior(street, b, player))

    def _array(self, key: tuple[Any, ...], make: Callable[[], Floats]) -> Floats:
        array: Floats = self._boards.get(key, make, lambda made: made.nbytes)
        array.flags.writeable = False
        return array


class CachedSolution:
    """A solution that many may ask at once: one at a time, answers remembered."""

    def __init__(self, solution: SpotSolution) -> None:
        self.solution = replace(solution, boards=CachedBoards(solution.boards))
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
