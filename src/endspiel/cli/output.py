"""What every command shares: the ``--json`` option and where its object goes."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from endspiel.errors import FileError


def _checked(out: str | None) -> str | None:
    """Where the object is to go, refused before the work if it cannot."""
    if out is not None and out != "-":
        check_writable(Path(out))
    return out


JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="OUT",
        help="Write one JSON object to OUT (- for stdout).",
        callback=_checked,
    ),
]


def write_json(out: str | None, result: dict[str, Any]) -> None:
    """Write the result as one JSON object, where ``--json`` asked for it."""
    if out is None:
        return
    text = msgspec.json.format(msgspec.json.encode(result), indent=2).decode()
    if out == "-":
        _print(text)
        return
    try:
        Path(out).write_text(text + "\n")
    except OSError as error:
        raise FileError(f"cannot write {out}: {error.strerror or error}") from error


def _print(text: str) -> None:
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"cannot write to standard output: {error.strerror or error}") from error


def check_apart(files: dict[str, Path], json: str | None) -> None:
    """Refuse files of a command, by option, of which one would take another's place."""
    named = files | ({} if json in (None, "-") else {"--json": Path(str(json))})
    seen: dict[Path, str] = {}
    for option, path in named.items():
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            raise FileError(f"{other} and {option} are the same file, {path}")


def quiet(out: str | None) -> bool:
    """Whether standard output is taken by the JSON object, so that text for people must wait."""
    return out == "-"


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written before the work, not after it."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {folder}")
    if path.is_dir():
        raise FileError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise FileError(f"cannot write {path}: permission denied")
