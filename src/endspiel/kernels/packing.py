"""Fixed-point regrets packed without loss: neighbors predict each other, bit planes hold the rest.

Values are integers [tiles, rows, 16] of one board after another, as the board kernels lay them out.
Along a row, hands are neighbors (on the river by strength), so what each adds to the one before it
is small; it is folded to 0, 1, 2, ... (0, -1, 1, -2, ...). Eight hands of a row have as many bits
each as their longest such step, or as their longest number where that is shorter. A row of a tile
is a byte for its lower and one for its upper eight hands that tell how many bits, of what; then the
lower hands' bits, the lowest first, a byte for those of eight hands, and the upper ones'. Rows one
after another in which nothing changes are a byte together. Padding is not stored and comes back as
zeros; a tile of eight hands or fewer has no upper half. Eight zeros stand at the end, so that whole
words can be read anywhere.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import EndspielError
from endspiel.jit import njit
from endspiel.kernels.arrays import Float32s, Ints
from endspiel.kernels.lanes import LANES
from endspiel.kernels.simd import fill, larger, load, store
from endspiel.kernels.simd_ints import (
    are_within,
    choose_halves,
    folded_steps,
    from_short_planes,
    keep_first,
    last_of,
    load_word,
    no_numbers,
    planes_of,
    rounded,
    short_planes_of,
    store_word,
    sums_of_steps,
    to_floats,
    to_whole,
    widths_of,
    with_planes,
)

Packed = NDArray[np.uint8]
LARGEST = 2**30  # numbers whose differences fit into 32 bits once folded
WIDEST = 32  # bits of a step or number
PLAIN, RUN = 64, 128  # in a first byte: numbers in place of steps; rows in which nothing changes
LONGEST_RUN = 256 - RUN
HALF = LANES // 2
BITS = 8  # of a number that a word of planes has
SHORT = 2 * BITS  # numbers of so many bits are packed at one go, as nearly all are
SPARE = 8  # bytes at the end
_FIRST_BYTES = np.array([2 ** (8 * count) - 1 for count in range(9)], dtype=np.uint64)

kernel = njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)


class PackedShape(NamedTuple):
    """How a street's regrets lie: [tiles, rows, 16], tiles board by board."""

    starts: Ints  # [N + 1] first tile of each board
    hands: Ints  # [N]
    rows: int


def pack(
    values: Float32s,
    shape: PackedShape,
    scale: float,
    *,
    what: str = "regret",
    least: float = -np.inf,
) -> Packed:
    """Regrets of a street's boards as bytes; each is rounded to a whole number of 1 / scale.

    The regrets become what the bytes say. The scale is a power of two. `what` is packed, if no
    regrets are; whatever is less than `least` becomes that.
    """
    most = 2 * (1 + WIDEST) * (len(values) // LANES) + 2 * SPARE
    out = np.empty(most, dtype=np.uint8)  # what is not used is not touched
    used = _pack(values, *shape, np.float32(scale), np.float32(least), out)
    if used < 0:
        raise EndspielError(f"{what}s are too large for fixed point: take fewer bits")
    out[used : used + SPARE] = 0
    return out[: used + SPARE].copy()


def unpack(packed: Packed, shape: PackedShape, scale: float, to: Float32s) -> None:
    """Fill in the regrets [tiles * rows * 16] that bytes say."""
    _unpack(packed, *shape, np.float32(scale), to)


@kernel
def _pack(values, starts, hands, rows, scale, least, out):  # type: ignore[no-untyped-def]
    at = 0
    still = 0  # rows so far in which nothing changed
    up, down, floor = fill(scale), fill(np.float32(1) / scale), fill(least)
    before, upper = np.empty(rows, np.int32), np.empty(WIDEST // BITS, np.uint64)
    for b in range(len(hands)):
        before[:] = 0
        left = hands[b]
        for t in range(starts[b], starts[b + 1]):
            count = min(left, LANES)
            left -= count
            for row in range(rows):
                place = (t * rows + row) * LANES
                value = keep_first(larger(floor, load(values, place)), count)  # NaN stays NaN
                whole = rounded(value * up)
                if not are_within(whole, np.float32(LARGEST)):
                    return -1
                store(values, place, whole * down)
                numbers = to_whole(whole)
                steps = folded_steps(numbers, before[row], count)
                before[row] = last_of(numbers)
                low, high = widths_of(steps)
                if low + high == 0:
                    still += 1
                    if still == LONGEST_RUN:
                        at, still = _put_run(out, at, still), 0
                    continue
                if still > 0:
                    at, still = _put_run(out, at, still), 0
                low_plain, high_plain = widths_of(numbers)
                low_as, high_as = low_plain < low, high_plain < high
                steps = choose_halves(low_as, high_as, numbers, steps)
                low, high = min(low, low_plain), min(high, high_plain)
                out[at] = low + (PLAIN if low_as else 0)
                at += 1
                if count > HALF:
                    out[at] = high + (PLAIN if high_as else 0)
                    at += 1
                if max(low, high) <= SHORT:
                    at = _put_short_planes(out, at, steps, low, high)
                else:
                    at = _put_planes(out, at, steps, low, high, upper)
    return _put_run(out, at, still) if still > 0 else at


@kernel
def _put_run(out, at, still):  # type: ignore[no-untyped-def]
    """Append that nothing changes in so many rows."""
    out[at] = RUN + still - 1
    return at + 1


@kernel
def _put_short_planes(out, at, numbers, low, high):  # type: ignore[no-untyped-def]
    """Append the bits of numbers of at most 16 each, without a branch that may go either way."""
    one, two, one_next, two_next = short_planes_of(numbers)
    store_word(out, at, one)
    store_word(out, at + BITS, one_next)
    store_word(out, at + low, two)  # over what was written behind the lower lanes' bits
    store_word(out, at + low + BITS, two_next)
    return at + low + high


@kernel
def _put_planes(out, at, numbers, low, high, upper):  # type: ignore[no-untyped-def]
    """Append the bits of numbers whose lower and upper lanes have so many; `upper` [4] is space."""
    for bit in range(0, max(low, high), BITS):
        one, two = planes_of(numbers, bit)
        store_word(out, at + bit, one)
        upper[bit // BITS] = two
    for bit in range(0, high, BITS):  # over what was written behind the lower lanes' bits
        store_word(out, at + low + bit, upper[bit // BITS])
    return at + low + high


@kernel
def _unpack(packed, starts, hands, rows, scale, to):  # type: ignore[no-untyped-def]
    at = 0
    still = 0
    down = fill(np.float32(1) / scale)
    before = np.empty(rows, np.int32)
    for b in range(len(hands)):
        before[:] = 0
        left = hands[b]
        for t in range(starts[b], starts[b + 1]):
            count = min(left, LANES)
            left -= count
            for row in range(rows):
                place = (t * rows + row) * LANES
                if still == 0 and packed[at] >= RUN:
                    still = np.int64(packed[at]) - RUN + 1
                    at += 1
                if still > 0:
                    still -= 1
                    value = fill(np.float32(before[row])) * down
                    store(to, place, keep_first(value, count))
                    continue
                first, second = np.int64(packed[at]), np.int64(0)
                at += 1
                if count > HALF:
                    second = np.int64(packed[at])
                    at += 1
                low, high = first & (PLAIN - 1), second & (PLAIN - 1)
                if max(low, high) <= SHORT:
                    steps = _short_planes(packed, at, low, high)
                else:
                    steps = _planes(packed, at, low, high)
                at += low + high
                numbers = sums_of_steps(steps, before[row], first >= PLAIN, second >= PLAIN)
                before[row] = last_of(numbers)
                store(to, place, keep_first(to_floats(numbers) * down, count))


@kernel
def _short_planes(packed, at, low, high):  # type: ignore[no-untyped-def]
    """Numbers whose lower and upper lanes have so many bits, at most 16."""
    low_first, high_first = min(low, BITS), min(high, BITS)
    one = load_word(packed, at) & _FIRST_BYTES[low_first]
    two = load_word(packed, at + low) & _FIRST_BYTES[high_first]
    one_next = load_word(packed, at + low_first) & _FIRST_BYTES[low - low_first]
    two_next = load_word(packed, at + low + high_first) & _FIRST_BYTES[high - high_first]
    return from_short_planes(one, two, one_next, two_next)


@kernel
def _planes(packed, at, low, high):  # type: ignore[no-untyped-def]
    """Numbers whose lower and upper lanes have so many bits."""
    numbers = no_numbers()
    for bit in range(0, max(low, high), BITS):
        one = load_word(packed, at + min(bit, low)) & _FIRST_BYTES[max(min(low - bit, 8), 0)]
        two = (
            load_word(packed, at + low + min(bit, high)) & _FIRST_BYTES[max(min(high - bit, 8), 0)]
        )
        numbers = with_planes(numbers, one, two, bit)
    return numbers
