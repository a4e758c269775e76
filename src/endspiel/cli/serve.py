"""`endspiel serve`: the study page, on this machine."""

import os
import socket
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from endspiel.cli.browser import show_page
from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.errors import EndspielError

DEFAULT_PORT = 8733
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def default_folder() -> Path:
    """Where solves are kept unless a folder is named: the user's data folder."""
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return home / "endspiel"


def serve(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")
    ] = DEFAULT_PORT,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on; any but loopback opens the page to other machines."
        ),
    ] = "127.0.0.1",
    folder: Annotated[
        Path | None, typer.Option(help="Folder for solves and hands; by default your data folder.")
    ] = None,
    memory: Annotated[str | None, typer.Option(help="Memory limit of a solve, as in 8GB.")] = None,
    strategy: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A strategy file to play against; may be repeated."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    json: JsonOption = None,
) -> None:
    """Open the study page in the browser.

    The JSON object, written at the start, has the `address` (with its token) and the `folder`.
    Ctrl-C or SIGTERM stops the server. A running solve is saved and can be resumed next time.
    """
    try:
        from endspiel.web.server import make_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise EndspielError(
            f"the study page needs {error.name}: pip install 'endspiel[web]'"
        ) from error
    from endspiel.solvers.memory import parse_bytes

    allowed = None if memory is None else parse_bytes(memory)
    kept = folder or default_folder()
    with _listener(host, port) as listener:
        server, address = make_server(
            kept, host, listener.getsockname()[1], allowed, strategy or ()
        )
        write_json(json, {"address": address, "folder": str(kept)})
        sys.stdout.flush()
        say = partial(typer.echo, err=quiet(json))
        with suppress(KeyboardInterrupt):  # raised again once the server has stopped
            say(f"The study page is at {address}")
            if host not in LOOPBACK:
                say(f"Whoever can reach {host} and knows this address can use it: keep it secret.")
            say("Ctrl-C stops it; what was solved is kept.")
            if browser:
                show_page(address)
            server.run([listener])
    say(f"Stopped; what was solved is in {kept}")


def _listener(host: str, port: int) -> socket.socket:
    """The socket to serve from, before anything is started; what comes early waits in its queue."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        reason = error.strerror or error
        raise EndspielError(f"cannot listen on {host}, port {port}: {reason}") from error
    return listener
