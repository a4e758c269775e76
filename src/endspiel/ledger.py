"""Finished work by key, so that nothing is done twice after a stop or a kill.

A `Ledger` is a file of lines. The first says which job it is of; each line after it is a finished
piece of work: the key of what was asked, and the record of what was found. A last line that was cut
off is dropped. A `LedgerFolder` has arrays: a file for each piece, whole or not there. Both refuse
what another job wrote, and name the difference.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from numpy.typing import NDArray

from endspiel import files
from endspiel.errors import FileError
from endspiel.growing import GrowingFile, KeptInFile
from endspiel.reading import MOST_OF_A_LOG, read_bytes

VERSION: Final = 2
_EARLIER: Final = b'{"endspiel":"batch","version":1}'  # says of no job
Facts = Mapping[str, Any]  # what a job is: plain values by name


class OtherJobError(FileError):
    """A file of another job."""


class _Opening(msgspec.Struct):
    """The first line."""

    endspiel: str
    version: int
    job: dict[str, Any]


class _Line(msgspec.Struct):
    """One finished piece of work."""

    key: str
    record: dict[str, Any]


class Ledger(KeptInFile):
    """Records by key, in a file or, without a path, in memory alone."""

    def __init__(self, path: Path | None, job: Facts) -> None:
        self.path, self.job = path, plain(job)
        self._records: dict[str, dict[str, Any]] = {}
        if path is None:
            return
        files.check_place(path)
        self._file = GrowingFile(
            path, f"another run is writing {path}: name another file, or wait for it"
        )
        try:
            self._records, kept = self._read(path)
            self._file.cut(kept)
            if not kept:
                self._file.put([self._opening])
        except BaseException as error:
            self._file.__exit__(type(error), error, None)
            raise

    def get(self, key: str) -> dict[str, Any] | None:
        """What came of a piece of work, if it is finished."""
        return self._records.get(key)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Note a finished piece of work; it is in the file when this returns."""
        self._records[key] = record
        if self._file is not None:
            self._file.put([msgspec.json.encode(_Line(key, record)).decode()])

    def once(self, key: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what came of a piece of work, which is done and noted where it is not finished."""
        if key not in self._records:
            self.add(key, make())
        return self._records[key]

    @property
    def _opening(self) -> str:
        return msgspec.json.encode(_Opening("ledger", VERSION, self.job)).decode()

    def _read(self, path: Path) -> tuple[dict[str, dict[str, Any]], int]:
        """The records of the file by key, and how many bytes of it are whole lines."""
        data = read_bytes(path, MOST_OF_A_LOG)
        whole = data[: data.rfind(b"\n") + 1]
        first, *lines = whole.split(b"\n")[:-1] or [b""]
        if not whole and self._opening.encode().startswith(data):
            return {}, 0
        self._check(path, first)
        records = {}
        for number, line in enumerate(lines, 2):
            try:
                found = msgspec.json.decode(line, type=_Line)
            except (msgspec.MsgspecError, RecursionError) as error:
                raise FileError(f"{path}, line {number}, is damaged: {error}") from error
            records[found.key] = found.record
        return records, len(whole)

    def _check(self, path: Path, first: bytes) -> None:
        """Refuse a file that is no ledger, or that of another job."""
        if first == _EARLIER:
            return
        try:
            opening = msgspec.json.decode(first, type=_Opening)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise FileError(f"{path} is no list of finished work: name another file") from error
        if (opening.endspiel, opening.version) != ("ledger", VERSION):
            raise FileError(
                f"{path} is a {opening.endspiel} of version {opening.version}, not a ledger of "
                f"version {VERSION}"
            )
        check_same(path, opening.job, self.job)


@dataclass(frozen=True)
class LedgerFolder:
    """Arrays by name: a folder, a file for each piece of work, whole or not there."""

    folder: Path
    kind: str  # of the files

    def path(self, name: str) -> Path:
        """Where a piece of work is stored."""
        return self.folder / name

    def has(self, name: str) -> bool:
        """Whether a piece of work is finished; what a killed process left half written goes."""
        files.remove_leftovers(self.path(name))
        return self.path(name).exists()

    def get(self, name: str, job: Facts) -> dict[str, NDArray[Any]]:
        """Return the arrays of a finished piece of work, once they are seen to be of a job."""
        record, arrays = files.load(self.path(name), self.kind)
        check_same(self.path(name), record, plain(job))
        return arrays

    def put(self, name: str, job: Facts, arrays: files.Arrays) -> None:
        """Store a finished piece of work."""
        files.make_folder(self.folder)
        files.save(self.path(name), self.kind, plain(job), arrays)


def check_same(path: Path, found: Facts, wanted: Facts) -> None:
    """Refuse a file of another job, and name what differs."""
    for name, value in wanted.items():
        if isinstance(value, dict) and isinstance(other := found.get(name), dict):
            check_same(path, other, value | dict.fromkeys(other.keys() - value.keys()))
        elif found.get(name) != value:
            raise OtherJobError(
                f"{path} was made with {name} {found.get(name)}, not {value}: use the same "
                "options, or name another place"
            )


def plain(job: Facts) -> dict[str, Any]:
    """A job as it is read back from a file."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(job)))
    return found


def key_of(*parts: object) -> str:
    """A short hash of texts and plain values that say what was asked."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(repr(part).encode() + b"\0")
    return digest.hexdigest()
