"""Fixed-point regrets packed without loss: neighbors predict each other, Rice codes hold the rest.

Values are integers [tiles, rows, 16] of one board after another, as the board kernels lay them out.
Along a row, hands are neighbors (on the river by strength), so differences are small. A row of a
tile is one bit where all its differences are zero; else five bits k and for each difference, folded
to 0, 1, 2, ..., its upper part in unary and its k lower bits. Padding is not stored.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Float32s, Ints
from endspiel.kernels.simd import LANES

Words = NDArray[np.uint32]
LARGEST = 2**30  # numbers whose differences fit into 32 bits once folded
LONGEST = 20  # of a unary part; a longer one is followed by the whole difference

kernel = njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)


class PackedShape(NamedTuple):
    """How a street's regrets lie: [tiles, rows, 16], tiles board by board."""

    starts: Ints  # [N + 1] first tile of each board
    hands: Ints  # [N]
    rows: int


def pack(values: Float32s, shape: PackedShape, scale: float) -> Words:
    """Regrets of a street's boards as words; each is rounded to a whole number of 1 / scale.

    The regrets become what the words say.
    """
    out = np.empty(2 * len(values) + len(values) // LANES + 2, dtype=np.uint32)
    used = _pack(values, *shape, np.float32(scale), out)
    if used < 0:
        raise EndspielError("regrets are too large for fixed point: take fewer bits")
    return out[:used].copy()


def unpack(words: Words, shape: PackedShape, scale: float, to: Float32s) -> None:
    """Fill in the regrets [tiles * rows * 16] that words say."""
    to[:] = 0
    _unpack(np.append(words, np.zeros(2, np.uint32)), *shape, np.float32(scale), to)


@kernel
def _put(out, at, value, count):  # type: ignore[no-untyped-def]
    """Append the lowest `count` (up to 32) bits of a value to the words."""
    word, offset = at >> 5, np.uint64(at & 31)
    if offset == 0:
        out[word] = np.uint32(value)
    else:
        wide = value << offset
        out[word] |= np.uint32(wide & np.uint64(0xFFFFFFFF))
        if (at & 31) + count > 32:
            out[word + 1] = np.uint32(wide >> np.uint64(32))
    return at + count


@kernel
def _pack(values, starts, hands, rows, scale, out):  # type: ignore[no-untyped-def]
    at = 0
    folded = np.empty(LANES, np.uint64)
    for b in range(len(hands)):
        for row in range(rows):
            before = np.int64(0)
            left = hands[b]
            for t in range(starts[b], starts[b + 1]):
                place = (t * rows + row) * LANES
                count = min(left, LANES)
                left -= count
                total = np.uint64(0)
                for i in range(count):
                    number = np.int64(np.rint(values[place + i] * scale))
                    if abs(number) > LARGEST:
                        return -1
                    values[place + i] = np.float32(number) / scale
                    step = number - before
                    before = number
                    folded[i] = np.uint64((step << 1) ^ (step >> 63))
                    total += folded[i]
                at = _put(out, at, np.uint64(total != 0), 1)
                if total == 0:
                    continue
                mean, k = total // np.uint64(count), 0
                while mean > 1 and k < 30:
                    mean >>= np.uint64(1)
                    k += 1
                at = _put(out, at, np.uint64(k), 5)
                for i in range(count):
                    upper = np.int64(folded[i] >> np.uint64(k))
                    if upper >= LONGEST:
                        at = _put(out, at, np.uint64((1 << LONGEST) - 1), LONGEST)
                        at = _put(out, at, folded[i] & np.uint64(0xFFFFFFFF), 32)
                        continue
                    at = _put(out, at, np.uint64((1 << upper) - 1), upper + 1)
                    if k > 0:
                        low = folded[i] & np.uint64((1 << k) - 1)
                        at = _put(out, at, low, k)
    return (at + 31) >> 5


@kernel
def _peek(words, at):  # type: ignore[no-untyped-def]
    """The next 32 bits."""
    word, offset = at >> 5, at & 31
    both = np.uint64(words[word]) | (np.uint64(words[word + 1]) << np.uint64(32))
    return (both >> np.uint64(offset)) & np.uint64(0xFFFFFFFF)


@kernel
def _unpack(words, starts, hands, rows, scale, to):  # type: ignore[no-untyped-def]
    at = 0
    for b in range(len(hands)):
        for row in range(rows):
            before = np.int64(0)
            left = hands[b]
            for t in range(starts[b], starts[b + 1]):
                place = (t * rows + row) * LANES
                count = min(left, LANES)
                left -= count
                some = _peek(words, at) & np.uint64(1)
                at += 1
                if some == 0:
                    value = np.float32(before) / scale
                    for i in range(count):
                        to[place + i] = value
                    continue
                k = int(_peek(words, at) & np.uint64(31))
                at += 5
                for i in range(count):
                    ahead = _peek(words, at)
                    upper = 0
                    while upper < LONGEST and (ahead >> np.uint64(upper)) & np.uint64(1):
                        upper += 1
                    if upper == LONGEST:
                        number = _peek(words, at + LONGEST)
                        at += LONGEST + 32
                    else:
                        at += upper + 1
                        low = _peek(words, at) & np.uint64((1 << k) - 1)
                        number = (np.uint64(upper) << np.uint64(k)) | low
                        at += k
                    step = np.int64(number >> np.uint64(1)) ^ -np.int64(number & np.uint64(1))
                    before += step
                    to[place + i] = np.float32(before) / scale
