"""What a batch has finished, line by line in a file, so that nothing is done twice after a kill.

The first line says what the file is; each line after it is one finished piece of work: the key of
what was asked, and what came of it. A last line that was cut off is dropped.
"""

import hashlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from endspiel import files
from endspiel.errors import FileError
from endspiel.growing import GrowingFile
from endspiel.reading import MOST_OF_A_LOG, read_bytes

_OPENING = '{"endspiel":"batch","version":1}'


class _Line(msgspec.Struct):
    """One finished piece of work."""

    key: str
    record: dict[str, Any]


class BatchLog:
    """Records by key, in a file or, without a path, in memory alone."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._records: dict[str, dict[str, Any]] = {}
        self._file: GrowingFile | None = None
        if path is None:
            return
        files.check_place(path)
        self._file = GrowingFile(
            path, f"another batch is writing {path}: name another file, or wait for it"
        )
        try:
            self._records, kept = _read(path)
            self._file.cut(kept)
            if not kept:
                self._file.put([_OPENING])
        except BaseException as error:
            self._file.__exit__(type(error), error, None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.__exit__(kind, error, trace)

    def get(self, key: str) -> dict[str, Any] | None:
        """What came of a piece of work, if it is finished."""
        return self._records.get(key)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Note a finished piece of work; it is in the file when this returns."""
        self._records[key] = record
        if self._file is not None:
            self._file.put([msgspec.json.encode(_Line(key, record)).decode()])


def key_of(*parts: object) -> str:
    """A short hash of texts and plain values that say what was asked."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(repr(part).encode() + b"\0")
    return digest.hexdigest()


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], int]:
    """The records of a file by key, and how many bytes of it are whole lines."""
    data = read_bytes(path, MOST_OF_A_LOG)
    whole = data[: data.rfind(b"\n") + 1]
    first, *lines = whole.split(b"\n")[:-1] or [b""]
    if not whole and _OPENING.encode().startswith(data):
        return {}, 0
    if first != _OPENING.encode():
        raise FileError(f"{path} holds something else than the state of a batch")
    records = {}
    for number, line in enumerate(lines, 2):
        try:
            found = msgspec.json.decode(line, type=_Line)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise FileError(f"{path}, line {number}, is damaged: {error}") from error
        records[found.key] = found.record
    return records, len(whole)
