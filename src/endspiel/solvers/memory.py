"""How much memory a solve may take: the machine's, or what the user allows."""

import os
import re
from pathlib import Path

from endspiel.errors import EndspielError

SHARE = 0.8  # of the free memory that a solve takes unasked
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([KMGT]?)(I?)B?\s*", re.IGNORECASE)
_LONGEST = 40  # characters of a size
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


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
    found = [size for size in (_free(), _group_left()) if size is not None]
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
    """What the control group (a container's limit) leaves."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = int((folder / "memory.max").read_text())
        return max(0, limit - int((folder / "memory.current").read_text()))
    except (OSError, ValueError):
        return None


def check_memory(needed: int, limit: int | None, what: str, hint: str) -> None:
    """Refuse work that needs more than the limit, by default most of the free memory."""
    allowed = limit
    if allowed is None:
        free = available_memory()
        allowed = None if free is None else int(SHARE * free)
    if allowed is not None and needed > allowed:
        kind = "of free memory may be used" if limit is None else "are allowed"
        raise EndspielError(
            f"{what} needs {format_bytes(needed)} and {format_bytes(allowed)} {kind}: {hint}"
        )
