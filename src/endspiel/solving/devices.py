"""Where spots and whole hold'em are solved, by name: on the processors, or on a GPU."""

from typing import TYPE_CHECKING

from endspiel.errors import EndspielError

if TYPE_CHECKING:  # nothing of a GPU is loaded until one is asked for
    from endspiel.engine.limits import Limits
    from endspiel.solvers.boards.holdem import HoldemSolution, HoldemTask

CPU, CUDA = "cpu", "cuda"
DEVICES = (CPU, CUDA)


def check_device(device: str, here: bool = True) -> None:
    """Refuse a device that there is none of, or none here; nodes of a cluster have their own."""
    if device not in DEVICES:
        raise EndspielError(f"there is no device {device[:20]!r}: there are {', '.join(DEVICES)}")
    if device == CUDA and here:
        from endspiel.gpu.cuda.device import cuda_device

        cuda_device()  # says what is missing


def gpu_room(device: str) -> int | None:
    """Bytes that are free on the GPU where a device is one; else None."""
    check_device(device)
    if device == CPU:
        return None
    from endspiel.gpu.cuda.device import cuda_device

    return cuda_device().free_bytes()


def run_holdem_on(device: str, task: "HoldemTask", limits: "Limits") -> "HoldemSolution":
    """Solve whole hold'em on a device."""
    check_device(device)
    if device == CPU:
        return task.run(limits)
    from endspiel.gpu.cuda.device import cuda_device
    from endspiel.gpu.cuda.machine import cuda_machine
    from endspiel.gpu.holdem import run_holdem

    return run_holdem(task, limits, cuda_machine, cuda_device().free_bytes())
