"""The walk over a street's betting for graphics processors, fused: what is loaded is used at once.

Arrays are [rows, N], N all hands of all boards; a block's decisions have their rows side by side.
`board_torch` says what the arrays mean and does the same, step by step, without these kernels.
Imported only where triton is there, as torch's packages for graphics processors bring it.
"""

# mypy: ignore-errors
# (The compiled language has no annotations.)
import triton
import triton.language as tl

WIDTH = 1024


def lanes(size: int) -> int:
    """Programs that cover so many hands."""
    return int(triton.cdiv(size, WIDTH))


@triton.jit(do_not_specialize=["first", "row"])  # type: ignore[untyped-decorator,unused-ignore]
def down(
    regret, reach, parent, bucket, first, row, count, stride,
    ACTIONS: tl.constexpr, SHARED: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Reaches of a block's sequences, from regrets [rows, stride] by bucket or hand."""
    d = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    inside = at < count
    place = tl.load(bucket + at, mask=inside, other=0) if SHARED else at
    rows = regret + (row + d * ACTIONS) * stride + place
    total = tl.zeros([WIDTH], tl.float32)
    for a in tl.static_range(ACTIONS):
        total += tl.maximum(tl.load(rows + a * stride, mask=inside, other=0.0), 0.0)
    come = tl.load(reach + tl.load(parent + d) * count + at, mask=inside, other=0.0)
    for a in tl.static_range(ACTIONS):
        kept = tl.maximum(tl.load(rows + a * stride, mask=inside, other=0.0), 0.0)
        share = tl.where(total > 0, kept / total, 1.0 / ACTIONS)
        tl.store(reach + (first + d * ACTIONS + a) * count + at, come * share, mask=inside)


@triton.jit(do_not_specialize=["first", "row"])  # type: ignore[untyped-decorator,unused-ignore]
def up(
    values, regret, average, reach, parent, first, row,
    count, by, ACTIONS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Take a block's values to its parents; regrets and averages learn; `by` has the discounts."""
    d = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    inside = at < count
    begin = (first + d * ACTIONS) * count + at
    rows = (row + d * ACTIONS) * count + at
    total = tl.zeros([WIDTH], tl.float32)
    worth = tl.zeros([WIDTH], tl.float32)
    mean = tl.zeros([WIDTH], tl.float32)
    for a in tl.static_range(ACTIONS):
        kept = tl.maximum(tl.load(regret + rows + a * count, mask=inside, other=0.0), 0.0)
        value = tl.load(values + begin + a * count, mask=inside, other=0.0)
        total += kept
        worth += kept * value
        mean += value
    worth = tl.where(total > 0, worth / total, mean / ACTIONS)
    more, less, older = tl.load(by), tl.load(by + 1), tl.load(by + 2)
    for a in tl.static_range(ACTIONS):
        kept = tl.load(regret + rows + a * count, mask=inside, other=0.0)
        value = tl.load(values + begin + a * count, mask=inside, other=0.0)
        kept = kept * tl.where(kept > 0, more, less) + value - worth
        tl.store(regret + rows + a * count, kept, mask=inside)
        come = tl.load(reach + begin + a * count, mask=inside, other=0.0)
        sums = tl.load(average + rows + a * count, mask=inside, other=0.0)
        tl.store(average + rows + a * count, sums * older + come, mask=inside)
    tl.atomic_add(values + tl.load(parent + d) * count + at, worth, mask=inside)


@triton.jit(do_not_specialize=["first", "row"])  # type: ignore[untyped-decorator,unused-ignore]
def up_shared(
    values, regret, average, new_regret, reach, parent, bucket,
    weight, first, row, count, stride,
    ACTIONS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The same where hands share rows: what is learned is added to rows discounted before."""
    d = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    inside = at < count
    begin = (first + d * ACTIONS) * count + at
    rows = (row + d * ACTIONS) * stride + tl.load(bucket + at, mask=inside, other=0)
    often = tl.load(weight + at, mask=inside, other=0.0)
    total = tl.zeros([WIDTH], tl.float32)
    worth = tl.zeros([WIDTH], tl.float32)
    mean = tl.zeros([WIDTH], tl.float32)
    for a in tl.static_range(ACTIONS):
        kept = tl.maximum(tl.load(regret + rows + a * stride, mask=inside, other=0.0), 0.0)
        value = tl.load(values + begin + a * count, mask=inside, other=0.0)
        total += kept
        worth += kept * value
        mean += value
    worth = tl.where(total > 0, worth / total, mean / ACTIONS)
    for a in tl.static_range(ACTIONS):
        value = tl.load(values + begin + a * count, mask=inside, other=0.0)
        come = tl.load(reach + begin + a * count, mask=inside, other=0.0)
        tl.atomic_add(new_regret + rows + a * stride, (value - worth) * often, mask=inside)
        tl.atomic_add(average + rows + a * stride, come * often, mask=inside)
    tl.atomic_add(values + tl.load(parent + d) * count + at, worth, mask=inside)


@triton.jit  # type: ignore[untyped-decorator,unused-ignore]
def split(reach, other, stake, pieces, ends, count, WIDTH: tl.constexpr):
    """Reaches at terminals, times stakes, as two 16-bit pieces: [2 * ends, N]."""
    t = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    inside = at < count
    come = tl.load(reach + tl.load(other + t) * count + at, mask=inside, other=0.0)
    come *= tl.load(stake + t)
    high = come.to(tl.bfloat16)
    low = (come - high.to(tl.float32)).to(tl.bfloat16)
    tl.store(pieces + t * count + at, high, mask=inside)
    tl.store(pieces + (ends + t) * count + at, low, mask=inside)


@triton.jit  # type: ignore[untyped-decorator,unused-ignore]
def collect(products, own, values, ends, hands, count, WIDTH: tl.constexpr):
    """Add showdowns [boards, 2 * ends, hands], less what their sign says, to sequences."""
    t, b = tl.program_id(1).to(tl.int64), tl.program_id(0).to(tl.int64)
    to = values + tl.load(own + t) * count + b * hands
    start = products + (b * 2 * ends + t) * hands
    for begin in range(0, hands, WIDTH):
        k = begin + tl.arange(0, WIDTH)
        inside = k < hands
        found = tl.load(start + k, mask=inside, other=0.0)
        found += tl.load(start + ends * hands + k, mask=inside, other=0.0)
        tl.store(to + k, tl.load(to + k, mask=inside, other=0.0) - found, mask=inside)
