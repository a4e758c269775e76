"""`endspiel mcp`: tools for assistants, over the Model Context Protocol."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import MOST_SECONDS, MOST_THREADS
from endspiel.errors import EndspielError, FileError


def mcp(
    memory: Annotated[
        str | None,
        typer.Option(
            help="Memory of a solve and the solutions held, as in 8GB; by default 80% of what is "
            "free."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=1.0,
            max=MOST_SECONDS,
            help="Time limit of a job; it then answers with what it has.",
        ),
    ] = 300.0,
    threads: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads; by default all cores.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for solutions, read again later. Without it no file is written."),
    ] = None,
    trust_agents: Annotated[
        bool,
        typer.Option(
            "--trust-agents",
            help="Let the tool lbr measure any agent, MODULE:CLASS and programs too. They run code "
            "of this machine.",
        ),
    ] = False,
) -> None:
    """Serve tools for assistants (MCP) on standard input and output.

    Tools solve spots, explain nodes, lock and solve again, compare, make reports, solve trees
    before the flop, review hands and measure agents. Every answer states its exploitability and the
    game it was measured in. docs/assistants.md shows how to set assistants up.
    """
    try:
        from endspiel.mcp.server import run_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise EndspielError(
            f"the server needs {error.name}: pip install 'endspiel[mcp]'"
        ) from error
    from endspiel.mcp.tools import ToolLimits
    from endspiel.solvers.memory import parse_bytes

    if folder is not None and not folder.is_dir():
        raise FileError(f"--folder {folder} is no folder")
    allowed = None if memory is None else parse_bytes(memory)
    if sys.stdin.isatty():
        typer.echo("Assistants start this command and talk to it; Ctrl-C ends it.", err=True)
    run_server(ToolLimits(allowed, seconds, threads or 0, folder, trust_agents))
