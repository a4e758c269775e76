"""What every command shares: the ``--json`` option and where its object goes."""

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from endspiel.errors import FileError

JsonOption = Annotated[
    str | None,
    typer.Option("--json", metavar="OUT", help="Write one JSON object to OUT (- for stdout)."),
]


def write_json(out: str | None, result: dict[str, Any]) -> None:
    """Write the result as one JSON object, where ``--json`` asked for it."""
    if out is None:
        return
    text = msgspec.json.format(msgspec.json.encode(result), indent=2).decode()
    if out == "-":
        sys.stdout.write(text + "\n")
        return
    try:
        Path(out).write_text(text + "\n")
    except OSError as error:
        raise FileError(f"cannot write {out}: {error.strerror or error}") from error


def quiet(out: str | None) -> bool:
    """Whether standard output is taken by the JSON object, so that text for people must wait."""
    return out == "-"
