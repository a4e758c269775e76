"""Sixteen 32-bit whole numbers in one register, beside the sixteen floats of `simd`.

They wrap around as machine numbers do. A bit plane is one bit of each of eight lanes: a byte.
"""

from typing import Any

from llvmlite import ir
from numba import int32, types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from endspiel.kernels.lanes import LANES
from endspiel.kernels.simd import lanes_type, pointer, splat

_NUMBER = ir.IntType(32)
_NUMBERS = ir.VectorType(_NUMBER, LANES)
_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_PLANE = ir.IntType(LANES)
_BYTES = ir.VectorType(ir.IntType(8), LANES)
_WORD = ir.IntType(64)
_WORDS = ir.VectorType(_WORD, 2)
_FOUR_WORDS = ir.VectorType(_WORD, 4)
_ZEROS = ir.Constant(_NUMBERS, [0] * LANES)
_HALF = LANES // 2
_PLACES = ir.Constant(_NUMBERS, list(range(LANES)))


class _WholeLanes(types.Type):  # type: ignore[misc]
    """Numba's name for the register."""

    def __init__(self) -> None:
        super().__init__(name="I32x16")


whole_type = _WholeLanes()


@register_model(_WholeLanes)
class _WholeLanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _NUMBERS)


def _every(number: int) -> Any:
    return ir.Constant(_NUMBERS, [number] * LANES)


def _call(builder: Any, name: str, given: list[Any], result: Any) -> Any:
    kind = ir.FunctionType(result, [one.type for one in given])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)


def _first(builder: Any, count: Any) -> Any:
    """Which lanes lie before a count."""
    return builder.icmp_signed("<", _PLACES, splat(builder, builder.trunc(count, _NUMBER)))


def _halves(builder: Any, low: Any, high: Any) -> Any:
    """A bit for the lower lanes and one for the upper ones."""
    lanes = [0 if lane < _HALF else LANES for lane in range(LANES)]
    mask = ir.Constant(_NUMBERS, lanes)
    return builder.shuffle_vector(splat(builder, low), splat(builder, high), mask)


def _moved(builder: Any, numbers: Any, instead: Any) -> Any:
    """Every lane's number in the next lane; the first lane has that of `instead`."""
    lanes = [lane - 1 if lane else LANES for lane in range(LANES)]
    return builder.shuffle_vector(numbers, instead, ir.Constant(_NUMBERS, lanes))


@intrinsic
def keep_first(typingctx, values, count):  # type: ignore[no-untyped-def]
    """Floats with zeros in all lanes from a count on."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        zeros = ir.Constant(_FLOATS, [0.0] * LANES)
        return builder.select(_first(builder, args[1]), args[0], zeros)

    return lanes_type(lanes_type, types.intp), codegen


@intrinsic
def rounded(typingctx, values):  # type: ignore[no-untyped-def]
    """Floats rounded to the nearest whole ones, halves to even ones."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _call(builder, "llvm.rint.v16f32", list(args), _FLOATS)

    return lanes_type(lanes_type), codegen


@intrinsic
def are_within(typingctx, values, bound):  # type: ignore[no-untyped-def]
    """Whether all floats, none of them NaN, lie from -bound to bound."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        size = _call(builder, "llvm.fabs.v16f32", [args[0]], _FLOATS)
        inside = builder.fcmp_ordered("<=", size, splat(builder, args[1]))
        every = ir.Constant(_PLANE, 2**LANES - 1)
        return builder.icmp_unsigned("==", builder.bitcast(inside, _PLANE), every)

    return types.boolean(lanes_type, types.float32), codegen


@intrinsic
def to_whole(typingctx, values):  # type: ignore[no-untyped-def]
    """Whole floats as numbers."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.fptosi(args[0], _NUMBERS)

    return whole_type(lanes_type), codegen


@intrinsic
def to_floats(typingctx, numbers):  # type: ignore[no-untyped-def]
    """Numbers as floats."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.sitofp(args[0], _FLOATS)

    return lanes_type(whole_type), codegen


@intrinsic
def last_of(typingctx, numbers):  # type: ignore[no-untyped-def]
    """The number in the last lane."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.extract_element(args[0], ir.Constant(_NUMBER, LANES - 1))

    return int32(whole_type), codegen


@intrinsic
def folded_steps(typingctx, numbers, before, count):  # type: ignore[no-untyped-def]
    """What each lane adds to the one before it, folded to 0, 1, 2, ...; zeros from a count on.

    -1 becomes 1, 1 becomes 2, -2 becomes 3. `before` stands before the first lane.
    """

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        numbers, before, count = args
        steps = builder.sub(numbers, _moved(builder, numbers, splat(builder, before)))
        signs = builder.ashr(steps, _every(31))
        folded = builder.xor(builder.shl(steps, _every(1)), signs)
        return builder.select(_first(builder, count), folded, _ZEROS)

    return whole_type(whole_type, types.int32, types.intp), codegen


@intrinsic
def choose_halves(typingctx, low, high, yes, no):  # type: ignore[no-untyped-def]
    """`yes` in the lower eight lanes if `low` and in the upper ones if `high`, `no` elsewhere."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.select(_halves(builder, args[0], args[1]), args[2], args[3])

    return whole_type(types.boolean, types.boolean, whole_type, whole_type), codegen


@intrinsic
def sums_of_steps(typingctx, folded, before, low, high):  # type: ignore[no-untyped-def]
    """The numbers whose folded steps these are; the lower half is the numbers themselves if `low`,
    and the upper half if `high`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        folded, before, low, high = args
        signs = builder.sub(_ZEROS, builder.and_(folded, _every(1)))
        sums = builder.xor(builder.lshr(folded, _every(1)), signs)
        for by in (1, 2, 4):
            lanes = [i - by if i % _HALF >= by else LANES for i in range(LANES)]
            earlier = builder.shuffle_vector(sums, _ZEROS, ir.Constant(_NUMBERS, lanes))
            sums = builder.add(sums, earlier)
        lower = builder.add(sums, splat(builder, before))
        lower = builder.select(splat(builder, low), folded, lower)
        middle = builder.extract_element(lower, ir.Constant(_NUMBER, _HALF - 1))
        upper = builder.add(sums, splat(builder, middle))
        upper = builder.select(splat(builder, high), folded, upper)
        lanes = [i if i < _HALF else LANES + i for i in range(LANES)]
        return builder.shuffle_vector(lower, upper, ir.Constant(_NUMBERS, lanes))

    booleans = (types.boolean, types.boolean)
    return whole_type(whole_type, types.int32, *booleans), codegen


@intrinsic
def widths_of(typingctx, numbers):  # type: ignore[no-untyped-def]
    """Bits of the longest number of the lower eight lanes, and of the upper ones; no sign."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        together = args[0]
        for by in (4, 2, 1):  # both halves side by side
            lanes = ir.Constant(_NUMBERS, [lane ^ by for lane in range(LANES)])
            together = builder.or_(together, builder.shuffle_vector(together, together, lanes))
        found = []
        for first in (0, _HALF):
            longest = builder.extract_element(together, ir.Constant(_NUMBER, first))
            spare = builder.ctlz(longest, ir.Constant(ir.IntType(1), 0))
            wide = builder.sub(ir.Constant(_NUMBER, 32), spare)
            found.append(builder.zext(wide, ir.IntType(64)))
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.int64, 2)(whole_type), codegen


@intrinsic
def no_numbers(typingctx):  # type: ignore[no-untyped-def]
    """Zeros in all lanes."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _ZEROS

    return whole_type(), codegen


@intrinsic
def planes_of(typingctx, numbers, first):  # type: ignore[no-untyped-def]
    """Bits `first` to `first` + 7 of the lower eight lanes, and of the upper ones.

    A byte a bit, the lowest first; in a byte a bit a lane.
    """

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        numbers, first = args
        moved = builder.lshr(numbers, splat(builder, builder.trunc(first, _NUMBER)))
        rows = builder.bitcast(builder.trunc(moved, _BYTES), _WORDS)
        planes = _transposed_bits(builder, rows)
        words = [builder.extract_element(planes, ir.Constant(_NUMBER, half)) for half in (0, 1)]
        return context.make_tuple(builder, signature.return_type, words)

    return types.UniTuple(types.uint64, 2)(whole_type, types.intp), codegen


@intrinsic
def with_planes(typingctx, numbers, low, high, first):  # type: ignore[no-untyped-def]
    """Numbers whose bits `first` to `first` + 7 are put in: see `planes_of`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        numbers, low, high, first = args
        words = ir.Constant(_WORDS, ir.Undefined)
        for half, word in enumerate((low, high)):
            words = builder.insert_element(words, word, ir.Constant(_NUMBER, half))
        rows = builder.bitcast(_transposed_bits(builder, words), _BYTES)
        away = splat(builder, builder.trunc(first, _NUMBER))
        return builder.or_(numbers, builder.shl(builder.zext(rows, _NUMBERS), away))

    words = (types.uint64, types.uint64)
    return whole_type(whole_type, *words, types.intp), codegen


@intrinsic
def short_planes_of(typingctx, numbers):  # type: ignore[no-untyped-def]
    """Bits 0 to 7 of the lower and the upper lanes, then bits 8 to 15, as `planes_of` has them."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        (numbers,) = args
        first = builder.trunc(numbers, _BYTES)
        second = builder.trunc(builder.lshr(numbers, _every(8)), _BYTES)
        both = ir.Constant(ir.VectorType(_NUMBER, 2 * LANES), list(range(2 * LANES)))
        rows = builder.bitcast(builder.shuffle_vector(first, second, both), _FOUR_WORDS)
        planes = _transposed_bits(builder, rows)
        words = [builder.extract_element(planes, ir.Constant(_NUMBER, i)) for i in range(4)]
        return context.make_tuple(builder, signature.return_type, words)

    return types.UniTuple(types.uint64, 4)(whole_type), codegen


@intrinsic
def from_short_planes(typingctx, low, high, low_next, high_next):  # type: ignore[no-untyped-def]
    """The numbers of at most 16 bits whose planes these are: see `short_planes_of`."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        words = ir.Constant(_FOUR_WORDS, ir.Undefined)
        for i, word in enumerate(args):
            words = builder.insert_element(words, word, ir.Constant(_NUMBER, i))
        kind = ir.VectorType(ir.IntType(8), 2 * LANES)
        rows = builder.bitcast(_transposed_bits(builder, words), kind)
        pairs = [lane + LANES * part for lane in range(LANES) for part in (0, 1)]
        order = ir.Constant(ir.VectorType(_NUMBER, 2 * LANES), pairs)
        mixed = builder.shuffle_vector(rows, rows, order)
        short = builder.bitcast(mixed, ir.VectorType(ir.IntType(16), LANES))
        return builder.zext(short, _NUMBERS)

    return whole_type(*[types.uint64] * 4), codegen


def _transposed_bits(builder: Any, words: Any) -> Any:
    """Eight bytes of eight bits each with rows and columns exchanged, in all words.

    First within squares of two bits, then of four, then of eight.
    """
    for away, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0xF0F0F0F0)):
        step, kept = (
            ir.Constant(words.type, [number] * words.type.count) for number in (away, mask)
        )
        odd = builder.and_(builder.xor(words, builder.lshr(words, step)), kept)
        words = builder.xor(words, builder.xor(odd, builder.shl(odd, step)))
    return words


@intrinsic
def load_word(typingctx, array, offset):  # type: ignore[no-untyped-def]
    """Eight bytes of a uint8 array from an offset on, the first the lowest."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = pointer(context, builder, signature.args[0], args[0], args[1], _WORD)
        return builder.load(place, align=1)

    return types.uint64(array, types.intp), codegen


@intrinsic
def store_word(typingctx, array, offset, word):  # type: ignore[no-untyped-def]
    """Write eight bytes to a uint8 array from an offset on."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = pointer(context, builder, signature.args[0], args[0], args[1], _WORD)
        builder.store(args[2], place, align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint64), codegen
