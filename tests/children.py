"""Running another process: it ends as it should, or the test fails with what the process wrote."""

import signal
import subprocess
import time
from collections.abc import Callable, Container, Sequence
from typing import Any

Child = subprocess.Popen[Any]
Finished = subprocess.CompletedProcess[str]
PIPE = subprocess.PIPE
BUG = 1  # the exit status of a program that ends in a traceback
PATIENCE = 600  # seconds that anything may take on a busy machine; none is slept through


def finished(
    command: Sequence[object], status: int = 0, traced: bool = False, **options: Any
) -> Finished:
    """Run a command to its end, with options of `subprocess.run`; return what it wrote.

    A traceback is for bugs, unless it is asked for.
    """
    given = _piped(options) | {"timeout": PATIENCE}
    try:
        done = subprocess.run(_words(command), check=False, **given)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{late}\n{_failure(None, late.stdout, late.stderr)}") from None
    _check(done.returncode, (status,), done.stdout, done.stderr, traced)
    return done


def output_of(command: Sequence[object], **options: Any) -> str:
    """Run a command that must succeed; return its standard output."""
    return str(finished(command, **options).stdout)


def started(command: Sequence[object], **options: Any) -> Child:
    """Start a process, with options of `subprocess.Popen`; `ended` or `killed` comes last."""
    return subprocess.Popen(_words(command), **_piped(options))


def ended(
    process: Child, status: int | Container[int] = 0, typed: str | None = None
) -> tuple[Any, Any]:
    """Wait for the end of a process; return what is left of its two streams."""
    try:
        out, err = process.communicate(typed, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{late}\n{_failure(None, out, err)}") from None
    known = (status,) if isinstance(status, int) else status
    _check(process.returncode, known, out, err)
    return out, err


def killed(process: Child) -> None:
    """Kill a process, which must still have been there."""
    process.kill()
    ended(process, -signal.SIGKILL)


def first_line(process: Child) -> str:
    """Return the first line that a process prints; one that ends without it fails the test."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        out, err = process.communicate(timeout=PATIENCE)
        raise AssertionError(f"it printed nothing\n{_failure(process.returncode, out, err)}")
    return str(line)


def wait_until(met: Callable[[], bool], process: Child | None = None) -> None:
    """Wait for a condition, which a process brings about unless it ends before."""
    end = time.monotonic() + PATIENCE
    while not met():
        if process is not None and process.poll() is not None and not met():
            out, err = process.communicate(timeout=PATIENCE)
            raise AssertionError(_failure(process.returncode, out, err))
        if time.monotonic() > end:
            if process is not None:
                killed(process)
            raise AssertionError("the condition never became true")
        time.sleep(0.01)


def _check(
    status: int, known: Container[int], out: object, err: object, traced: bool = False
) -> None:
    """Fail where a process ended otherwise, or wrote a traceback though no bug was expected."""
    assert status in known, _failure(status, out, err)
    expected = traced or status == BUG or "Traceback" not in str(err)
    assert expected, _failure(status, out, err)


def _words(command: Sequence[object]) -> list[str]:
    return [str(word) for word in command]


def _piped(options: dict[str, Any]) -> dict[str, Any]:
    """Options, with pipes of text for streams that are not named."""
    return {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options


def _failure(status: int | None, out: object, err: object) -> str:
    return f"exit status {status}\nstandard output: {out}\nstandard error: {err}"
