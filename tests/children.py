"""Running another process: it ends as it should, or the test fails with what the process wrote."""

import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

PATIENCE = 600  # seconds that anything may take on a busy machine; none is slept through


def finished(
    command: Sequence[object], status: int = 0, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end, with options of `subprocess.run`; return what it wrote."""
    given = {"capture_output": True, "text": True, "timeout": PATIENCE} | options
    try:
        done = subprocess.run([str(word) for word in command], check=False, **given)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{late}\n{_failure(None, late.stdout, late.stderr)}") from None
    assert done.returncode == status, _failure(done.returncode, done.stdout, done.stderr)
    return done


def output_of(command: Sequence[object], **options: Any) -> str:
    """Run a command that must succeed; return its standard output."""
    return str(finished(command, **options).stdout)


def ended(
    process: "subprocess.Popen[str]", status: int = 0, typed: str | None = None
) -> tuple[str, str]:
    """Wait for the end of a process with pipes; return what is left of its two streams."""
    try:
        out, err = process.communicate(typed, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{late}\n{_failure(None, out, err)}") from None
    assert process.returncode == status, _failure(process.returncode, out, err)
    return out, err


def first_line(process: "subprocess.Popen[str]") -> str:
    """Return the first line that a process prints; one that ends without it fails the test."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        out, err = process.communicate(timeout=PATIENCE)
        raise AssertionError(f"it printed nothing\n{_failure(process.returncode, out, err)}")
    return line


def wait_until(met: Callable[[], bool], process: "subprocess.Popen[Any] | None" = None) -> None:
    """Wait for a condition, which a process brings about unless it ends before."""
    end = time.monotonic() + PATIENCE
    while not met():
        assert process is None or process.poll() is None or met(), f"status {process.returncode}"
        assert time.monotonic() < end, "the condition never became true"
        time.sleep(0.01)


def _failure(status: int | None, out: object, err: object) -> str:
    return f"exit status {status}\nstandard output: {out}\nstandard error: {err}"
