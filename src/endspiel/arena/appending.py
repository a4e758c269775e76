"""Files that grow line by line and survive a killed process: cut after the last whole hand."""

import os
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from endspiel.errors import FileError
from endspiel.locks import try_lock
from endspiel.reading import MOST_OF_A_LOG, read_bytes

_HAND: Final = b"STATE:"


class GrowingLog(ABC):
    """A log that is open for appending until its ``with`` block ends, and locked as long."""

    def __init__(self, path: Path, opening: str, resume: bool) -> None:
        self.path = path
        self._closed = False
        self._descriptor = _open_locked(path)
        try:
            lines, kept = whole_hands(path, opening, resume)
            self._take_over(lines)
            self._cut(kept)
        except BaseException:
            os.close(self._descriptor)
            raise

    @abstractmethod
    def _take_over(self, lines: list[str]) -> None:
        """Count the hands that are in the log; FileError if they are not this match's."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._closed:  # whoever opens a log and whoever writes it may both end with it
            return
        self._closed = True
        try:
            os.close(self._descriptor)
        except OSError as failure:
            if error is None:  # else the first of both is told
                raise _unwritable(self.path, failure) from failure

    def put(self, lines: list[str]) -> None:
        """Write lines, which are safe from a killed process afterwards.

        Nothing is left in a buffer, where it would come up again on a disk that is full.
        """
        left = memoryview("".join(line + "\n" for line in lines).encode())
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _cut(self, kept: int) -> None:
        """Go on after so many bytes, the rest cut off."""
        try:
            os.ftruncate(self._descriptor, kept)
            os.lseek(self._descriptor, kept, os.SEEK_SET)
        except OSError as error:
            raise _unwritable(self.path, error) from error


def _open_locked(path: Path) -> int:
    """The log open for writing, nobody else's until it is closed or the process ends."""
    binary = getattr(os, "O_BINARY", 0)  # Windows would write its own line ends
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | binary, 0o666)
    except OSError as error:
        raise _unwritable(path, error) from error
    if not try_lock(descriptor):
        os.close(descriptor)
        raise FileError(f"another match is writing {path}: name another log, or wait for it")
    return descriptor


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(f"cannot write {path}: {error.strerror or error}")


def whole_hands(path: Path, opening: str, resume: bool) -> tuple[list[str], int]:
    """The lines of a log through its last whole hand, and how many bytes they take.

    A log that holds no hand counts as empty, if what it holds is the beginning of its opening line.
    """
    data = read_bytes(path, MOST_OF_A_LOG)
    whole = data[: data.rfind(b"\n") + 1]
    last = whole.rfind(b"\n" + _HAND)
    first = data.split(b"\n")[0].decode(errors="replace")
    if last < 0 and opening.startswith(first):
        return [], 0  # nothing is lost, resumed or not: the match ended before its first hand
    if not resume:
        raise FileError(f"{path} exists: resume it, or name another log")
    if last < 0:
        raise FileError(f"{path} is the log of another match: it opens {first[:80]!r}")
    kept = whole.index(b"\n", last + 1) + 1
    return whole[:kept].decode(errors="replace").splitlines(), kept
