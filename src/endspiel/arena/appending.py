"""Files that grow line by line and survive a killed process: cut after the last whole hand."""

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from endspiel.errors import FileError
from endspiel.reading import MOST_OF_A_LOG, read_bytes

_HAND: Final = b"STATE:"


class GrowingLog:
    """A log that is open for appending until its ``with`` block ends."""

    _file: BinaryIO

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def whole_hands(path: Path, opening: str, resume: bool) -> tuple[list[str], int]:
    """The lines of a log through its last whole hand, and how many bytes they take.

    A log that holds no hand counts as empty, if what it holds is the beginning of its opening line.
    """
    if not path.exists():
        return [], 0
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


def append_to(path: Path, kept: int) -> BinaryIO:
    """The file open for writing after so many bytes, the rest cut off."""
    try:
        file = path.open("r+b" if path.exists() else "w+b")
        file.truncate(kept)
        file.seek(kept)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    return file


def put(file: BinaryIO, lines: list[str]) -> None:
    """Write lines that are safe from a killed process afterwards."""
    try:
        file.write("".join(line + "\n" for line in lines).encode())
        file.flush()
    except OSError as error:
        raise FileError(f"cannot write {file.name}: {error.strerror or error}") from error
