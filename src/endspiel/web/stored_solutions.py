"""Solutions of a report's boards, stored in the server's folder as jobs of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from endspiel.solving.solution import SpotSolution
from endspiel.web.jobs import record_of
from endspiel.web.store import ID_LETTERS, JobRecord, ServerFolder

FILE_SHARE: Final = 0.5  # of what a solve takes in memory: its file, at most


@dataclass(frozen=True)
class StoredSolutions:
    """Puts each board's solution into the folder, with the record that makes it a job."""

    store: ServerFolder
    report: str  # its id
    name: str
    note: Callable[[JobRecord], None]  # stores a record

    def path(self, key: str) -> Path:
        """The file of a board's solution: what was asked gives the job's id."""
        return self.store.solution(key[:ID_LETTERS])

    def stored(self, name: str, key: str, solution: SpotSolution) -> None:
        """Make a job of a solution whose file is there; its board is as the report writes it."""
        record = record_of(key[:ID_LETTERS], f"{self.name}, {name}"[:120], solution)
        record.report, record.board = self.report, name.split()
        record.spot = replace(record.spot, board=name)
        self.note(record)

    def check(self, sizes: list[int]) -> None:
        """Refuse solutions that the disk has no space for."""
        self.store.check_room(int(FILE_SHARE * sum(sizes)), f"storing {len(sizes)} solutions")
