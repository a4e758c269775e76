"""Running the command in a process of its own, in surroundings that a test chooses."""

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.children import Finished, finished

MAIN = "import sys; from endspiel.cli import main; sys.argv[0] = 'endspiel'; main()"


def endspiel(
    *arguments: object,
    status: int = 0,
    limit: Callable[[], None] | None = None,
    folder: Path | None = None,
    **streams: Any,
) -> Finished:
    """The command, which ends as it should; the folder's modules can be imported."""
    path = os.environ | ({} if folder is None else {"PYTHONPATH": str(folder)})
    command = [sys.executable, "-c", MAIN, *arguments]
    return finished(command, status, preexec_fn=limit, env=path, **streams)


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
