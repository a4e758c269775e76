"""Work done by every build of the kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from endspiel.native.library import VARIABLE, builds, chosen_build


def same_on_each_build(work: Callable[[], Any]) -> Any:
    """What work returns, an array or several, which is the same to the bit on every build."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for build in builds():
            patch.setenv(VARIABLE, build)
            chosen_build.cache_clear()
            found.append(work())
    chosen_build.cache_clear()
    for build, other in zip(builds(), found, strict=True):
        assert_same(found[0], other, build)
    return found[0]


def assert_same(one: Any, two: Any, build: str) -> None:
    """Refuse results that differ."""
    if isinstance(one, tuple | list):
        for a, b in zip(one, two, strict=True):
            assert_same(a, b, build)
    else:
        np.testing.assert_array_equal(one, two, err_msg=build)
