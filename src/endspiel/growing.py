"""Files that grow line by line and survive a killed process; one process writes at a time."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from endspiel.errors import FileError
from endspiel.locks import try_lock


class GrowingFile:
    """A text file that is open for appending until its ``with`` block ends, and locked as long."""

    def __init__(self, path: Path, busy: str) -> None:
        """Open a file, made if there is none; `busy` is the sentence if another process has it."""
        self.path = path
        self._closed = False
        self._descriptor = _open_locked(path, busy)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._closed:  # the opener and the writer may both close it
            return
        self._closed = True
        try:
            os.close(self._descriptor)
        except OSError as failure:
            if error is None:  # else the first of both is raised
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

    def cut(self, kept: int) -> None:
        """Continue after a number of bytes; cut the rest off."""
        try:
            os.ftruncate(self._descriptor, kept)
            os.lseek(self._descriptor, kept, os.SEEK_SET)
        except OSError as error:
            raise _unwritable(self.path, error) from error


class KeptInFile:
    """Base of what is kept in a growing file or, without a path, in memory alone."""

    _file: GrowingFile | None = None

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


def _open_locked(path: Path, busy: str) -> int:
    """The file open for writing and locked until it is closed or the process ends."""
    binary = getattr(os, "O_BINARY", 0)  # Windows would write its own line ends
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | binary, 0o666)
    except OSError as error:
        raise _unwritable(path, error) from error
    if not try_lock(descriptor):
        os.close(descriptor)
        raise FileError(busy)
    return descriptor


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(f"cannot write {path}: {error.strerror or error}")
