"""Compiled functions that load Numba at their first call."""

import pickle
import subprocess
import sys
from pathlib import Path

from endspiel import jit
from endspiel.jit import Kernel, njit
from endspiel.solvers.memory import format_bytes

ROOT = Path(__file__).parents[1]


@njit()
def _half(x: float) -> float:
    return x / 2


@njit(error_model="numpy")
def _quarter(x: float) -> float:
    def nested(y: float) -> float:
        return _half(y)

    return _half(nested(x))


@njit()
def _by_module(x: float) -> float:
    return _HERE._half(x)  # type: ignore[no-any-return]


_HERE = sys.modules[__name__]


def test_kernels_call_kernels_by_name_and_by_module() -> None:
    assert _by_module(6.0) == 3.0
    assert _quarter(6.0) == 1.5


def test_options_reach_numba() -> None:
    @njit(error_model="numpy")
    def ratio(x: float, y: float) -> float:
        return x / y

    assert ratio(1.0, 0.0) == float("inf")


def test_a_kernel_keeps_the_names_of_its_function() -> None:
    kernel: object = jit.njit()(format_bytes)
    assert isinstance(kernel, Kernel)
    assert kernel.__name__ == "format_bytes"
    assert kernel.__doc__ == format_bytes.__doc__


def test_kernels_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(_half)) is _half


def test_numba_is_loaded_at_the_first_call() -> None:
    code = (
        "import sys; from tests.test_jit import _half; "
        "assert 'numba' not in sys.modules; assert _half(3.0) == 1.5; "
        "assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
