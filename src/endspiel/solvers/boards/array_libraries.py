"""NumPy and torch behind one small interface, for solvers that run on either.

torch understands most of what NumPy does (`axis=`, `keepdims=`, `swapaxes`, `reshape`, `clip`, `@`,
slices that are assigned to). This is the rest: what makes arrays, and what the two call or do
differently. Arrays have 32-bit floats unless they say otherwise.
"""

import gc
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats
from endspiel.solvers.memory import available_memory, format_bytes

Tensor = Any  # of NumPy or torch, which is an optional extra, and not there to be checked against
Shape = Sequence[int]


class Arrays(Protocol):
    """What a solver needs of a library of arrays beyond what all have in common."""

    device: Any  # where arrays are, as error messages name it
    narrow: Any  # type of floats for whole numbers near zero
    graphics: bool  # whether that is a graphics processor, for which there are kernels

    def free_memory(self) -> int | None:
        """Bytes left for new arrays; None where nobody knows."""

    def put(self, array: Any) -> Tensor:
        """An array of NumPy on the device; not copied where it is there already."""

    def numpy(self, array: Tensor) -> Any:
        """An array of NumPy from one on the device; not copied where it is one already."""

    def zeros(self, shape: Shape) -> Tensor: ...

    def empty(self, shape: Shape, dtype: Any = None) -> Tensor: ...

    def widen(self, array: Tensor) -> Tensor:
        """An array's numbers as 32-bit floats."""

    def stack(self, arrays: list[Tensor]) -> Tensor: ...

    def where(self, condition: Tensor, then: Any, otherwise: Any) -> Tensor: ...

    def maximum(self, one: Tensor, other: Tensor) -> Tensor: ...

    def multiply(self, one: Tensor, other: Tensor, out: Tensor) -> None: ...

    def largest(self, array: Tensor, axis: int, keepdims: bool = False) -> Tensor:
        """The largest numbers along an axis."""

    def add_rows(self, to: Tensor, rows: Tensor, news: Tensor) -> None:
        """Add news [n, ...] to the rows [n] of an array, each as often as it is named."""

    def pool(self, values: Tensor, bucket: Tensor, count: int) -> Tensor:
        """Sums [n, count] of values [n, m] that are in the same bucket [m]."""

    def look_up(self, values: Tensor, place: Tensor) -> Tensor:
        """Values [n, B, K] at the places [B, H] of each board: [n, B, H], zero at place K."""

    def weighed(self, values: Tensor, weight: Tensor) -> Floats:
        """Sums [n, H] of values [n, B, H] by weight [B], in 64-bit floats and in NumPy."""


class NumpyArrays:
    """Arrays of NumPy: a processor, and nothing else to install."""

    device, narrow, graphics = "cpu", np.float32, False

    def free_memory(self) -> int | None:
        return available_memory()

    def put(self, array: Any) -> Tensor:
        return np.asarray(array)

    def numpy(self, array: Tensor) -> Any:
        return array

    def zeros(self, shape: Shape) -> Tensor:
        return np.zeros(shape, dtype=np.float32)

    def empty(self, shape: Shape, dtype: Any = None) -> Tensor:
        return np.empty(shape, dtype=dtype or np.float32)

    def widen(self, array: Tensor) -> Tensor:
        return array.astype(np.float32, copy=False)

    def stack(self, arrays: list[Tensor]) -> Tensor:
        return np.stack(arrays)

    def where(self, condition: Tensor, then: Any, otherwise: Any) -> Tensor:
        return np.where(condition, _narrowed(then), _narrowed(otherwise))

    def maximum(self, one: Tensor, other: Tensor) -> Tensor:
        return np.maximum(one, other)

    def multiply(self, one: Tensor, other: Tensor, out: Tensor) -> None:
        np.multiply(one, other, out=out)

    def largest(self, array: Tensor, axis: int, keepdims: bool = False) -> Tensor:
        return array.max(axis=axis, keepdims=keepdims)

    def add_rows(self, to: Tensor, rows: Tensor, news: Tensor) -> None:
        for row, value in zip(rows, news, strict=True):
            to[row] += value

    def pool(self, values: Tensor, bucket: Tensor, count: int) -> Tensor:
        sums = [np.bincount(bucket, row, count) for row in values]
        return np.array(sums, dtype=np.float32)

    def look_up(self, values: Tensor, place: Tensor) -> Tensor:
        padded = np.pad(values, ((0, 0), (0, 0), (0, 1)))
        return np.take_along_axis(padded, place[None], axis=2)

    def weighed(self, values: Tensor, weight: Tensor) -> Floats:
        found: Floats = np.einsum("lbh,b->lh", values.astype(np.float64), weight.astype(np.float64))
        return found


def _narrowed(value: Any) -> Any:
    """A plain number in 32 bits, beside which no array becomes wider."""
    return value if isinstance(value, np.ndarray) else np.float32(value)


class TorchArrays:
    """Arrays on a torch device: a graphics processor, or a processor to try the same without."""

    def __init__(self, device: str) -> None:
        self.torch = load_torch()
        self.torch.backends.cuda.matmul.allow_tf32 = False
        self.device = named_device(device)
        self.graphics = self.device.type == "cuda"
        self.narrow = self.torch.bfloat16 if self.graphics else self.torch.float32

    def free_memory(self) -> int | None:
        if not self.graphics:
            return available_memory()
        gc.collect()  # solvers and their kernels hold each other
        cuda = self.torch.cuda
        free: int = cuda.mem_get_info(self.device)[0]
        unused: int = cuda.memory_reserved(self.device) - cuda.memory_allocated(self.device)
        return free + unused

    def put(self, array: Any) -> Tensor:
        return self.torch.as_tensor(array).to(self.device)

    def numpy(self, array: Tensor) -> Any:
        return array.cpu().numpy()

    def zeros(self, shape: Shape) -> Tensor:
        return self.torch.zeros(shape, device=self.device)

    def empty(self, shape: Shape, dtype: Any = None) -> Tensor:
        return self.torch.empty(shape, dtype=dtype, device=self.device)

    def widen(self, array: Tensor) -> Tensor:
        return array.float()

    def stack(self, arrays: list[Tensor]) -> Tensor:
        return self.torch.stack(arrays)

    def where(self, condition: Tensor, then: Any, otherwise: Any) -> Tensor:
        return self.torch.where(condition, then, otherwise)

    def maximum(self, one: Tensor, other: Tensor) -> Tensor:
        return self.torch.maximum(one, other)

    def multiply(self, one: Tensor, other: Tensor, out: Tensor) -> None:
        self.torch.mul(one, other, out=out)

    def largest(self, array: Tensor, axis: int, keepdims: bool = False) -> Tensor:
        return array.amax(dim=axis, keepdim=keepdims)

    def add_rows(self, to: Tensor, rows: Tensor, news: Tensor) -> None:
        to.index_add_(0, rows, news)

    def pool(self, values: Tensor, bucket: Tensor, count: int) -> Tensor:
        return self.zeros((len(values), count)).index_add_(1, bucket, values)

    def look_up(self, values: Tensor, place: Tensor) -> Tensor:
        padded = self.torch.nn.functional.pad(values, (0, 1))
        return self.torch.gather(padded, 2, place[None].expand(len(values), -1, -1))

    def weighed(self, values: Tensor, weight: Tensor) -> Floats:
        found = self.torch.einsum("lbh,b->lh", values.double(), weight.double())
        by_hand: Floats = found.cpu().numpy()
        return by_hand


def arrays_on(device: str) -> Arrays:
    """NumPy on the `cpu`; torch on `cuda`, `torch-cpu` and other devices it knows."""
    return NumpyArrays() if device == "cpu" else TorchArrays(device.removeprefix("torch-"))


def require_memory(on: Arrays, size: int) -> None:
    """Refuse to start on what needs so many bytes more than the device has left."""
    left = on.free_memory()
    if left is not None and size > left:
        need, have = format_bytes(size), format_bytes(left)
        raise GameError(f"this solve needs {need} on device {on.device}, which has {have}")


def load_torch() -> Any:
    """The torch module; an error says how to get it."""
    try:
        return import_module("torch")
    except ImportError as error:
        raise GameError("solving on a graphics processor needs torch: endspiel[torch]") from error


def named_device(name: str) -> Any:
    """The torch device of a name, where there is one."""
    torch = load_torch()
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise GameError(f"there is no torch device {name!r}") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise GameError(f"device {name!r}: torch finds no graphics processor here")
    return device
