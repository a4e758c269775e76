"""The `endspiel` command: which commands there are."""

import os

import typer

from endspiel import __version__
from endspiel.cli.abstract import abstract
from endspiel.cli.acpc import acpc
from endspiel.cli.bench import bench
from endspiel.cli.book import book
from endspiel.cli.dealer import dealer
from endspiel.cli.demo import demo
from endspiel.cli.endings import DEBUG
from endspiel.cli.exploit import exploit
from endspiel.cli.game import game
from endspiel.cli.inspect import inspect
from endspiel.cli.lbr import lbr
from endspiel.cli.match import match
from endspiel.cli.play import play
from endspiel.cli.preflop import preflop
from endspiel.cli.replay import replay
from endspiel.cli.report import report
from endspiel.cli.reproduce import reproduce
from endspiel.cli.review import review
from endspiel.cli.serve import serve
from endspiel.cli.slumbot import slumbot
from endspiel.cli.solve import solve
from endspiel.cli.train import train
from endspiel.cli.train_values import train_values
from endspiel.cli.upi import upi
from endspiel.solvers.memory import check_start

app = typer.Typer(
    name="endspiel",
    help="Solve imperfect-information endgames and play heads-up hold'em with them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
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


for command in (
    demo,
    solve,
    report,
    game,
    preflop,
    abstract,
    train,
    train_values,
    book,
    inspect,
    exploit,
    play,
    match,
    lbr,
    replay,
    acpc,
    dealer,
    slumbot,
    reproduce,
    bench,
    serve,
    review,
    upi,
):
    app.command()(command)
