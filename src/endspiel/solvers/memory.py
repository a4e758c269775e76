"""How much memory a solve may take: the machine's, or what the user allows."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from endspiel.control_groups import GROUPS, group_folders
from endspiel.errors import EndspielError

SHARE = 0.8  # of the free memory that a solve takes unasked
STARTING = 750_000_000  # bytes of address space that the numerical libraries take, as measured
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([KMGT]?)(I?)B?\s*", re.IGNORECASE)
_LONGEST = 40  # characters of a size
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
# The limit, what is used of it, and the name of what could be given back at once (files read).
_GROUP_FILES = (
    (GROUPS, "memory.max", "memory.current", "inactive_file"),
    (GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def parse_bytes(text: str) -> int:
    """``8GB``, ``500MB``, ``2GiB`` or plain bytes; GB are 10^9 bytes, GiB 2^30."""
    match = _SIZE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise EndspielError(f"memory {text[:20]!r} is not written like 8GB, 500MB or 2GiB")
    base = 1024 if match[3] else 1000
    return int(float(match[1]) * float(base ** _POWERS[match[2].upper()]))


def format_bytes(count: float) -> str:
    """``1.2 GB``."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 999.5:  # so that what is rounded has three digits at most
            return f"{count:.0f} bytes" if unit == "bytes" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.4g} TB"


def available_memory() -> int | None:
    """Bytes that a new program could take now; None where the system does not say."""
    found = [size for size in (_free(), _group_left(), address_space_left()) if size is not None]
    return min(found, default=None)


def _free() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text()
        match = re.search(r"^MemAvailable:\s*(\d+) kB", text, re.MULTILINE)
        if match is not None:
            return 1024 * int(match[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _group_left() -> int | None:
    """What the control groups (a container's limit, a service's) leave."""
    return min((left for left in _group_rests() if left is not None), default=None)


def _group_rests() -> Iterator[int | None]:
    """What each control group of this process leaves, from its own up to the root."""
    for root, *names in _GROUP_FILES:
        for folder in group_folders(root):
            yield _rest_of_group(folder, *names)


def _rest_of_group(folder: Path, limit: str, used: str, idle: str) -> int | None:
    try:
        allowed, taken = int((folder / limit).read_text()), int((folder / used).read_text())
    except (OSError, ValueError):  # no such group, or no limit
        return None
    return max(0, allowed - taken + _idle_files(folder, idle))


def _idle_files(folder: Path, name: str) -> int:
    """Bytes of files that a group has read and can give back at once."""
    try:
        text = (folder / "memory.stat").read_text()
    except OSError:
        return 0
    match = re.search(rf"^{name} (\d+)", text, re.MULTILINE)
    return int(match[1]) if match else 0


def address_space_left() -> int | None:
    """What ``ulimit -v`` leaves; None where it limits nothing, or the system does not say."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return max(0, limit - pages * resource.getpagesize())
    except (ImportError, AttributeError, OSError, ValueError):
        return None


def check_start() -> None:
    """Refuse to start where the libraries could not even be loaded: they fail in their own ways."""
    left = address_space_left()
    if left is not None and left < STARTING:
        raise EndspielError(
            f"endspiel needs {format_bytes(STARTING)} of address space to start and "
            f"{format_bytes(left)} are left (ulimit -v): allow more"
        )


def allowed_memory(limit: int | None) -> int | None:
    """The bytes that work may take: the limit, by default most of the free memory."""
    if limit is not None:
        return limit
    free = available_memory()
    return None if free is None else int(SHARE * free)


def check_memory(needed: int, limit: int | None, what: str, hint: str) -> None:
    """Refuse work that needs more than the limit, by default most of the free memory."""
    allowed = allowed_memory(limit)
    if allowed is not None and needed > allowed:
        kind = "of free memory may be used" if limit is None else "are allowed"
        raise EndspielError(
            f"{what} needs {format_bytes(needed)} and {format_bytes(allowed)} {kind}: {hint}"
        )
