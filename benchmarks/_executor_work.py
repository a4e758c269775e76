"""What the executor's benchmark lets workers do; other processes import it."""

import time
from typing import Any

import numpy as np

STATE = 1_000_000  # numbers of a block's state


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


class Iterate:
    """A block that works on its numbers: reaches come, values go."""

    def __init__(self, number: int) -> None:
        self.values = np.random.default_rng(number).normal(size=STATE)

    def step(self, reach: float) -> float:
        """Some passes over the numbers."""
        for _ in range(12):
            self.values = np.cos(self.values) + reach
        return float(self.values.sum())

    def state(self) -> Any:
        """The numbers."""
        return self.values

    def restore(self, state: Any) -> None:
        """Go on from numbers."""
        self.values = state.copy()
