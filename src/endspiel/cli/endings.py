"""How a command ends when it does not end well: one sentence and an exit status for everything.

2 is for what the user can mend: input, memory, disk. 1 is for a bug, 130 for Ctrl-C, 143 for
SIGTERM.
"""

import errno
import os
import sys
import traceback
from typing import Any

from endspiel.errors import EndspielError
from endspiel.interrupts import stop_status

DEBUG = "ENDSPIEL_DEBUG"  # set by --debug; worker processes see it too
SCARCE = 1 << 28  # bytes: with less left, libraries fail in ways of their own


def debugging() -> bool:
    """Whether tracebacks are wanted."""
    return os.environ.get(DEBUG, "0") not in ("", "0")


def describe(error: BaseException) -> tuple[str, int]:
    """The sentence for whatever ended a command, and the exit status."""
    if isinstance(error, KeyboardInterrupt) or _is_interrupted_import(error):
        stopped = str(error) if isinstance(error, KeyboardInterrupt) else ""
        return stopped or "stopped", stop_status()
    if isinstance(error, EndspielError):
        return str(error), 2
    if isinstance(error, MemoryError):
        return _no_memory(error), 2
    left = _memory_left()
    if left is not None and left < SCARCE:
        return f"{_no_memory(error)} ({_named(error)})", 2
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return f"no file has a name as long as {str(error.filename)[:80]}", 2
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        reason = error.strerror or str(error)
        return f"the system refuses{where}: {reason} (--debug shows where)", 2
    return f"a bug, {_named(error)}; endspiel --debug ... shows the traceback", 1


def _is_interrupted_import(error: BaseException) -> bool:
    """Whether Ctrl-C came while compiled modules were loaded: they name it as the cause."""
    return isinstance(error, ImportError) and isinstance(error.__cause__, KeyboardInterrupt)


def tell(error: BaseException) -> int:
    """Print the sentence, with the traceback where it is wanted; the exit status."""
    sentence, status = describe(error)
    if debugging() and not isinstance(error, KeyboardInterrupt):
        traceback.print_exception(error, file=sys.stderr)
    print(f"endspiel: {' '.join(sentence.split())}", file=sys.stderr)
    return status


def _named(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _memory_left() -> int | None:
    from endspiel.solvers.memory import available_memory

    return available_memory()


def _no_memory(error: BaseException) -> str:
    """What was asked for and what there is, as far as either is known."""
    from endspiel.solvers.memory import format_bytes

    asked, left = _bytes_asked(error), _memory_left()
    wanted = "more was asked for" if asked is None else f"{format_bytes(asked)} more were asked for"
    there = "" if left is None else f" and {format_bytes(left)} are left"
    return f"out of memory: {wanted}{there}; take a smaller problem or fewer threads, or allow more"


def _bytes_asked(error: BaseException) -> int | None:
    """The size of the array that NumPy could not make."""
    shape: Any = getattr(error, "shape", None)
    size: Any = getattr(getattr(error, "dtype", None), "itemsize", None)
    if shape is None or size is None:
        return None
    for length in shape:
        size *= int(length)
    return int(size)
