"""A device that runs the CUDA kernels on a processor, thread by thread: slow, and exact."""

import ctypes
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from endspiel.gpu.cuda.device import SOURCES, Arguments, DeviceLimits, kernel_source
from tests.children import finished

HEADER = Path(__file__).parent / "cuda_on_cpu.h"


class CpuDevice:
    """Host memory, and kernels compiled by the C++ compiler."""

    limits = DeviceLimits(100_000, 200_000, 1024, 1536)

    def __init__(self, slots_bytes: int = 100_000) -> None:
        self.limits = DeviceLimits(slots_bytes, 2 * slots_bytes, 1024, 1536)
        self.held: dict[int, Any] = {}

    def free_bytes(self) -> int:
        return 1 << 30

    def allocate(self, size: int) -> int:
        array = np.zeros(size // 16 + 2, np.complex128)  # 16 bytes each, and aligned so
        self.held[array.ctypes.data] = array
        return int(array.ctypes.data)

    def release(self, pointer: int) -> None:
        del self.held[pointer]

    def upload(self, to: int, array: np.ndarray) -> None:
        data = np.ascontiguousarray(array)
        ctypes.memmove(to, data.ctypes.data, data.nbytes)

    def download(self, array: np.ndarray, source: int) -> None:
        ctypes.memmove(array.ctypes.data, source, array.nbytes)

    def synchronize(self) -> None:
        pass

    def compile(self, macros: Mapping[str, int], sources: Sequence[str] = SOURCES) -> "CpuModule":
        return CpuModule(_library(tuple(sorted(macros.items())), tuple(sources)))


class CpuModule:
    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.constant: np.ndarray | None = None

    def launch(
        self, name: str, grid: tuple[int, int], block: int, shared: int, arguments: Arguments
    ) -> None:
        if self.constant is not None:  # other modules of the same library have their own
            data = self.constant
            size = ctypes.c_size_t(data.nbytes)
            self.library.cpu_set_constant(ctypes.c_void_p(data.ctypes.data), size)
        values = [_argument(argument) for argument in arguments]
        if name in ("learn", "values", "respond"):
            self.library.cpu_run(
                int(name == "learn"), grid[0], block, ctypes.c_size_t(shared), *values
            )
        elif name == "reduce":
            self.library.cpu_reduce(*grid, block, *values)
        elif name == "scale":
            self.library.cpu_scale(grid[0], block, *values)
        else:
            getattr(self.library, f"cpu_{name}")(*grid, block, *values)

    def set_constant(self, name: str, data: np.ndarray) -> None:
        self.constant = np.ascontiguousarray(data)


def _argument(array: np.ndarray) -> Any:
    """A kernel's argument; of a structure, its place."""
    kinds = {"int32": ctypes.c_int, "uint64": ctypes.c_void_p, "float32": ctypes.c_float}
    kind = kinds.get(array.dtype.name)
    return ctypes.c_void_p(array.ctypes.data) if kind is None else kind(array[0].item())


@cache
def _library(macros: tuple[tuple[str, int], ...], sources: tuple[str, ...]) -> ctypes.CDLL:
    defines = [f"-D{name}={value}" for name, value in macros]
    with tempfile.TemporaryDirectory() as folder:  # what is loaded needs it no more
        source, made = Path(folder) / "kernels.cu", Path(folder) / "kernels.so"
        source.write_text(kernel_source(sources))
        command = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-w", "-x", "c++", *defines]
        command += [f'-DSOURCE="{source}"', str(HEADER), "-o", str(made)]
        finished(command)
        return ctypes.CDLL(str(made))
