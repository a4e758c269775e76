"""What the executor's benchmark lets workers do; other processes import it."""

import time
from typing import Any

from endspiel.solvers.boards.subgames import SubgameOrder


class Spinner:
    """Keeps a core busy for some time, by the clock of the process."""

    def __init__(self, start: None) -> None:
        pass

    def work(self, seconds: float) -> float:
        """How long it took by the wall clock."""
        begun, wall = time.process_time(), time.perf_counter()
        while time.process_time() - begun < seconds:
            pass
        return time.perf_counter() - wall

    def close(self) -> None:
        """Nothing is held."""


class Echo:
    """A block that does nothing but answer as much as a subgame does."""

    def __init__(self, start: None) -> None:
        pass

    def step(self, orders: list[SubgameOrder]) -> list[Any]:
        """The value so far of every line."""
        return [order.gains for order in orders]

    def state(self) -> None:
        """Nothing changes."""

    def restore(self, state: None) -> None:
        """Nothing to go on from."""
