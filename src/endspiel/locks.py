"""Locks on open files that end with their process, on whichever system this is.

POSIX locks the whole file, Windows one byte far behind its end. A system that has neither, or a
file system that cannot lock, gives no protection.
"""

import os
from types import ModuleType

fcntl: ModuleType | None
msvcrt: ModuleType | None
try:
    import fcntl
except ImportError:
    fcntl = None
try:
    import msvcrt
except ImportError:
    msvcrt = None

_FAR = 2**31 - 2  # the byte locked on Windows, where a locked byte cannot be read
KNOWN = fcntl is not None or msvcrt is not None  # whether this system has locks at all


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; False where another process or opening has it."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            _at_far_byte(descriptor, msvcrt, msvcrt.LK_NBLCK)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass  # a file system without locks
    return True


def wait_for_lock(descriptor: int) -> None:
    """Take the lock, after waiting for its holder."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        elif msvcrt is not None:
            _at_far_byte(descriptor, msvcrt, msvcrt.LK_LOCK)
    except OSError:
        pass  # a file system without locks


def _at_far_byte(descriptor: int, windows: ModuleType, mode: int) -> None:
    """Lock one byte on Windows, and leave the file's position where it is."""
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        windows.locking(descriptor, mode, 1)
    finally:
        os.lseek(descriptor, position, os.SEEK_SET)
