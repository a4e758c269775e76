"""What every command shares: the ``--json`` option and where its object goes."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from endspiel.bounds import MOST_ITERATIONS, MOST_POWER
from endspiel.errors import FileError
from endspiel.interrupts import held_back

Files = Mapping[str, str | Path | None]  # a command's files by the option that names them


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


SolutionOption = Annotated[
    str, typer.Option(help="CFR: average, or current, which stores no average.")
]
DelayOption = Annotated[
    int,
    typer.Option(min=0, max=MOST_ITERATIONS, help="CFR: iterations that the average leaves out."),
]
WeightsOption = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=MOST_POWER,
        help="CFR: iteration t has the weight t to this power in the average.",
    ),
]


def known_workers(given: str | None) -> str | None:
    """Workers as given, refused before the work if there are none such."""
    if given is not None:
        from endspiel.executor.choice import parse_workers

        parse_workers(given)
    return given


WorkersOption = Annotated[
    str | None,
    typer.Option(
        "--workers",
        metavar="N|ray|auto|ray://HOST:PORT",
        help="Processes, by default one a core; or Ray: started here, this machine's, or another.",
        callback=known_workers,
    ),
]

StorageOption = Annotated[
    int | None,
    typer.Option(
        min=16,
        max=32,
        metavar="16|32",
        help="Bits of a regret and an average on the board kernels; by default 32, or 16 where 32 "
        "do not fit into memory.",
    ),
]


def resume_option(what: str, *old: str, metavar: str = "PATH") -> Any:
    """Return the option by which a command continues; `old` are its former spellings."""
    return typer.Option(
        "--resume",
        *old,
        metavar=metavar,
        help=f"{what}; continue from it when it exists.",
    )


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


def check_apart(written: Files, json: str | None, read: Files | None = None) -> None:
    """Refuse files that a command writes, by option, of which one would take another's place.

    Nor may one take the place of a file that is read. What is no file, and could not be lost (the
    name of a game, a device), is left alone.
    """
    seen = {_identity(path): name for name, path in _files(read or {})}
    for option, path in _files({**written, "--json": None if json == "-" else json}):
        other = seen.setdefault(_identity(path), option)
        if other != option:
            raise FileError(f"{other} and {option} are the same file, {path}")


def _files(named: Files) -> list[tuple[str, Path]]:
    """Those of the names that are given and may be files."""
    found = [(name, Path(path)) for name, path in named.items() if path is not None]
    return [(name, path) for name, path in found if path.is_file() or not path.exists()]


def _identity(path: Path) -> object:
    """What two names of a file have in common: links of both kinds are seen through."""
    try:
        found = path.stat()
    except ValueError:  # a name that no file can have, which the reading of it refuses
        return path
    except (OSError, RuntimeError):  # not there yet
        return Path(os.path.realpath(path))
    return (found.st_dev, found.st_ino)


@contextmanager
def saving(what: str) -> Iterator[None]:
    """Let something be saved before Ctrl-C ends the command; a second one ends it at once."""

    def tell() -> None:
        print(f"endspiel: {what} is being saved first; Ctrl-C again loses it", file=sys.stderr)

    with held_back(tell):
        yield


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
