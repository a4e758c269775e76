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

# Every command with the first sentence of its help; a hyphen is an underscore in the module's name.
COMMANDS: Final[dict[str, str]] = {
    "demo": "Play the paper's Appendix B hand with the shipped blueprint and solve its river "
    "exactly.",
    "solve": "Solve a spot and show the strategy at a node.",
    "report": "Solve one tree on many boards: frequencies, EVs, equities and EQR by board and in "
    "the mean.",
    "game": "Solve a small game and print its value, exploitability and strategy.",
    "preflop": "Solve a tree before the flop, heads-up: limps, raises, calls and all-ins of every "
    "hand.",
    "pushfold": "Solve heads-up push or fold: which hands the small blind moves all-in, the big "
    "blind calls.",
    "abstract": "Make a card abstraction: potential-aware, perfect recall, children by integer "
    "program.",
    "train": "Train a blueprint; exploitability inside the abstraction is exact.",
    "train-values": "Solve random turns exactly, teach a net their values, and from it one of "
    "flops' ends.",
    "book": "Solve flops after all lines that lead there, for the table.",
    "inspect": "Tell what a strategy, abstraction, solution or checkpoint holds; its checksum is "
    "verified.",
    "exploit": "Best responses of both players to a strategy, within its betting, without card "
    "abstraction.",
    "play": "Play heads-up hold'em against the agent; type ? at the table for help.",
    "match": "Play agents against each other, deterministic under the seed on any number of cores.",
    "lbr": "Bound what an agent can lose from below, by a player who knows it and looks one step "
    "ahead.",
    "replay": "Replay an ACPC log: every state legal, every deal, payoff and score recomputed.",
    "acpc": "Connect to a dealer and play until the match ends.",
    "dealer": "Deal a match: prints the players' ports, waits for them, prints the score.",
    "slumbot": "Play no-limit hold'em, 200 blinds deep, against the server at an address.",
    "reproduce": "Compute a table or figure of a paper again and print both.",
    "bench": "Run the benchmarks; each prints ratios against something measured in the same run.",
    "serve": "Solve, look, lock and play in the browser.",
    "review": "Tell what each decision lost against the solved strategy.",
    "upi": "Answer scripts in PioSOLVER's protocol (UPI): one command a line, until exit.",
}


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
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


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
