"""Files that others wrote: ordinary files alone, and none larger than its kind can be.

A device gives bytes without end and a pipe waits for somebody who may never write, so neither is
opened; what is too large is refused before it is read. A text may come from standard
input, ``-``, too.
"""

import codecs
import errno
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO, Final

from endspiel.errors import FileError

MOST: Final = 64 << 20  # bytes of a text that somebody writes by hand or by a small script
MOST_OF_A_LOG: Final = 1 << 30  # millions of hands
STANDARD_INPUT: Final = "-"  # in place of a file's name
# A pipe without a writer must not make the opening wait.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class MissingFileError(FileError):
    """There is no file of this name."""


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def open_file(path: str | Path) -> BinaryIO:
    """An ordinary file, open for reading."""
    try:
        number = os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFileError(f"there is no file {path}") from error
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from error
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        kind = os.strerror(errno.EISDIR) if stat.S_ISDIR(mode) else "it is no ordinary file"
        raise FileError(f"cannot read {path}: {kind}")
    return os.fdopen(number, "rb")


def read_bytes(path: str | Path, most: int = MOST) -> bytes:
    """The content of an ordinary file of limited size."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise FileError(f"cannot read {path}: it has {size:,} bytes, more than {most:,}")
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise FileError(f"cannot read {path}: {reason(error)}") from error
    return _within(data, path, most)  # some tell no size, some grow


def _within(data: bytes, source: str | Path, most: int) -> bytes:
    if len(data) > most:
        raise FileError(f"cannot read {source}: it has more than {most:,} bytes")
    return data


def read_text(path: str | Path, most: int = MOST) -> str:
    """The text of an ordinary file or of standard input, without a mark of its encoding."""
    if str(path) == STANDARD_INPUT:
        data = _within(sys.stdin.buffer.read(most + 1), "standard input", most)
    else:
        data = read_bytes(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(
            f"{path}, line {line}, is not text: byte {error.start + 1} is not UTF-8"
        ) from error


def read_any_text(path: str | Path, most: int = MOST) -> str:
    """The text of a file in an encoding of its time: UTF-8, UTF-16 by its mark, or Windows' own.

    What programs for one system write is often not UTF-8; bytes that no letter has are refused.
    """
    return any_text(read_bytes(path, most), path)


def any_text(data: bytes, path: str | Path) -> str:
    """The text of the bytes of a file, which the error names."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FileError(f"{path} is not text in UTF-8, UTF-16 or Windows-1252")


def reason(error: Exception) -> str:
    """What the system says of an error, without the number and the name of the file."""
    return getattr(error, "strerror", None) or str(error)
