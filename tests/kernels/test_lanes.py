"""Sixteen hands side by side: padding to them, and arrays that start on a cache line."""

import numpy as np
import pytest

from endspiel.kernels.lanes import padded, zeros


@pytest.mark.parametrize(("count", "whole"), [(0, 0), (1, 16), (16, 16), (17, 32), (1326, 1328)])
def test_padding_goes_to_the_next_multiple(count: int, whole: int) -> None:
    assert padded(count) == whole


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (1000,)])
def test_zeros_start_on_a_cache_line(shape: tuple[int, ...]) -> None:
    array = zeros(*shape)
    assert array.shape == shape
    assert array.dtype == np.float32
    assert not array.any()
    assert array.size == 0 or array.ctypes.data % 64 == 0
    array += 1
    assert (array == 1).all()
