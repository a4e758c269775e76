"""Sixteen hands side by side: the unit in which the board kernels lay out and work."""

from typing import Any

import numpy as np

LANES = 16


def padded(count: int) -> int:
    """The next multiple of the number of lanes."""
    return -(-count // LANES) * LANES


def zeros(*shape: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
    """A float32 array of zeros that starts on a cache line."""
    return aligned(int(np.prod(shape)), np.float32).reshape(shape)


def aligned(size: int, dtype: Any) -> "np.ndarray[Any, np.dtype[Any]]":
    """An array of zeros that starts on a cache line."""
    count = np.dtype(dtype).itemsize * size
    raw = np.zeros(count + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + count].view(dtype)
