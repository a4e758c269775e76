"""Sixteen floats in one register: a Numba type over LLVM's ``<16 x float>``.

LLVM assumes that arrays may overlap and then does not vectorize loops that read and write several
of them; with an explicit vector type it need not guess. On machines without 512-bit registers LLVM
splits each operation. Offsets count floats from the start of a flat, C-contiguous array.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import float32, njit, types
from numba.core import cgutils
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    register_model,
    type_callable,
)

from endspiel.kernels.lanes import LANES

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_BYTES = ir.VectorType(ir.IntType(8), LANES)


class _Lanes(types.Type):  # type: ignore[misc]
    """Numba's name for the register."""

    def __init__(self) -> None:
        super().__init__(name="F32x16")


lanes_type = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def pointer(
    context: Any, builder: Any, array_type: Any, array: Any, offset: Any, to: Any = _VECTOR
) -> Any:
    """Where an array's entry lies, as a pointer to a type, while code is built."""
    data = context.make_array(array_type)(context, builder, array).data
    at = builder.gep(data, [offset])
    return builder.bitcast(at, to.as_pointer())


@intrinsic
def load(typingctx, array, offset):  # type: ignore[no-untyped-def]
    """Sixteen floats of a float32 array from an offset on."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load(place, align=4)

    return lanes_type(array, types.intp), codegen


@intrinsic
def store(typingctx, array, offset, value):  # type: ignore[no-untyped-def]
    """Write sixteen floats to a float32 array from an offset on."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        place = pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes_type), codegen


@intrinsic
def load_bytes(typingctx, array, offset):  # type: ignore[no-untyped-def]
    """Sixteen small whole numbers of a uint8 array as floats."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        at = pointer(context, builder, signature.args[0], args[0], args[1], _BYTES)
        return builder.uitofp(builder.load(at, align=1), _VECTOR)

    return lanes_type(array, types.intp), codegen


@intrinsic
def store_bytes(typingctx, array, offset, value):  # type: ignore[no-untyped-def]
    """Write sixteen floats that are whole numbers from 0 to 255 to a uint8 array."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        at = pointer(context, builder, signature.args[0], args[0], args[1], _BYTES)
        builder.store(builder.fptoui(args[2], _BYTES), at, align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes_type), codegen


@intrinsic
def fill(typingctx, value):  # type: ignore[no-untyped-def]
    """The same float in all lanes."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return splat(builder, args[0])

    return lanes_type(float32), codegen


def splat(builder: Any, number: Any) -> Any:
    """The same number in all lanes, while code is built."""
    undefined = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    return _shuffle(builder, one, undefined, [0] * LANES)


def _binary(op: Any, method: str) -> None:
    @type_callable(op)
    def _typer(context):  # type: ignore[no-untyped-def]
        def typer(a, b):  # type: ignore[no-untyped-def]
            if isinstance(a, _Lanes) and isinstance(b, _Lanes):
                return lanes_type
            return None

        return typer

    @lower_builtin(op, _Lanes, _Lanes)
    def _lower(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return getattr(builder, method)(*args, flags=("contract", "nsz"))


_binary(operator.add, "fadd")
_binary(operator.sub, "fsub")
_binary(operator.mul, "fmul")
_binary(operator.truediv, "fdiv")


def _intrinsic_call(builder: Any, name: str, args: list[Any]) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(args))
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v16f32")
    return builder.call(function, args)


@intrinsic
def larger(typingctx, a, b):  # type: ignore[no-untyped-def]
    """The larger of two floats, lane by lane."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        greater = builder.fcmp_ordered(">", args[0], args[1])
        return builder.select(greater, args[0], args[1])

    return lanes_type(lanes_type, lanes_type), codegen


@intrinsic
def choose_positive(typingctx, test, yes, no):  # type: ignore[no-untyped-def]
    """`yes` in lanes where `test` is above zero, `no` elsewhere."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[1], args[2])

    return lanes_type(lanes_type, lanes_type, lanes_type), codegen


@intrinsic
def multiply_add(typingctx, a, b, c):  # type: ignore[no-untyped-def]
    """a * b + c with one rounding."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return _intrinsic_call(builder, "fma", list(args))

    return lanes_type(lanes_type, lanes_type, lanes_type), codegen


def _shuffle(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes)
    return builder.shuffle_vector(a, b, mask)


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose sixteen registers: in step s, lanes that differ in bit s trade places."""
    for bit in (1, 2, 4, 8):
        swapped = list(rows)
        for i in range(LANES):
            if i & bit:
                continue
            low = [lane if not lane & bit else lane - bit + LANES for lane in range(LANES)]
            high = [lane + bit if not lane & bit else lane + LANES for lane in range(LANES)]
            swapped[i] = _shuffle(builder, rows[i], rows[i + bit], low)
            swapped[i + bit] = _shuffle(builder, rows[i], rows[i + bit], high)
        rows = swapped
    return rows


@intrinsic
def transpose_rows(typingctx, source, at, rows, first, target, to):  # type: ignore[no-untyped-def]
    """Copy sixteen rows of sixteen, picked by number from `rows`, transposed and side by side."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        source, at, rows, first, target, to = args
        numbers = context.make_array(signature.args[2])(context, builder, rows).data
        picked = []
        for i in range(LANES):
            number = builder.gep(numbers, [builder.add(first, ir.Constant(first.type, i))])
            row = builder.mul(builder.load(number), ir.Constant(first.type, LANES))
            place = pointer(context, builder, signature.args[0], source, builder.add(at, row))
            picked.append(builder.load(place, align=4))
        for i, row in enumerate(_transposed(builder, picked)):
            offset = builder.add(to, ir.Constant(to.type, LANES * i))
            place = pointer(context, builder, signature.args[4], target, offset)
            builder.store(row, place, align=4)
        return context.get_dummy_value()

    intp = types.intp
    return types.void(source, intp, rows, intp, target, intp), codegen


@njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)
def largest_row(source, row, step, count):  # type: ignore[no-untyped-def]
    """The largest of so many rows, lane by lane, and the number of the last that has it."""
    best, chosen = load(source, row), fill(float32(0))
    for a in range(1, count):
        value = load(source, row + a * step)
        chosen = choose_positive(best - value, chosen, fill(float32(a)))
        best = larger(best, value)
    return best, chosen


kernel = njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)  # over registers
