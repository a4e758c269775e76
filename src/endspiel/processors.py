"""How many processors there are to use, and products of matrices on one of them."""

import os
import sys
from contextlib import AbstractContextManager, suppress
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endspiel.control_groups import GROUPS, group_folders

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def processors() -> int:
    """Processors that this process may use, which can be fewer than the machine has.

    A container may have a limit of processor seconds a second, on any processors.
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


def one_blas_thread() -> AbstractContextManager[Any]:
    """Matrix products in one thread.

    Small ones gain nothing by more, which wait for each other at full speed where cores are busy,
    and the number of threads may change the last digits.
    """
    limited: AbstractContextManager[Any] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def peak_memory() -> int:
    """Most memory the process has held so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
