"""What Python passes to each kernel, held to the kernel's own parameters in C++.

ctypes passes whatever it gets. In all tests `CheckedLibrary` stands in place of the library and
looks at the first calls of each kernel: at the result, the number of arguments, the type of each,
and the entries of arrays.
"""

import ctypes
import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from endspiel.native import boundary, build, library

LOOKED_AT = 20  # calls of a kernel
NUMBERS: dict[str, Any] = {"Int": ctypes.c_int64, "double": ctypes.c_double, "int": int}
RESULTS = {"void": None, "Int": ctypes.c_int64, "int": ctypes.c_int, "char*": ctypes.c_char_p}
ENTRIES = {"Int": ["int64"], "void": ["uint8", "uint16"], "uint8_t": ["uint8", "bool"]}
ENTRIES |= {name: ["int64"] for name in ("Meta", "Lane", "Room")} | {"Discounts": ["float64"]}
KERNEL = re.compile(
    r"^ *(?:BOARD_KERNEL\((\w+?)(_##Number)?\)"
    r"|EXPORT ((?:const )?\w+\*?) (?:NAMED\((\w+), BUILD\)|(\w+)))"
    r"[\s\\]*\(([^)]*)\)",
    re.MULTILINE,
)


class Signature(NamedTuple):
    """A kernel's result and parameters, by their types in C++ without `const`."""

    result: str
    parameters: tuple[str, ...]


@cache
def signatures() -> dict[str, Signature]:
    """Every kernel that the library exports, without the names of builds."""
    found = {}
    for source in sorted(build.CORE.rglob("*.cpp")):
        for kernel, each, result, named, plain, parameters in KERNEL.findall(source.read_text()):
            types = [_type(text) for text in parameters.split(",") if text != "void"]
            for number in ("float", "double") if each else ("Number",):
                found[(kernel or named or plain) + (f"_{number}" if each else "")] = Signature(
                    _type(f"{result or 'void'} of"),
                    tuple(kind.replace("Number", number) for kind in types),
                )
    return found


def _type(parameter: str) -> str:
    words = parameter.replace("\\", " ").replace("*", "* ").split()[:-1]
    return "".join(word for word in words if word not in ("const", "__restrict"))


class _Entries:
    """Stands in place of `c_char`: bytes that know the entries of the array that they are of."""

    def from_buffer(self, array: Any) -> Any:
        return _byte_of(array.dtype).from_buffer(array)


@cache
def _byte_of(entries: Any) -> Any:
    return type(f"char_of_{entries}", (ctypes.c_char,), {"entries": entries})


def _complaint(kind: str, given: Any) -> str | None:
    """Why an argument is not of a parameter's type; None where it is."""
    if kind in NUMBERS:
        return None if isinstance(given, NUMBERS[kind]) else f"{kind} gets {given!r}"
    pointed = kind.removesuffix("*")
    at = given.array if isinstance(given, boundary.Pointer) else getattr(given, "_obj", given)
    if isinstance(at, ctypes.Structure):
        found, right = type(at).__name__, [pointed]
    else:
        entries = at.dtype if isinstance(at, np.ndarray) else getattr(at, "entries", None)
        found = "uint8" if isinstance(at, bytes) else str(entries)
        right = ENTRIES.get(pointed, [pointed.removesuffix("_t").replace("float", "float32")])
        right = ["float64"] if pointed == "double" else right
    return None if given is None or found in right else f"{kind} gets {found}"


class _CheckedKernel:
    """A kernel whose first calls are looked at."""

    def __init__(self, name: str, kernel: Any) -> None:
        self.name, self.kernel, self.left = name, kernel, LOOKED_AT
        for own in build.BUILDS[build.family()]:
            name = name.removesuffix(f"_{own}")
        self.signature = signatures()[name]

    @property
    def restype(self) -> Any:
        return self.kernel.restype

    @restype.setter
    def restype(self, result: Any) -> None:
        assert result is RESULTS[self.signature.result], f"{self.name} does not return {result}"
        self.kernel.restype = result

    def __call__(self, *given: Any) -> Any:
        if self.left:
            self.left -= 1
            wanted = self.signature.parameters
            assert len(given) == len(wanted), f"{self.name} has parameters {wanted}"
            found = map(_complaint, wanted, given)
            complaints = [f"argument {at}: {text}" for at, text in enumerate(found) if text]
            assert not complaints, f"{self.name}: {', '.join(complaints)}"
        return self.kernel(*given)


class CheckedLibrary:
    """The library, whose kernels look at what they are given."""

    def __init__(self, loaded: Any) -> None:
        self.loaded = loaded

    def __getattr__(self, name: str) -> _CheckedKernel:
        return _CheckedKernel(name, getattr(self.loaded, name))


def check_kernels() -> None:
    """Let every kernel that is called from now on look at its first calls."""
    load: Any = library.library
    boundary._BYTE = _Entries()

    @cache
    def checked() -> CheckedLibrary:
        return CheckedLibrary(load())

    checked.__wrapped__ = load.__wrapped__  # type: ignore[attr-defined]
    library.library = checked
