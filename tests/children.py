"""Running another process: it ends as it should, or the test fails with what the process wrote."""

import subprocess
from collections.abc import Sequence
from typing import Any

PATIENCE = 600  # seconds that a child may take on a busy machine; none is slept through


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


def _failure(status: int | None, out: object, err: object) -> str:
    return f"exit status {status}\nstandard output: {out}\nstandard error: {err}"
