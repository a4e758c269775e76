"""Standard output and error that may be full: one message, never a traceback at the end."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from endspiel.errors import FileError

OUTPUT = "standard output"


class _Careful(io.RawIOBase):
    """A stream below the buffers; what cannot be written is lost, and remembered.

    Standard output says so in an error, once. Standard error has nowhere to say it.
    """

    def __init__(self, raw: Any, name: str) -> None:
        self._raw, self.name = raw, name
        self.lost = False

    def write(self, data: Any) -> int:
        if not self.lost:
            try:
                written: int = self._raw.write(data)
                return written
            except OSError as error:
                self.lost = True
                if self.name == OUTPUT:
                    if isinstance(error, BrokenPipeError):
                        raise
                    reason = error.strerror or error
                    raise FileError(f"cannot write to {OUTPUT}: {reason}") from error
        return len(data)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        number: int = self._raw.fileno()
        return number

    def isatty(self) -> bool:
        return bool(self._raw.isatty())


def _careful(stream: Any, name: str) -> Any:
    """A stream over the same file; the stream itself where there is no file behind it."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # PYTHONUNBUFFERED leaves the buffer out
    if not isinstance(raw, io.RawIOBase):
        return stream
    with suppress(OSError, ValueError):
        stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Careful(raw, name)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering or raw is buffer or name != OUTPUT,
    )


def _is_lost(stream: Any) -> bool:
    return bool(getattr(getattr(getattr(stream, "buffer", None), "raw", None), "lost", False))


class Streams:
    """Both streams while a command runs."""

    def __init__(self) -> None:
        self.output = _careful(sys.stdout, OUTPUT)
        self.error = _careful(sys.stderr, "standard error")

    @property
    def error_lost(self) -> bool:
        """Whether something could not be said on standard error."""
        return _is_lost(self.error)

    def flush(self) -> None:
        """Write what is still in the buffers; FileError where standard output is full."""
        self.output.flush()
        self.error.flush()


@contextmanager
def careful_streams() -> Iterator[Streams]:
    """Take the place of standard output and error while inside."""
    before = sys.stdout, sys.stderr
    streams = Streams()
    sys.stdout, sys.stderr = streams.output, streams.error
    try:
        yield streams
    finally:
        sys.stdout, sys.stderr = before
        for stream, original in zip((streams.output, streams.error), before, strict=True):
            if stream is not original:
                with suppress(FileError, OSError):
                    stream.flush()
                stream.detach().detach()  # the file stays open for later writers
