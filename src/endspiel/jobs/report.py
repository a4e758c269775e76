"""One set of ranges and menus over many flops, turns or rivers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from endspiel.bounds import MOST_ITERATIONS, MOST_SECONDS, MOST_THREADS, MOST_UNITS, PERCENT
from endspiel.errors import EndspielError, Stopped
from endspiel.games.rakes import with_rake
from endspiel.jobs.job import ALONE, Context, Files, Job, Result, about

if TYPE_CHECKING:
    from endspiel.batch.boards import WeightedBoard
    from endspiel.batch.planning import SpotMethod
    from endspiel.batch.report import BoardReport
    from endspiel.games.spot import Spot

DEFAULT_TARGET: Final = 0.5  # percent of the pot
MOST_ROWS: Final = 60  # boards of a table on a terminal


class ReportJob(Job, frozen=True):
    """Solve one tree on many boards: frequencies, EVs, equities and EQR.

    EVs are in chips of the pot at the node; EQR is EV over equity times pot. The mean weights each
    board by the flops that it stands for. Ctrl-C ends the report with the finished boards.
    """

    uses: ClassVar = ("workers", "device", "memory")
    ledger: ClassVar = "File of finished boards"

    spot: Annotated[
        str,
        about(
            "A spot file; each board of the report replaces its board.",
            metavar="SPOT",
            argument=True,
            complete="spot",
        ),
    ]
    flops: (
        Annotated[
            str,
            about(
                "Flops: a representative set with weights, all 1,755, or a file with one flop a "
                "line, each with an optional weight.",
                metavar="25|49|95|184|all|FILE",
            ),
        ]
        | None
    ) = None
    turns: (
        Annotated[str, about("Instead: turns after the spot's flop.", metavar="all|CARDS")] | None
    ) = None
    rivers: (
        Annotated[str, about("Instead: rivers after flop and turn.", metavar="all|CARDS")] | None
    ) = None
    node: Annotated[
        str, about("The node reported, as in 'c' after a check; the first by default.")
    ] = ""
    method: Annotated[str, about("A method of endspiel solve.")] | None = None
    target: (
        Annotated[
            float, about("Solve each board to this exploitability", units=PERCENT, usual="0.5%")
        ]
        | None
    ) = None
    iterations: (
        Annotated[int, about("The most iterations on each board.", 0, MOST_ITERATIONS)] | None
    ) = None
    seconds: (
        Annotated[float, about("Time limit of each board, in seconds.", 0.0, MOST_SECONDS)] | None
    ) = None
    threads: Annotated[int, about("Threads a board.", 1, MOST_THREADS)] = 1
    storage: (
        Annotated[
            int,
            about(
                "Bits of a regret and an average; by default 32, or 16 where 32 do not fit into "
                "memory.",
                16,
                32,
                metavar="16|32",
            ),
        ]
        | None
    ) = None
    rake: Annotated[str, about("Rake of each pot, as in 5%; by default the spot's.")] | None = None
    rake_cap: Annotated[float, about("Rake cap, in chips.", 0.0, MOST_UNITS)] | None = None
    csv: Annotated[str, about("Write the table to a .csv file.", metavar="FILE")] | None = None
    html: (
        Annotated[str, about("Write a page that sorts and needs no other file.", metavar="FILE")]
        | None
    ) = None

    def read(self) -> Files:
        listed = self.flops if self.flops and not self.flops.isdecimal() else None
        return {"the spot": self.spot, "--flops": listed}

    def written(self) -> Files:
        return {"--csv": self.csv, "--html": self.html}

    def run(self, context: Context = ALONE) -> "ReportResult":
        from endspiel.batch.report import BoardReport
        from endspiel.batch.running import BatchSetting

        how = self._method(context.memory)
        spot = with_rake(self.spot, self.rake, self.rake_cap)
        setting = BatchSetting(context.workers, context.device, context.resume, context.halted)
        made = BoardReport(spot, self._boards(spot), how, setting, self.node)
        result, stopped = ReportResult(made), None
        try:
            made.run(context.observe)
        except KeyboardInterrupt as interrupted:
            stopped = interrupted
            result.broken = Stopped(result.kept())
        if stopped is None and made.failures:
            result.broken = EndspielError(result.failed())
        if made.rows:
            self._write(result)
        elif result.broken is not None:
            raise result.broken from stopped
        return result

    def _method(self, memory: int | None) -> "SpotMethod":
        """How each board is solved."""
        from endspiel.batch.planning import SpotMethod
        from endspiel.engine.limits import Limits
        from endspiel.solving.spots import SpotOptions

        limited = (self.target, self.iterations, self.seconds) != (None, None, None)
        target = self.target if limited else DEFAULT_TARGET
        share = None if target is None else target / 100
        ends = Limits(share, self.iterations, self.seconds)
        options = SpotOptions(self.threads, memory, storage=self.storage)
        return SpotMethod(self.method, options, ends)

    def _boards(self, spot: "Spot") -> "list[WeightedBoard]":
        """The boards asked for."""
        from endspiel.batch.boards import report_flops, report_runouts

        given = {"flop": self.flops, "turn": self.turns, "river": self.rivers}
        asked = [(kind, text) for kind, text in given.items() if text is not None]
        if len(asked) != 1:
            raise EndspielError(
                "a report is over --flops, --turns or --rivers: give one of the three"
            )
        ((kind, text),) = asked
        return report_flops(text, spot) if kind == "flop" else report_runouts(text, spot, kind)

    def _write(self, result: "ReportResult") -> None:
        """Write the files asked for."""
        from endspiel.batch.report_files import write_page, write_report_csv

        made = result.made
        if self.csv is not None:
            write_report_csv(Path(self.csv), made.rows, made.mean, result.kind)
        if self.html is not None:
            write_page(Path(self.html), made.rows, made.mean, result.title())


class ReportResult(Result):
    """A report, or as much of it as is done."""

    def __init__(self, made: "BoardReport") -> None:
        self.made, self.kind = made, made.kind.removesuffix("s")

    def kept(self) -> str:
        """What Ctrl-C leaves."""
        made, place = self.made, self.made.batch.setting.state
        done = f"stopped: {len(made.rows)} of {len(made.boards)} {made.kind} are in the report"
        if place is None:
            return f"{done}; --resume keeps them for the next"
        return f"{done} and kept in {place}; the same command goes on from there"

    def failed(self) -> str:
        """Which boards failed, and why the first did."""
        made, first = self.made, self.made.failures[0]
        return (
            f"{len(made.failures)} of {len(made.boards)} {made.kind} failed; the others are in the "
            f"report: {first['board']}: {first['error']}"
        )

    def title(self) -> dict[str, Any]:
        """What heads a page."""
        from endspiel.cards.range_format import format_range

        made = self.made
        first, second = (format_range(weights) for weights in made.spot.ranges)
        return {
            "first": self.kind,
            "title": f"{len(made.rows)} {made.kind}",
            "out of position": first,
            "in position": second,
            "pot and stacks": f"{made.spot.pot} and {made.spot.stack}",
            "node": made.node or "the first decision",
        }

    def record(self) -> dict[str, Any]:
        from endspiel.batch.report_files import report_record

        return report_record(self.made, self.kind)

    def show(self) -> None:
        if self.made.rows:
            _show(self.made, self.kind)


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
