"""The `endspiel` command: which commands there are, each loaded when it is called."""

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import typer

from endspiel import __version__
from endspiel.cli.endings import DEBUG
from endspiel.cli.usage import Command, Commands
from endspiel.solvers.memory import check_start

# Every command by panel, with the first sentence of its help; a hyphen is an underscore in the
# module's name.
PANELS: Final[dict[str, dict[str, str]]] = {
    "Study": {
        "solve": "Solve a spot and show the strategy at a node.",
        "report": "Solve one tree on many boards: frequencies, EVs, equities and EQR.",
        "preflop": "Solve a heads-up tree before the flop and print the charts.",
        "pushfold": "Solve heads-up push or fold exactly.",
        "review": "List the EV that each played decision lost.",
        "serve": "Open the study page in the browser.",
        "library": "Solve spots on many flops and store every solution for the study page.",
        "upi": "Run scripts in PioSOLVER's protocol (UPI).",
        "mcp": "Serve tools for assistants (MCP) on standard input and output.",
    },
    "Play": {
        "play": "Play heads-up hold'em against the agent in the terminal.",
        "match": "Play agents against each other, with confidence intervals.",
        "tournament": "Play a match of each pair of agents, and rank the agents.",
        "agents": "List the agents: how each is named, and its options.",
        "acpc": "Connect to an ACPC dealer and play a match.",
        "dealer": "Deal a match by the ACPC protocol and print the score.",
        "benchmark": "Play 200-blind no-limit hold'em against a benchmark service.",
        "slumbot": "Play 200-blind no-limit hold'em against the server at an address.",
        "replay": "Check an ACPC log: replay each hand, recompute payoffs and score.",
    },
    "Measure": {
        "lbr": "Bound an agent's exploitability from below.",
        "exploit": "Measure a strategy file by best responses on real cards.",
        "bench": "Run one benchmark, or list the benchmarks.",
    },
    "Build": {
        "abstract": "Make a card abstraction with perfect recall.",
        "train": "Train a blueprint to a measured exploitability in its abstraction.",
        "train-values": "Train value nets on turns solved exactly.",
        "dataset": "Write solved spots as Parquet files with a datasheet.",
        "book": "Solve flops of limit hold'em to the end, for agents at the table.",
        "inspect": "Print the contents of a file and verify its checksum.",
    },
    "Research": {
        "game": "Solve a small game and print its value and strategy.",
        "reproduce": "Compute a paper's table or figure again and print both.",
        "demo": "Play the paper's Appendix B hand and solve its river exactly.",
    },
}
COMMANDS: Final = {name: text for panel in PANELS.values() for name, text in panel.items()}


class _Loading(Mapping[str, Any]):
    """The commands by name, of which each is loaded when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        function = name.replace("-", "_")
        command = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        command.command(name, cls=Command)(
            getattr(import_module(f"endspiel.cli.{function}"), function)
        )
        return typer.main.get_command(command)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Commands(Commands):
    """A group whose help loads none of its commands."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Loading()  # type: ignore[assignment]  # nothing is added to it

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for panel, commands in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl(list(commands.items()))


app = typer.Typer(
    name="endspiel",
    cls=_Commands,
    help="Solve imperfect-information endgames and play heads-up hold'em with them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, which needs a third of the time
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"endspiel {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(
        False, "--debug", help=f"Show the traceback of an error, as {DEBUG}=1 does."
    ),
) -> None:
    """Solve imperfect-information endgames and play heads-up hold'em with them."""
    if debug:
        os.environ[DEBUG] = "1"
    check_start()
