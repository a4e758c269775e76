"""Every kernel is called with what its parameters in C++ say: the check of all other tests."""

from ctypes import c_int64
from typing import Any

import numpy as np
import pytest

from endspiel.native import build, library
from endspiel.native.boundary import pointer
from tests.native.signatures import CheckedLibrary, signatures


def test_every_exported_kernel_is_known() -> None:
    texts = [source.read_text() for source in build.CORE.rglob("*.cpp")]
    lines = [line for text in texts for line in text.splitlines()]
    written = [line for line in lines if line.lstrip().startswith(("EXPORT ", "BOARD_KERNEL("))]
    twice = sum("##Number" in line for line in written)
    assert len(signatures()) == len(written) + twice > 100
    loaded = library.library().loaded
    for name in signatures():
        assert any(hasattr(loaded, f"{name}{end}") for end in ("", "_base")), name


def test_types_are_read_from_the_source() -> None:
    assert signatures()["first_repeat"] == ("Int", ("uint8_t*", "Int", "Int"))
    assert signatures()["widest_build"] == ("char*", ())
    assert signatures()["learn_float"].parameters[-3:] == ("float*", "Int", "Discounts*")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ([pointer(np.zeros(14), np.float64), c_int64(2), c_int64(7)], r"uint8_t\* gets float64"),
        ([pointer(np.zeros(14, np.uint8), np.uint8), 2, c_int64(7)], "argument 1: Int gets 2"),
        ([pointer(np.zeros(14, np.uint8), np.uint8), c_int64(2)], "has parameters"),
    ],
)
def test_other_arguments_are_refused(given: list[Any], complaint: str) -> None:
    kernel = CheckedLibrary(library.library().loaded).first_repeat
    kernel.restype = c_int64
    with pytest.raises(AssertionError, match=complaint):
        kernel(*given)


def test_another_result_is_refused() -> None:
    with pytest.raises(AssertionError, match="first_repeat does not return None"):
        CheckedLibrary(library.library().loaded).first_repeat.restype = None
