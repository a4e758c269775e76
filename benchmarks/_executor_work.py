"""What the executor's benchmark lets workers do; other processes import it."""

import time


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
