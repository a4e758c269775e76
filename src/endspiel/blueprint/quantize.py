"""Strategies in a few bits a row: the nearest point of a grid on the simplex, by its number.

A row of A probabilities is rounded to multiples of 1/n by largest remainders, so it still adds up
to one, and an action without probability gets none. The roundings are the ways to write n as an
ordered sum of A parts; they are numbered in lexicographic order, and the number is stored in as
many bits as the largest needs. Per bit this is as fine as any fixed grid can be: three actions in
13 bits have steps of 1/126, where one number an action would need 14.

Codes stand side by side in a stream of bytes, least significant bit first. Where there are few rows
and rounding costs most, before the turn, each action has two bytes instead.
"""

from bisect import bisect_left
from ctypes import c_int64
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.kernels.arrays import Float64s, Ints, UInt8s
from endspiel.native.boundary import pointer
from endspiel.native.library import function

FINEST: Final = 65_535  # steps that two bytes an action can tell apart
MOST_BITS: Final = 32  # of a code
TABLE_BITS: Final = 16  # codes up to this many bits are read from a table of all points
PADDING: Final = 5  # bytes after the last code: codes are read five bytes at a time
SUM_TOLERANCE: Final = 1e-3  # of rows as they come from a solver

UInt32s = NDArray[np.uint32]


@dataclass(frozen=True)
class Grid:
    """The multiples of 1/steps among the strategies of a number of actions."""

    actions: int  # A
    steps: int  # n

    @property
    def size(self) -> int:
        """How many points there are."""
        return comb(self.steps + self.actions - 1, self.actions - 1)

    @property
    def bits(self) -> int:
        """What a point's number takes."""
        return (self.size - 1).bit_length()

    @cached_property
    def points(self) -> Float64s:
        """All points in the order of their numbers, where they are few: [size, A], read-only."""
        points = _sums(self.actions, self.steps) / self.steps
        points.flags.writeable = False
        return points

    @cached_property
    def before(self) -> Ints:
        """How many points of i + 1 parts sum to less than j, at [i, j]: [A, n + 2]."""
        ways = np.zeros((self.actions, self.steps + 2), np.int64)
        ways[0, 1:] = 1  # of one part that is a given number
        for parts in range(1, self.actions):
            ways[parts] = np.cumsum(ways[parts - 1])
        return np.cumsum(ways, axis=1)

    @cached_property
    def _lists(self) -> list[list[int]]:
        """``before`` for one row at a time."""
        lists: list[list[int]] = self.before.tolist()
        return lists

    def point(self, code: int) -> Float64s:
        """The point of one number: [A]."""
        rest, parts = self.steps, []
        for below in range(self.actions - 2, -1, -1):
            before = self._lists[below]
            all_of_them = before[rest + 1]
            at = bisect_left(before, all_of_them - code)
            code -= all_of_them - before[at]
            parts.append(rest + 1 - at)
            rest = at - 1
        return np.array([*parts, rest]) / self.steps

    def decode(self, codes: Ints) -> Float64s:
        """The points of numbers [N]: [N, A]."""
        if self.bits <= TABLE_BITS:
            return self.points[codes]
        rest, parts = np.full(len(codes), self.steps), np.empty((len(codes), self.actions))
        for action in range(self.actions - 1):
            before = self.before[self.actions - 2 - action]
            all_of_them = before[rest + 1]
            at = np.searchsorted(before, all_of_them - codes)
            codes = codes - (all_of_them - before[at])
            parts[:, action] = rest + 1 - at
            rest = at - 1
        parts[:, -1] = rest
        return parts / self.steps

    def encode(self, rows: Float64s) -> UInt32s:
        """Numbers of the points nearest to rows of probabilities [N, A]: [N]."""
        if rows.ndim != 2 or rows.shape[1] != self.actions:
            raise GameError(f"rows of shape {rows.shape} have not {self.actions} actions")
        codes = np.empty(len(rows), np.uint32)
        _number(round_rows(rows, self.steps), self.steps, self.before, codes)
        return codes


def round_rows(rows: Float64s, steps: int) -> Ints:
    """Rows of probabilities [N, A] as whole parts with a fixed sum: [N, A]."""
    # Written so that a NaN does not pass.
    sound = (rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= SUM_TOLERANCE)
    if not sound.all():
        at = int(np.argmin(sound))
        raise GameError(f"strategy row {at} is not a probability vector: {rows[at]}")
    parts = np.empty(rows.shape, np.int64)
    _round(np.ascontiguousarray(rows, np.float64), steps, parts)
    return parts


@cache
def grid(actions: int, steps: int) -> Grid:
    """The grid of a number of actions with steps as small as 1/steps where 32 bits allow it.

    Steps are made finer as long as that takes no further bit.
    """
    if steps < 1:
        raise GameError(f"{steps} steps; probabilities are rounded to 1 or more")
    bits = min(Grid(actions, steps).bits, MOST_BITS)
    low, high = 1, FINEST  # the largest number of steps that fits lies between
    while actions > 1 and low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if Grid(actions, middle).bits <= bits else (low, middle - 1)
    found = Grid(actions, low)
    if found.bits > MOST_BITS:
        raise GameError(f"a decision between {actions} actions is too large for a strategy file")
    return found


@cache
def _sums(parts: int, total: int) -> NDArray[np.int32]:
    """Ways to write a total as an ordered sum, ascending from the first part: [size, parts]."""
    if parts == 1:
        return np.full((1, 1), total, np.int32)
    if parts == 2:
        first = np.arange(total + 1, dtype=np.int32)
        return np.stack([first, total - first], axis=1)
    following = [_sums(parts - 1, total - first) for first in range(total + 1)]
    firsts = np.repeat(np.arange(total + 1, dtype=np.int32), [len(block) for block in following])
    return np.concatenate([firsts[:, None], np.concatenate(following)], axis=1)


def _round(rows: Float64s, steps: int, parts: Ints) -> None:
    """Round each row by largest remainders, the first of equal ones, into parts [N, A]."""
    function("round_rows")(
        pointer(rows, np.float64, shape=parts.shape),
        *map(c_int64, (*parts.shape, steps)),
        pointer(np.empty(parts.shape[1]), np.float64),
        pointer(parts, np.int64, written=True),
    )


def _number(parts: Ints, steps: int, before: Ints, codes: UInt32s) -> None:
    """Numbers [N] of points by their parts [N, A]."""
    function("number_points")(
        pointer(parts, np.int64, shape=(len(codes), -1)),
        *map(c_int64, (*parts.shape, steps)),
        pointer(before, np.int64, shape=(parts.shape[1], steps + 2)),
        pointer(codes, np.uint32, written=True),
    )


def pack(codes: UInt32s, bits: int, begin: int, stream: UInt8s) -> None:
    """Write codes of a number of bits into a zeroed stream from a bit on; padding follows them."""
    if begin + bits * len(codes) > 8 * (len(stream) - PADDING):
        raise IndexError(f"{len(codes)} codes of {bits} bits do not fit behind bit {begin}")
    function("pack_codes")(
        pointer(codes, np.uint32),
        *map(c_int64, (len(codes), bits, begin)),
        pointer(stream, np.uint8, written=True),
    )


def unpack(stream: UInt8s, begin: Ints, bits: Ints | int) -> Ints:
    """Codes [N] at the bits [N] where they begin."""
    at = begin >> 3
    words = stream[at].astype(np.int64)
    for further in range(1, PADDING):
        words |= stream[at + further].astype(np.int64) << (8 * further)
    codes: Ints = words >> (begin & 7) & ((1 << np.asarray(bits, np.int64)) - 1)
    return codes
