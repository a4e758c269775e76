"""How many processors there are to use."""

import os
from contextlib import suppress
from math import ceil
from pathlib import Path

from endspiel.control_groups import GROUPS, group_folders


def processors() -> int:
    """Processors that this process may use, which can be fewer than the machine has.

    A container may be allowed so many seconds of processors a second, whichever they are.
    """
    if hasattr(os, "sched_getaffinity"):
        found = len(os.sched_getaffinity(0))
    else:
        found = os.cpu_count() or 1
    shares = [share for root in (GROUPS, GROUPS / "cpu") for share in _shares(root)]
    return min([found, *(max(1, ceil(share)) for share in shares)])


def _shares(root: Path) -> list[float]:
    """Processors that groups below a root allow, where they have a limit; in either version."""
    found = []
    for folder in group_folders(root):
        for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
            with suppress(OSError, ValueError):  # no such group, or no limit
                quota, period = (int(word) for name in names for word in _words(folder / name))
                found += [quota / period] if quota > 0 and period > 0 else []
    return found


def _words(path: Path) -> list[str]:
    return path.read_text().split()
