"""Whether the arrays of an abstraction's file fit each other: what passes is safe to index."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.boards import NUM_CANONICAL
from endspiel.abstraction.features import DEAD, MAX_HALVES
from endspiel.abstraction.plan import NUM_CLASSES, Plan
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.live import live_mask
from endspiel.checking import check_ascending, read_record, take
from endspiel.errors import FileError

STREETS: Final = ("preflop", "flop", "turn", "river")
_NARROW_DEAD: Final = 0xFF  # where a bucket takes one byte
_MOST_MASS: Final = 1 << 46  # more deals than there are; sums of all buckets still fit
_FARTHEST: Final = 2.0**30  # of coordinates
_ROWS: Final = 4096  # boards checked together

Arrays = Mapping[str, NDArray[Any]]


class AbstractionRecord(msgspec.Struct):
    """All of an abstraction that is not an array."""

    plan: Plan
    sizes: tuple[int, int, int, int]
    quality: dict[str, float | None]


def check_arrays(record: Any, arrays: Arrays) -> AbstractionRecord:
    """The record of an abstraction whose arrays fit it and each other.

    What takes longer to see is for `check_flops` and `check_turns`.
    """
    about = read_record(record, AbstractionRecord)
    flops = take(arrays, "boards.flops", np.uint8, (None, 3), 0, NUM_CARDS - 1)
    take(arrays, "boards.weight", np.int64, (len(flops),), 1, 24)
    if not 1 <= len(flops) <= NUM_CANONICAL or (np.diff(flops.astype(np.int64)) < 1).any():
        raise FileError("its flops are none")
    above = size = 1
    for street, name in enumerate(STREETS):
        above = size if about.plan.perfect_recall else about.plan.kinds(street)
        size = _check_river(arrays, above) if name == "river" else _check_level(arrays, name, above)
        if size != about.sizes[street]:
            raise FileError(f"it has {size} buckets on the {name}, not {about.sizes}")
    gaps = arrays["turn.family_centers"].shape[1]
    if gaps != about.plan.detail.river_bins - 1:
        raise FileError(f"its turn hands have {gaps} coordinates, not those of its plan")
    _check_buckets(arrays, "preflop", np.ones((1, NUM_CLASSES), np.bool_))
    _check_buckets(arrays, "flop", live_mask(flops))
    return about


def check_flops(flops: NDArray[np.uint8]) -> None:
    """Refuse flops [F, 3] that are not some of the canonical ones, in their order."""
    place = {tuple(flop): at for at, flop in enumerate(canonical_flops()[0].tolist())}
    given = [place.get(tuple(flop), -1) for flop in flops.tolist()]
    if given[0] < 0 or any(low >= high for low, high in pairwise(given)):
        raise FileError("its flops are not some of those that differ by more than suits")


def check_turns(turns: NDArray[np.uint8], arrays: Arrays) -> None:
    """Refuse a table of the turn that is not one for its boards [B, 4]."""
    buckets = arrays["turn.buckets"]
    if not len(buckets):
        return
    if len(buckets) != len(turns) * NUM_HANDS:
        raise FileError(f"its turn has {len(buckets)} places, not {len(turns) * NUM_HANDS}")
    for row in range(0, len(turns), _ROWS):
        places = slice(row * NUM_HANDS, (row + _ROWS) * NUM_HANDS)
        some = {"turn.buckets": buckets[places], "turn.mass": arrays["turn.mass"]}
        _check_buckets(some, "turn", live_mask(turns[row : row + _ROWS]))


def _check_level(arrays: Arrays, name: str, above: int) -> int:
    """The number of buckets of a street before the river, checked against its nodes."""
    size = _check_figures(arrays, name)
    first = take(arrays, f"{name}.family_first", np.int64, (above + 1,))
    check_ascending(f"{name}.family_first", first, size)
    near = (-_FARTHEST, _FARTHEST)
    centers = take(arrays, f"{name}.family_centers", np.float32, (size, None), *near)
    take(arrays, f"{name}.family_sums", np.float32, (size,), *near)
    number = take(arrays, f"{name}.family_number", np.uint16, (size,), 0, size - 1)
    node = np.repeat(np.arange(above), np.diff(first))  # [K] above each bucket
    if (np.sort(number) != np.arange(size)).any() or (node[number] != node).any():
        raise FileError(f"its array {name}.family_number does not number each node's buckets")
    kind = _unsigned(arrays, f"{name}.centers")
    take(arrays, f"{name}.centers", kind, centers.shape)
    take(arrays, f"{name}.buckets", _unsigned(arrays, f"{name}.buckets"), (None,))
    return size


def _check_river(arrays: Arrays, above: int) -> int:
    """The number of buckets of the river, checked against its nodes."""
    size = _check_figures(arrays, "river")
    check_ascending("river.first", take(arrays, "river.first", np.int64, (above + 1,)), size)
    take(arrays, "river.limit", np.uint16, (size,), 0, MAX_HALVES)
    return size


def _check_figures(arrays: Arrays, name: str) -> int:
    """The number of buckets that a street's figures tell of."""
    mass = take(arrays, f"{name}.mass", np.int64, (None,), 0, _MOST_MASS)
    if not 1 <= len(mass) < DEAD or not mass.any():
        raise FileError(f"its array {name}.mass is that of no buckets")
    for figure in ("value", "distance"):
        take(arrays, f"{name}.{figure}", np.float64, (len(mass),))
    take(arrays, f"{name}.program", np.float64, (2,))
    return len(mass)


def _check_buckets(arrays: Arrays, name: str, live: NDArray[np.bool_]) -> None:
    """Refuse a table that has no bucket where a hand is live [B, n], or one where it is not."""
    buckets, size = arrays[f"{name}.buckets"], len(arrays[f"{name}.mass"])
    dead = _NARROW_DEAD if buckets.dtype == np.uint8 else DEAD
    if buckets.shape != (live.size,):
        raise FileError(f"its array {name}.buckets has {len(buckets)} places, not {live.size}")
    if ((buckets < size) != live.reshape(-1)).any() or (buckets[~live.reshape(-1)] != dead).any():
        raise FileError(f"its array {name}.buckets gives hands buckets that there are not")


def _unsigned(arrays: Arrays, name: str) -> Any:
    """The type of an array that may have one byte or two an entry."""
    found = arrays.get(name)
    return np.uint8 if found is not None and found.dtype == np.uint8 else np.uint16
