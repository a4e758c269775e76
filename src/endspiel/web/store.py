"""The server's folder: jobs, solutions, checkpoints and the token, each under a name we made.

Nothing from the page becomes a path. A job's id is looked up among those known, and the ids of the
files found in the folder must look like ours.
"""

import os
import re
import secrets
import shutil
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from endspiel.errors import FileError
from endspiel.solvers.memory import format_bytes
from endspiel.web.messages import JobLimits, Point, Shares, SpotText

ID_LETTERS: Final = 12
ID: Final = re.compile(rf"[a-z0-9]{{{ID_LETTERS}}}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{20,80}")


class JobRecord(Struct):
    """What is kept of a job beside its solution."""

    id: str
    name: str
    created: float
    spot: SpotText
    board: list[str]
    method: str
    limits: JobLimits
    threads: int
    locks: list[dict[str, str]]
    based_on: str | None = None
    shares: Shares = {}  # what was asked of all hands at locked nodes, by line
    report: str = ""  # the report that it is a board of
    tags: list[str] = []
    state: str = "queued"
    stopped: str = ""
    error: str = ""
    iteration: int = 0
    exploitability_percent: float | None = None
    solve_seconds: float = 0.0
    value: tuple[float, float] | None = None
    warnings: list[str] = []
    memory_bytes: int = 0
    storage: int | None = None  # bits of a regret and an average, of methods on the board kernels
    curve: list[Point] = []


def new_id() -> str:
    """An unguessable name, for a job or a table."""
    return secrets.token_hex(6)


class ServerFolder:
    """A folder that the server alone writes to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in ("jobs", "play"):
                (folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot use the folder {folder}: {error.strerror or error}") from error
        if not os.access(folder, os.W_OK):
            raise FileError(f"cannot use the folder {folder}: permission denied")
        for left in (folder / "jobs").glob("*.part"):  # of a server that was killed
            left.unlink(missing_ok=True)

    def token(self) -> str:
        """What the page must know to be served; kept, so that open pages survive a restart."""
        path = self.folder / "token"
        try:
            kept = path.read_text().strip() if path.exists() else ""
            if _TOKEN.fullmatch(kept):
                return kept
            token = secrets.token_urlsafe(24)
            path.unlink(missing_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(token + "\n")
        except (OSError, ValueError) as error:
            raise FileError(f"cannot use {path}: {error}") from error
        return token

    def solution(self, job: str) -> Path:
        """Where a job's solution is kept."""
        return self._path(job, "es")

    def checkpoint(self, job: str) -> Path:
        """Where a job's solver is kept while it may go on."""
        return self._path(job, "checkpoint")

    def history(self, table: str) -> Path:
        """Where the hands of a table are kept."""
        return self.folder / "play" / f"{self._checked(table)}.phhs"

    def passing(self, ending: str) -> Path:
        """A file for one answer; the caller deletes it."""
        return self.folder / "jobs" / f"{new_id()}.{ending}.part"

    def _path(self, job: str, ending: str) -> Path:
        return self.folder / "jobs" / f"{self._checked(job)}.{ending}"

    @staticmethod
    def _checked(name: str) -> str:
        if not ID.fullmatch(name):
            raise FileError(f"{name[:20]!r} is no name of ours")
        return name

    def save(self, record: JobRecord) -> None:
        """Write a record down, atomically."""
        path = self._path(record.id, "json")
        beside = self.passing("json")
        try:
            beside.write_bytes(msgspec.json.encode(record))
            beside.replace(path)
        except OSError as error:
            raise FileError(f"cannot write {path}: {error.strerror or error}") from error

    def records(self, known: Container[str] = ()) -> Iterator[JobRecord]:
        """The jobs of the folder but for those known; what cannot be read is left alone."""
        for path in sorted((self.folder / "jobs").glob("*.json")):
            if not ID.fullmatch(path.stem) or path.stem in known:
                continue
            try:
                record = msgspec.json.decode(path.read_bytes(), type=JobRecord)
            except (OSError, msgspec.MsgspecError):
                continue
            if record.id == path.stem:
                yield record

    def forget(self, job: str) -> None:
        """Delete all that is kept of a job."""
        for ending in ("json", "es", "checkpoint"):
            self._path(job, ending).unlink(missing_ok=True)

    def file_bytes(self, job: str) -> int:
        """What a job takes on the disk."""
        paths = [self._path(job, ending) for ending in ("es", "checkpoint")]
        return sum(path.stat().st_size for path in paths if path.exists())

    def check_room(self, needed: int, what: str) -> None:
        """Refuse to write more than the disk has room for."""
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise FileError(
                f"{what} needs {format_bytes(needed)} in {self.folder}, "
                f"where {format_bytes(free)} are free"
            )
