"""Solutions of the tools by name: the newest in memory, all in a folder where one is given."""

import hashlib
import re
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Final, NamedTuple

from endspiel.errors import EndspielError
from endspiel.solving.solution import SpotSolution
from endspiel.solving.solution_files import load_solution, save_solution
from endspiel.solving.spots import PreparedSpot
from endspiel.web.cached_solution import CachedSolution
from endspiel.web.spots import check_fits, memory_limit

_NAME: Final = re.compile(r"[0-9a-f]{10}")
NAME_BYTES: Final = 5


class Shelved(NamedTuple):
    """A solution, and the task that it solves."""

    name: str
    key: str  # of spot, method and locks
    cached: CachedSolution


class SolutionShelf:
    """Solutions by name; the least recently used leave memory when another needs it."""

    def __init__(self, memory: int | None, folder: Path | None = None) -> None:
        self.memory, self.folder = memory, folder
        self._kept: OrderedDict[str, Shelved] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, name: str) -> CachedSolution:
        """The solution of a name, read from the folder if need be."""
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name].cached
            path = self._path(name) if _NAME.fullmatch(name) else None
            if path is None or not path.exists():
                raise EndspielError(
                    f"there is no solution {name[:20]!r} (any more): solve it again"
                )
            solution = load_solution(path, self._make_space)
            return self._keep(Shelved(name, "", CachedSolution(solution))).cached

    def all(self) -> list[Shelved]:
        """Those in memory, the newest last."""
        with self._lock:
            return list(self._kept.values())

    def find(self, task: PreparedSpot, target: float) -> Shelved | None:
        """A solution of a task that is as close as asked for, if there is one."""
        key = key_of(task)
        with self._lock:
            for one in reversed(self._kept.values()):
                if one.key == key and one.cached.solution.exploitability <= target:
                    self._kept.move_to_end(one.name)
                    return one
            name = _name(key, target)
            path = self._path(name)
            if path is None or not path.exists():
                return None
            solution = load_solution(path, self._make_space)
            return self._keep(Shelved(name, key, CachedSolution(solution)))

    def make_space(self, task: PreparedSpot) -> None:
        """Let solutions go until a task fits into the memory allowed, or refuse it."""
        with self._lock:
            self._make_space(task.memory_bytes)
            check_fits(task, self._left())

    def put(self, task: PreparedSpot, target: float, solution: SpotSolution) -> Shelved:
        """Keep a solution, in the folder too; one that ended early is kept in memory alone."""
        key = key_of(task)
        name = _name(key, target)
        path = self._path(name)
        if path is not None and solution.exploitability <= target:
            save_solution(path, solution)
        with self._lock:
            return self._keep(Shelved(name, key, CachedSolution(solution)))

    def _keep(self, one: Shelved) -> Shelved:
        self._kept[one.name] = one
        self._kept.move_to_end(one.name)
        return one

    def _path(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{name}.es"

    def _left(self) -> int | None:
        """Bytes that a solve may take beside the solutions held."""
        if self.memory is None:
            return memory_limit(None)
        held = sum(one.cached.solution.memory_bytes for one in self._kept.values())
        return memory_limit(max(0, self.memory - held))

    def _make_space(self, needed: int) -> None:
        while self._kept:
            left = self._left()
            if left is None or needed <= left:
                return
            self._kept.popitem(last=False)


def key_of(task: PreparedSpot) -> str:
    """What is solved, and by which method."""
    return "\n".join([task.spot.dump(), task.method, *task.options.locks])


def _name(key: str, target: float) -> str:
    digest = hashlib.blake2b(f"{key}\n{target!r}".encode(), digest_size=NAME_BYTES)
    return digest.hexdigest()
