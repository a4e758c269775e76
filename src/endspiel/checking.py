"""Whether what a file holds makes sense: arrays and records that are safe to use once they pass.

A checksum shows that a file is as it was written, not that its writer was honest. Every
array is therefore checked for its type, its shape, its range and that its numbers are finite before
anything indexes with it or loops over it; every record for the types of its entries.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from endspiel.errors import FileError

Shape = tuple[int | None, ...]  # None where any length will do
T = TypeVar("T")


def take(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    dtype: Any,
    shape: Shape,
    low: float | None = None,
    high: float | None = None,
) -> NDArray[Any]:
    """One array of a type and a shape, all finite and within the bounds, both included."""
    if name not in arrays:
        raise FileError(f"it lacks the array {name}")
    array = arrays[name]
    if array.dtype != dtype:
        raise FileError(f"its array {name} holds {array.dtype}, not {np.dtype(dtype)}")
    fits = array.ndim == len(shape) and all(
        wanted is None or length == wanted
        for length, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = " x ".join("any" if length is None else str(length) for length in shape)
        raise FileError(f"its array {name} has shape {array.shape}, not {wanted or 'a number'}")
    check_finite(name, array)
    if array.size and low is not None and array.min() < low:
        raise FileError(f"its array {name} holds {array.min()}, which is under {low}")
    if array.size and high is not None and array.max() > high:
        raise FileError(f"its array {name} holds {array.max()}, which is over {high}")
    return array


def check_finite(name: str, array: NDArray[Any]) -> None:
    """Refuse infinities and what is no number."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise FileError(f"its array {name} holds what is no finite number")


def check_ascending(name: str, first: NDArray[Any], end: int) -> None:
    """Refuse bounds [n + 1] that do not cut 0..end into n parts, none of them empty."""
    if first[0] != 0 or first[-1] != end or (np.diff(first) < 1).any():
        raise FileError(f"its array {name} does not ascend from 0 to {end}")


def read_record(record: Any, kind: type[T]) -> T:
    """A record as what it should be; a sentence names the entry that is something else."""
    try:
        return msgspec.convert(record, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise FileError(f"its record is none: {error}") from error
