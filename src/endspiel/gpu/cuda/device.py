"""A device that runs the kernels: what the machine asks of it, and the GPU by CUDA's driver.

NVRTC compiles the kernels for the geometry at hand when they are first needed; what it made is kept
on disk.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files as package_files
from pathlib import Path
from threading import local
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import EndspielError

Pointer = int
Arguments = Sequence[NDArray[Any]]  # of a kernel: one entry each
SOURCES = ("words.cu", "decisions.cu", "columns.cu", "streams.cu")  # of op streams, in order
HINT = "install it by pip install 'endspiel[gpu]'"


class DeviceLimits(NamedTuple):
    """What a multiprocessor has, in bytes of shared memory and threads."""

    block_bytes: int  # most that one block may have
    bytes: int
    block_reserve: int  # taken by every block
    threads: int


class Module(Protocol):
    """Compiled kernels."""

    def launch(
        self, name: str, grid: tuple[int, int], block: int, shared: int, arguments: Arguments
    ) -> None:
        """Start a kernel; what is asked later comes after it."""

    def set_constant(self, name: str, data: NDArray[Any]) -> None:
        """Fill an array in constant memory."""


class Device(Protocol):
    """Memory and kernels."""

    limits: DeviceLimits

    def free_bytes(self) -> int:
        """Memory that is left."""

    def allocate(self, size: int) -> Pointer:
        """So many bytes, all zero."""

    def release(self, pointer: Pointer) -> None:
        """Give memory back."""

    def upload(self, to: Pointer, array: NDArray[Any]) -> None:
        """Copy an array to the device."""

    def download(self, array: NDArray[Any], source: Pointer) -> None:
        """Copy from the device into an array."""

    def compile(self, macros: Mapping[str, int], sources: Sequence[str] = SOURCES) -> Module:
        """The kernels of some files for these macros."""

    def synchronize(self) -> None:
        """Wait until all that was started in this thread is done."""


def kernel_source(sources: Sequence[str] = SOURCES) -> str:
    """The kernels' text."""
    folder = package_files("endspiel.gpu.cuda")
    return "\n".join(folder.joinpath(name).read_text() for name in sources)


@cache
def cuda_device() -> "CudaDevice":
    """The first GPU; an error says what is missing."""
    return CudaDevice()


class CudaDevice:
    """The first GPU of this machine."""

    def __init__(self) -> None:
        self._thread = local()
        try:
            self._driver: Any = import_module("cuda.bindings.driver")
            self.nvrtc: Any = import_module("cuda.bindings.nvrtc")
        except ImportError as error:
            raise EndspielError(f"a GPU needs the package cuda-bindings: {HINT}") from error
        driver = self._driver
        try:
            (status,) = driver.cuInit(0)
        except RuntimeError as error:  # there is no driver to load
            raise EndspielError("there is no GPU: CUDA's driver is not installed") from error
        if status != driver.CUresult.CUDA_SUCCESS:
            raise EndspielError(f"there is no GPU that CUDA can use: {status.name}")
        self.device = self._do(driver.cuDeviceGet(0))
        self.context = self._do(driver.cuDevicePrimaryCtxRetain(self.device))
        kinds = driver.CUdevice_attribute
        major = self._attribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        minor = self._attribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
        self.arch = f"sm_{major}{minor}"
        self.limits = DeviceLimits(
            self._attribute(kinds.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            self._attribute(kinds.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            self._attribute(kinds.CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
            self._attribute(kinds.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        )

    @property
    def driver(self) -> Any:
        """The driver's calls, for this thread; what each thread asks for is a queue of its own."""
        if not hasattr(self._thread, "stream"):
            driver = self._driver
            self._do(driver.cuCtxSetCurrent(self.context))
            self._thread.stream = driver.CUstream(driver.CU_STREAM_PER_THREAD)
        return self._driver

    @property
    def stream(self) -> Any:
        """This thread's queue."""
        self.driver  # noqa: B018
        return self._thread.stream

    def _attribute(self, kind: Any) -> int:
        return int(self._do(self.driver.cuDeviceGetAttribute(kind, self.device)))

    def _do(self, answer: tuple[Any, ...]) -> Any:
        """What a call of the driver answers; an error where it failed."""
        status, *values = answer
        if status != self._driver.CUresult.CUDA_SUCCESS:
            raise EndspielError(f"the GPU failed: {status.name}")
        return values[0] if values else None

    @property
    def name(self) -> str:
        """What the GPU is called."""
        text: bytes = self._do(self.driver.cuDeviceGetName(100, self.device))
        return text.split(b"\0")[0].decode()

    def free_bytes(self) -> int:
        """See `Device`."""
        status, free, _ = self.driver.cuMemGetInfo()
        self._do((status,))
        return int(free)

    def allocate(self, size: int) -> Pointer:
        """See `Device`."""
        pointer = self._do(self.driver.cuMemAlloc(max(size, 16)))
        self._do(self.driver.cuMemsetD8Async(pointer, 0, max(size, 16), self.stream))
        return int(pointer)

    def release(self, pointer: Pointer) -> None:
        """See `Device`."""
        self._do(self.driver.cuMemFree(pointer))

    def upload(self, to: Pointer, array: NDArray[Any]) -> None:
        """See `Device`."""
        data = np.ascontiguousarray(array)
        self._do(self.driver.cuMemcpyHtoDAsync(to, data.ctypes.data, data.nbytes, self.stream))
        self.synchronize()

    def download(self, array: NDArray[Any], source: Pointer) -> None:
        """See `Device`."""
        where = array.ctypes.data
        self._do(self.driver.cuMemcpyDtoHAsync(where, source, array.nbytes, self.stream))
        self.synchronize()

    def compile(self, macros: Mapping[str, int], sources: Sequence[str] = SOURCES) -> "CudaModule":
        """See `Device`."""
        return CudaModule(self, compiled(self.arch, tuple(sorted(macros.items())), tuple(sources)))

    def synchronize(self) -> None:
        """See `Device`."""
        self._do(self.driver.cuStreamSynchronize(self.stream))


class CudaModule:
    """Kernels that the driver has loaded."""

    def __init__(self, device: CudaDevice, code: bytes) -> None:
        self.device = device
        self.module = device._do(device.driver.cuModuleLoadData(code))
        self.functions: dict[str, Any] = {}

    def _function(self, name: str, shared: int) -> Any:
        if name not in self.functions:
            driver = self.device.driver
            function = self.device._do(driver.cuModuleGetFunction(self.module, name.encode()))
            kind = driver.CUfunction_attribute
            most = kind.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            carveout = kind.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
            if shared:
                self.device._do(driver.cuFuncSetAttribute(function, most, shared))
                self.device._do(driver.cuFuncSetAttribute(function, carveout, 100))
            self.functions[name] = function
        return self.functions[name]

    def launch(
        self, name: str, grid: tuple[int, int], block: int, shared: int, arguments: Arguments
    ) -> None:
        """See `Module`."""
        where = np.array([argument.ctypes.data for argument in arguments], dtype=np.uint64)
        function, driver = self._function(name, shared), self.device.driver
        threads, stream = (block, 1, 1), self.device.stream
        self.device._do(
            driver.cuLaunchKernel(
                function, *grid, 1, *threads, shared, stream, where.ctypes.data, 0
            )
        )

    def set_constant(self, name: str, data: NDArray[Any]) -> None:
        """See `Module`."""
        status, pointer, size = self.device.driver.cuModuleGetGlobal(self.module, name.encode())
        self.device._do((status,))
        if data.nbytes > size:
            raise EndspielError(f"{data.nbytes} bytes of {name} do not fit into {size}")
        self.device.upload(int(pointer), data)


@cache
def compiled(arch: str, macros: tuple[tuple[str, int], ...], sources: tuple[str, ...]) -> bytes:
    """The kernels as machine code of an architecture, kept on disk once made."""
    nvrtc: Any = import_module("cuda.bindings.nvrtc")
    source = kernel_source(sources)
    try:
        status, major, minor = nvrtc.nvrtcVersion()
    except RuntimeError as error:  # the library is missing
        raise EndspielError(f"a GPU needs the package nvidia-cuda-nvrtc: {HINT}") from error
    options = [f"--gpu-architecture={arch}", "--std=c++17", "-default-device"]
    options += [f"-D{name}={value}" for name, value in macros]
    key = hashlib.blake2b(digest_size=16)
    key.update("\0".join([source, *options, str(status), f"{major}.{minor}"]).encode())
    path = _user_folder() / f"cuda-{key.hexdigest()}.cubin"
    with suppress(OSError):
        return path.read_bytes()
    code = _compile(nvrtc, source, options)
    with suppress(OSError):  # where it cannot be kept, it is compiled again next time
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(code)
        part.replace(path)
    return code


def _user_folder() -> Path:
    """Where this user's programs keep what they can make again."""
    given = os.environ.get("XDG_CACHE_HOME")
    return Path(given) / "endspiel" if given else Path("~/.cache/endspiel").expanduser()


def _compile(nvrtc: Any, source: str, options: Sequence[str]) -> bytes:
    status, program = nvrtc.nvrtcCreateProgram(source.encode(), b"kernels.cu", 0, [], [])
    texts = [option.encode() for option in options]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(texts), texts)
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = b" " * size
        nvrtc.nvrtcGetProgramLog(program, log)
        raise EndspielError(f"the GPU's kernels do not compile: {log.decode()}")
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    code: bytes = b" " * size
    nvrtc.nvrtcGetCUBIN(program, code)
    nvrtc.nvrtcDestroyProgram(program)
    return code


def number(value: int) -> NDArray[Any]:
    """A kernel's argument: a 32-bit number."""
    return np.array([value], dtype=np.int32)


def pointer(value: Pointer) -> NDArray[Any]:
    """A kernel's argument: an address."""
    return np.array([value], dtype=np.uint64)
