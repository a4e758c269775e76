"""Work on many boards cut into parts, one a thread: for kernels that run without Python's lock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from endspiel.processors import processors

LEAST = 64  # boards that are worth a thread


def in_parts(count: int, work: Callable[[int, int], None], threads: int | None = None) -> None:
    """Do `work` from one board to another until all are done; by default on every processor."""
    parts = min(threads or processors(), count // LEAST)
    if parts <= 1:
        work(0, count)
        return
    ends = [count * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(work, ends[:-1], ends[1:]))
