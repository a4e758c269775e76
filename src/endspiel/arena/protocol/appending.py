"""Files that grow line by line and survive a killed process: cut after the last whole hand."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Final

from endspiel.errors import FileError
from endspiel.growing import GrowingFile
from endspiel.reading import MOST_OF_A_LOG, read_bytes

_HAND: Final = b"STATE:"


class GrowingLog(GrowingFile, ABC):
    """A log that is open for appending until its ``with`` block ends, and locked as long."""

    def __init__(self, path: Path, opening: str, resume: bool) -> None:
        busy = f"another match is writing {path}: name another log, or wait for it"
        super().__init__(path, busy)
        try:
            lines, kept = whole_hands(path, opening, resume)
            self._take_over(lines)
            self.cut(kept)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    @abstractmethod
    def _take_over(self, lines: list[str]) -> None:
        """Count the hands that are in the log; FileError if they are not this match's."""


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
