"""Memory or disk of this machine that outlives a worker: its successor reads what it kept there."""

import mmap
import os
import pickle
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Any, Final, NamedTuple

from endspiel.errors import FileError

VOLUMES: Final = 2  # one is written while the other counts
_ALIGNED: Final = 64  # bytes
_MEMORY_FILE: Final = "memfd:"  # how the system begins the name of a file in memory


class ShelfMark(NamedTuple):
    """Where a shelf has an object: its pickle, and then its arrays."""

    volume: int
    at: int
    sizes: tuple[int, ...]  # bytes of each part


class StateShelf:
    """Two volumes of objects, for as long as the process that made them has them.

    They are no files of any folder: when that process is gone, whatever ended it, so are they. With
    a folder they take its disk, and memory only as far as there is some to spare.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._files = [_unnamed_file(folder) for _ in range(VOLUMES)]

    @property
    def paths(self) -> tuple[str, ...]:
        """What other processes of this machine open."""
        return tuple(path for _, path in self._files)

    def close(self) -> None:
        """Let the memory go."""
        for file, _ in self._files:
            file.close()


class ShelfUser:
    """A shelf as a process that opens it reads it and writes on it.

    Arrays are copied into the volume as they are; pickled into one, they take twice as long.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._volumes = [_Volume(path) for path in paths]
        self._written, self._end = -1, 0  # the volume written last, and how far

    def put(self, volume: int, found: Any) -> ShelfMark:
        """Write an object behind those of the volume, or first in a new volume."""
        if volume != self._written:
            self._written, self._end = volume, 0
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(found, protocol=5, buffer_callback=buffers.append)
        parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
        mark = ShelfMark(volume, self._end, tuple(len(part) for part in parts))
        spans = _spans(mark)
        self._end = _aligned(spans[-1].stop)
        view = self._volumes[volume].view(self._end)
        for span, part in zip(spans, parts, strict=True):
            view[span] = part
        return mark

    def get(self, mark: ShelfMark) -> Any:
        """A copy of an object that was written."""
        head, *buffers = map(bytearray, self._parts(mark))
        return pickle.loads(head, buffers=buffers)

    def look(self, mark: ShelfMark) -> Any:
        """The object itself, read-only: it lasts until its volume is written on again."""
        head, *buffers = self._parts(mark)
        return pickle.loads(head, buffers=[buffer.toreadonly() for buffer in buffers])

    def _parts(self, mark: ShelfMark) -> list[memoryview]:
        spans = _spans(mark)
        view = self._volumes[mark.volume].view(spans[-1].stop)
        return [view[span] for span in spans]

    def close(self) -> None:
        """Let go of the volumes."""
        for volume in self._volumes:
            volume.close()


class _Volume:
    """A file in memory or on a disk, mapped as far as it was used."""

    def __init__(self, path: str) -> None:
        self._file = Path(path).open("r+b")  # noqa: SIM115  (closed with the volume)
        self._in_memory = _MEMORY_FILE in os.path.realpath(path)
        self._map: mmap.mmap | None = None

    def view(self, size: int) -> memoryview:
        """Its first bytes, at least a given number."""
        if self._map is None or len(self._map) < size:
            size += size // 4  # packed states grow from step to step
            if os.fstat(self._file.fileno()).st_size < size:
                self._grow(size)
            self._map = mmap.mmap(self._file.fileno(), 0)
        return memoryview(self._map)

    def _grow(self, size: int) -> None:
        """Make the file larger; of a disk its room is taken at once, or a full one would end us."""
        if self._in_memory or not hasattr(os, "posix_fallocate"):
            self._file.truncate(size)
            return
        try:
            os.posix_fallocate(self._file.fileno(), 0, size)
        except OSError as error:
            raise FileError(
                f"no {size:,} bytes for the states of a worker where they are kept: "
                f"{error.strerror}"
            ) from error

    def close(self) -> None:
        self._map = None
        self._file.close()


def _spans(mark: ShelfMark) -> list[slice]:
    """Where each part lies."""
    spans, at = [], mark.at
    for size in mark.sizes:
        spans.append(slice(at, at + size))
        at = _aligned(at + size)
    return spans


def _aligned(at: int) -> int:
    return -(-at // _ALIGNED) * _ALIGNED


def _unnamed_file(folder: Path | None) -> tuple[Any, str]:
    """A file without a name, in memory or on a disk, where there are such, and how to open it."""
    if not hasattr(os, "memfd_create"):
        named = NamedTemporaryFile(prefix="endspiel-states-", dir=folder)  # noqa: SIM115  (closed with the shelf)
        return named, named.name
    if folder is None:
        file: Any = os.fdopen(os.memfd_create("endspiel-states"), "r+b")
    else:
        file = TemporaryFile(dir=folder)  # noqa: SIM115  (closed with the shelf)
    return file, f"/proc/{os.getpid()}/fd/{file.fileno()}"
