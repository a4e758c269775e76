"""The compiled library: loaded at the first call, in the widest build that the processor runs."""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

from endspiel.errors import EndspielError
from endspiel.native.build import BUILDS, family, library_path, sources_digest

VARIABLE = "ENDSPIEL_BUILD"  # a build of the board kernels: base, avx2 or avx512
REMEDY = "build them by python -m endspiel.native.build"
LIBRARY = "ENDSPIEL_LIBRARY"  # a file that is loaded in place of the package's library


@cache
def library() -> Any:
    """The library."""
    path = Path(os.environ.get(LIBRARY) or library_path())
    try:
        found = ctypes.CDLL(str(path))
    except OSError as error:
        reason = f"the kernels in {path} cannot be loaded ({error}): {REMEDY}"
        raise EndspielError(reason) from error
    if _built_from(found) != sources_digest():
        raise EndspielError(f"the kernels in {path} were built from other sources: {REMEDY}")
    return found


def _built_from(found: Any) -> str:
    """The digest of the sources that a library was built from; empty in one that names none."""
    if not hasattr(found, "sources"):
        return ""
    found.sources.restype = ctypes.c_char_p
    return str(found.sources().decode())


@cache
def builds() -> tuple[str, ...]:
    """Builds of the board kernels that this processor runs, the widest last."""
    widest = library().widest_build
    widest.restype = ctypes.c_char_p
    names = tuple(BUILDS[family()])
    return names[: names.index(widest().decode()) + 1]


@cache
def chosen_build() -> str:
    """The build that is used: the widest, unless a variable names another."""
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return builds()[-1]
    if wanted not in builds():
        raise EndspielError(
            f"{VARIABLE} is {wanted[:20]!r}: this processor runs {', '.join(builds())}"
        )
    return wanted


@cache
def function(name: str, result: Any = None) -> Any:
    """A function of the library that is the same in every build."""
    found = getattr(library(), name)
    found.restype = result
    return found


@cache
def board_function(name: str, build: str, result: Any = None) -> Any:
    """A board kernel of one build."""
    return function(f"{name}_{build}", result)
