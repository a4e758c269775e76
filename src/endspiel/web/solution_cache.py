"""A cache of solutions in memory: the most recently used stay."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Final

from endspiel.errors import EndspielError
from endspiel.solvers.memory import check_memory
from endspiel.solving.solution import SpotSolution
from endspiel.solving.solution_files import load_solution
from endspiel.web.cached_solution import CachedSolution
from endspiel.web.messages import Refused
from endspiel.web.spots import memory_limit
from endspiel.web.store import JobRecord, ServerFolder

MOST: Final = 4  # solutions kept in memory


class SolutionCache:
    """The solutions of jobs, by the jobs' names."""

    def __init__(self, store: ServerFolder, memory: int | None) -> None:
        self.store, self.memory = store, memory
        self._cached: OrderedDict[str, CachedSolution] = OrderedDict()
        self._lock = threading.RLock()

    def has(self, job: str) -> bool:
        """Whether a job has a solution, in memory or as a file."""
        return job in self._cached or self.store.solution(job).exists()

    def get(self, record: JobRecord) -> CachedSolution:
        """A job's solution, read from its file if need be."""
        with self._lock:
            if record.id in self._cached:
                self._cached.move_to_end(record.id)
                return self._cached[record.id]
            path = self.store.solution(record.id)
            if not path.exists():
                raise Refused(f"{record.name} has no solution yet", "", 409)
            self._make_room(record.memory_bytes)
            return self.put(record.id, load_solution(path))

    def copy(self, record: JobRecord) -> SpotSolution:
        """A job's solution for one user alone, who may take long."""
        with self._lock:
            self._make_room(record.memory_bytes)
        return load_solution(self.store.solution(record.id))

    def put(self, job: str, solution: SpotSolution) -> CachedSolution:
        """Keep a solution at hand, the root's values found before anybody asks."""
        cached = CachedSolution(solution)
        cached.use(_find_root_values)
        with self._lock:
            self._cached[job] = cached
            self._cached.move_to_end(job)
            while len(self._cached) > MOST:
                self._cached.popitem(last=False)
        return cached

    def forget(self, job: str) -> None:
        """Let a solution go from memory."""
        with self._lock:
            self._cached.pop(job, None)

    def _make_room(self, needed: int) -> None:
        """Let solutions go until another fits into memory."""
        while True:
            limit = memory_limit(self.memory)
            if limit is None or needed <= limit or not self._cached:
                check_memory(needed, limit, "opening this solution", "delete or stop other solves")
                return
            self._cached.popitem(last=False)

    def check_file(self, path: Path) -> SpotSolution:
        """The solution of a file; its size is known before anything large is allocated."""
        try:
            return load_solution(path, self._make_room)
        except EndspielError as error:
            text = str(error).replace(str(path), "the file")
            raise Refused(text, "file") from error


def _find_root_values(solution: SpotSolution) -> None:
    for player in (0, 1):
        solution.boards.action_values(0, 0, player)
