"""Running the command in a process of its own, in surroundings that a test chooses."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.children import PATIENCE

MAIN = "import sys; from endspiel.cli import main; sys.argv[0] = 'endspiel'; main()"


def endspiel(
    *arguments: object,
    limit: Callable[[], None] | None = None,
    folder: Path | None = None,
    **streams: Any,
) -> subprocess.CompletedProcess[str]:
    """The command with its exit status and output; the folder's modules can be imported."""
    path = os.environ | ({} if folder is None else {"PYTHONPATH": str(folder)})
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    return subprocess.run(
        command, check=False, text=True, preexec_fn=limit, env=path, timeout=PATIENCE, **given
    )


def address_space(size: int) -> Callable[[], None]:
    """A limit to set in a process: bytes of address space."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def file_size(size: int) -> Callable[[], None]:
    """A limit to set in a process: bytes of any file, as a disk that fills up."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def only_sentence(text: str) -> str:
    """The one line that a command ends with; no traceback is before it."""
    assert "Traceback" not in text, text
    told = [line for line in text.splitlines() if line.startswith("endspiel: ")]
    assert len(told) == 1, text
    return told[0]
