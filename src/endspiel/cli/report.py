"""`endspiel report`: one set of ranges and menus over many flops, turns or rivers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import MOST_ITERATIONS, MOST_SECONDS, MOST_THREADS, MOST_UNITS
from endspiel.cli.batches import BatchReporter
from endspiel.cli.completing import complete_spot
from endspiel.cli.output import (
    JsonOption,
    StorageOption,
    WorkersOption,
    check_apart,
    check_writable,
    quiet,
    write_json,
)
from endspiel.cli.rakes import with_rake
from endspiel.cli.targets import PERCENT, target_option
from endspiel.errors import EndspielError, Stopped

if TYPE_CHECKING:
    from endspiel.batch.boards import WeightedBoard
    from endspiel.batch.planning import SpotMethod
    from endspiel.batch.report import BoardReport
    from endspiel.games.spot import Spot

DEFAULT_TARGET = 0.5  # percent of the pot
MOST_ROWS = 60  # boards of a table on a terminal


def report(
    spot: Annotated[
        str,
        typer.Argument(
            metavar="SPOT",
            help="A spot file; each board of the report replaces its board.",
            autocompletion=complete_spot,
        ),
    ],
    flops: Annotated[
        str | None,
        typer.Option(
            metavar="25|49|95|184|all|FILE",
            help="Flops: a representative set with weights, all 1,755, or a file with one flop a "
            "line, each with an optional weight.",
        ),
    ] = None,
    turns: Annotated[
        str | None,
        typer.Option(metavar="all|CARDS", help="Instead: turns after the spot's flop."),
    ] = None,
    rivers: Annotated[
        str | None,
        typer.Option(metavar="all|CARDS", help="Instead: rivers after the spot's flop and turn."),
    ] = None,
    node: Annotated[
        str, typer.Option(help="The node reported, as in 'c' after a check; the first by default.")
    ] = "",
    method: Annotated[str | None, typer.Option(help="A method of endspiel solve.")] = None,
    target: Annotated[
        float | None, target_option(PERCENT, "Solve each board to this exploitability", "0.5%")
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(min=0, max=MOST_ITERATIONS, help="The most iterations on each board."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.0, max=MOST_SECONDS, help="Time limit of each board, in seconds."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads a board.")] = 1,
    workers: WorkersOption = None,
    device: Annotated[str, typer.Option(help="Where boards are solved: cpu or cuda.")] = "cpu",
    rake: Annotated[
        str | None,
        typer.Option(help="Rake of each pot, as in 5%; by default the spot's."),
    ] = None,
    rake_cap: Annotated[
        float | None, typer.Option(min=0.0, max=MOST_UNITS, help="Rake cap, in chips.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Memory limit, as in 8GB; by default 80% of the free memory."),
    ] = None,
    storage: StorageOption = None,
    state: Annotated[
        Path | None,
        typer.Option(help="File of finished boards; continue from it when it exists."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table to a .csv file.")] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html", help="Write a page with a table that sorts; it needs no other file."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Solve one tree on many boards: frequencies, EVs, equities and EQR.

    EVs are in chips of the pot at the node; EQR is EV over equity times pot. The mean weights each
    board by the flops that it stands for. Ctrl-C ends the report with the finished boards.
    """
    from endspiel.batch.report import BoardReport
    from endspiel.batch.report_files import report_record
    from endspiel.batch.running import BatchSetting

    for path in (csv, page):
        if path is not None:
            check_writable(path)
    read = {"the spot": spot, "--flops": flops if flops and not flops.isdecimal() else None}
    check_apart({"--csv": csv, "--html": page, "--state": state}, json, read)
    limits = {"target": target, "iterations": iterations, "seconds": seconds}
    how = _method(method, limits, threads, memory, storage)
    given = with_rake(spot, rake, rake_cap)
    kind, boards = _boards(given, {"flop": flops, "turn": turns, "river": rivers})
    made = BoardReport(given, boards, how, BatchSetting(workers, device, state), node)
    reporter = BatchReporter(f"{kind}s")
    stopped: KeyboardInterrupt | None = None
    try:
        with reporter.live():
            made.run(reporter)
    except KeyboardInterrupt as interrupted:
        stopped = interrupted
    if made.rows:
        _write(made, kind, csv, page)
        write_json(json, report_record(made, kind))
        if not quiet(json):
            _show(made, kind)
    if stopped is not None:
        raise Stopped(_kept(made, kind)) from stopped
    if made.failures:
        raise EndspielError(
            f"{len(made.failures)} of {len(made.boards)} {kind}s failed; the others are in the "
            f"report: {made.failures[0]['board']}: {made.failures[0]['error']}"
        )


def _method(
    method: str | None,
    limits: dict[str, Any],
    threads: int,
    memory: str | None,
    storage: int | None,
) -> "SpotMethod":
    """How each board is solved."""
    from endspiel.batch.planning import SpotMethod
    from endspiel.engine.limits import Limits
    from endspiel.solvers.memory import parse_bytes
    from endspiel.solving.spots import SpotOptions

    if all(limit is None for limit in limits.values()):
        limits["target"] = DEFAULT_TARGET
    share = None if limits["target"] is None else limits["target"] / 100
    most = None if memory is None else parse_bytes(memory)
    options = SpotOptions(threads, most, storage=storage)
    ends = Limits(share, limits["iterations"], limits["seconds"])
    return SpotMethod(method, options, ends)


def _boards(spot: "Spot", given: dict[str, str | None]) -> tuple[str, "list[WeightedBoard]"]:
    """The boards asked for, and their street."""
    from endspiel.batch.boards import report_flops, report_runouts

    asked = [(kind, text) for kind, text in given.items() if text is not None]
    if len(asked) != 1:
        raise EndspielError("a report is over --flops, --turns or --rivers: give one of the three")
    ((kind, text),) = asked
    if kind == "flop":
        return kind, report_flops(text, spot)
    return kind, report_runouts(text, spot, kind)


def _kept(made: "BoardReport", kind: str) -> str:
    """What Ctrl-C leaves."""
    state = made.batch.setting.state
    done = f"stopped: {len(made.rows)} of {len(made.boards)} {kind}s are in the report"
    if state is None:
        return f"{done}; --state keeps them for the next"
    return f"{done} and kept in {state}; the same command goes on from there"


def _write(made: "BoardReport", kind: str, csv: Path | None, page: Path | None) -> None:
    """Write the files asked for."""
    from endspiel.batch.report_files import write_page, write_report_csv
    from endspiel.cards.range_format import format_range

    if csv is not None:
        write_report_csv(csv, made.rows, made.mean, kind)
    if page is not None:
        first, second = (format_range(weights) for weights in made.spot.ranges)
        about = {
            "first": kind,
            "title": f"{len(made.rows)} {kind}s",
            "out of position": first,
            "in position": second,
            "pot and stacks": f"{made.spot.pot} and {made.spot.stack}",
            "node": made.node or "the first decision",
        }
        write_page(page, made.rows, made.mean, about)


def _show(made: "BoardReport", kind: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from endspiel.batch.report_files import flat_row

    mean = flat_row(made.mean, kind, 100.0)
    gap = mean.pop("exploitability")
    table = Table(show_footer=True, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column, (name, value) in enumerate(mean.items()):
        side = {"justify": "right"} if column else {"no_wrap": True}
        table.add_column(name, _text(value), **side)
    for row in made.rows[:MOST_ROWS]:
        flat = flat_row(row, kind, 100.0)
        table.add_row(*(_text(flat[name]) for name in mean))
    console = Console()
    console.print(table)
    if len(made.rows) > MOST_ROWS:
        more = len(made.rows) - MOST_ROWS
        console.print(f"and {more} {kind}s more: --csv, --html and --json have them all")
    console.print("frequencies, equities and EQR in percent, EVs in chips")
    console.print(f"exploitability {_text(gap)}% of the pot in the mean")


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
