"""What passes between Python and the kernels: every array is checked here, and nowhere else.

A kernel takes pointers. `pointer` lets only arrays through that have the type the kernel expects,
lie in one piece and can be written where they are; `packed` makes a structure of a `NamedTuple` of
arrays and numbers, field by field as its annotations say. `header` writes the same structures in C.
Structures that many calls pass are `PackedOnce`.
"""

import ctypes
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

C_NAMES = {
    "float32": "float",
    "float64": "double",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


_BYTE: Any = ctypes.c_char


class Pointer(ctypes.c_void_p):
    """An address that keeps its array alive."""

    array: NDArray[Any]


class _Field(NamedTuple):
    name: str
    array: np.dtype[Any] | None  # of an array's entries
    inner: Any  # the class of a structure inside, else None
    number: type  # int or float, of a field that is neither


@cache
def _fields(kind: Any) -> tuple[_Field, ...]:
    """The fields of a `NamedTuple` class, by its annotations."""
    found = []
    for name, hint in get_type_hints(kind).items():
        if hasattr(hint, "_fields"):
            found.append(_Field(name, None, hint, int))
        elif get_args(hint):
            found.append(_Field(name, _entry_type(hint), None, int))
        else:
            found.append(_Field(name, None, None, float if hint is float else int))
    return tuple(found)


def _entry_type(hint: Any) -> np.dtype[Any]:
    """The type of an array's entries: NDArray[entry], which is ndarray[shape, dtype[entry]].

    From NumPy 2.5 on, `NDArray` is an alias that keeps its own argument.
    """
    last = get_args(hint)[-1]
    entry: Any = get_args(last)[0] if get_args(last) else last
    found: np.dtype[Any] = np.dtype(entry)
    return found


@cache
def structure(kind: Any) -> Any:
    """The C structure of a `NamedTuple` class: pointer and number of entries of each array."""
    members: list[tuple[str, Any]] = []
    for field in _fields(kind):
        if field.inner is not None:
            members.append((field.name, structure(field.inner)))
        elif field.array is not None:
            members += [(field.name, ctypes.c_void_p), (f"{field.name}_size", ctypes.c_int64)]
        else:
            number = ctypes.c_double if field.number is float else ctypes.c_int64
            members.append((field.name, number))
    return type(kind.__name__, (ctypes.Structure,), {"_fields_": members})


def packed(value: Any, *, written: bool = False) -> Any:
    """A `NamedTuple` as a C structure, which keeps its arrays alive.

    A structure stays as it is: what many calls share is checked once.
    """
    if isinstance(value, ctypes.Structure):
        return value
    if isinstance(value, PackedOnce):
        return value.packed
    kind: Any = type(value)
    made = structure(kind)(*_members(value, written))
    made.kept_alive = value
    return made


class PackedOnce:
    """A base of `NamedTuple` classes without written arrays: their structure is made once."""

    @cached_property
    def packed(self) -> Any:
        """The C structure, whose arrays live as long as the tuple does."""
        kind: Any = type(self)
        return structure(kind)(*_members(self, False))

    def __reduce__(self) -> tuple[Any, ...]:
        fields: Any = self
        return type(self), tuple(fields)  # addresses are not passed on


def _members(value: Any, written: bool) -> Iterator[Any]:
    kind: Any = type(value)
    for field, entry in zip(_fields(kind), value, strict=True):
        if field.inner is not None:
            yield packed(entry, written=written)
        elif field.array is not None:
            yield _address(entry, field.array, written, field.name)
            yield entry.size
        else:
            yield field.number(entry)


def pointer(
    array: NDArray[Any],
    entry: Any,
    *,
    shape: tuple[int, ...] | None = None,  # -1 where any length will do
    written: bool = False,
    name: str = "an array",
    start: int = 0,
) -> Any:
    """The address of an array's entry, refused if entries have another type or there are gaps.

    It keeps the array alive. Most arrays can be written, lie in one piece and are not empty: those
    pass with few steps, for a kernel of a small game takes no longer than its call.
    """
    if shape is not None and shape != array.shape:
        fits = len(shape) == array.ndim and all(
            length in (-1, found) for length, found in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise TypeError(f"{name} has shape {array.shape}, where {shape} is expected")
    try:
        if array.dtype == entry:
            return ctypes.byref(_BYTE.from_buffer(array), start * array.itemsize)
    except (AttributeError, TypeError, ValueError):
        pass
    made = Pointer(_address(array, np.dtype(entry), written, name) + start * array.itemsize)
    made.array = array
    return made


def _address(array: Any, entry: np.dtype[Any], written: bool, name: str) -> int:
    if not isinstance(array, np.ndarray) or array.dtype != entry:
        found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise TypeError(f"{name} has entries of {entry}, not {found}")
    flags = array.flags
    if flags.writeable:
        try:  # refuses what has gaps or is empty; takes a third of the time of array.ctypes
            return ctypes.addressof(_BYTE.from_buffer(array))
        except (TypeError, ValueError):
            pass
    if not flags.c_contiguous:
        raise TypeError(f"{name} does not lie in one piece")
    if written and not flags.writeable:
        raise TypeError(f"{name} is written, and may not be")
    return int(array.ctypes.data)


def header(kind: Any) -> str:
    """The C text of a structure."""
    lines = []
    for field in _fields(kind):
        if field.inner is not None:
            lines.append(f"  {field.inner.__name__} {field.name};")
        elif field.array is not None:
            lines.append(f"  {C_NAMES[field.array.name]}* {field.name};")
            lines.append(f"  int64_t {field.name}_size;")
        else:
            lines.append(f"  {'double' if field.number is float else 'int64_t'} {field.name};")
    return "\n".join([f"struct {kind.__name__} {{", *lines, "};"])
