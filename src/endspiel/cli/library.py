"""`endspiel library`: reports with all their solutions, for the study page."""

from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import MOST_THREADS, PERCENT
from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.cli.progress import Reporter
from endspiel.cli.serve import default_folder
from endspiel.cli.targets import target_option
from endspiel.errors import EndspielError, Stopped


def library(
    spots: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SPOT...]",
            help="Spot files; without any, single-raised and 3-bet pots at 100 big blinds.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="The study page's folder; by default the one of endspiel serve."),
    ] = None,
    flops: Annotated[
        str,
        typer.Option(metavar="25|49|95|184|all|FILE", help="The flops, as in endspiel report."),
    ] = "25",
    target: Annotated[
        float, target_option(PERCENT, "Solve each flop to this exploitability", "0.3%")
    ] = 0.3,
    threads: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads; by default all cores.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where flops are solved: cpu or cuda.")] = "cpu",
    memory: Annotated[
        str | None,
        typer.Option(help="Memory limit, as in 8GB; by default 80% of the free memory."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Solve spots on many flops and store every solution for the study page.

    The page then has a report of each spot, and each of its flops opens solved. The same command
    continues after Ctrl-C with the flops that are missing.
    """
    try:
        from endspiel.web.starter import LibraryMaker, LibraryPart, starter_spots
    except ImportError as error:
        raise EndspielError(
            f"the library needs {error.name}: pip install 'endspiel[web]'"
        ) from error
    from endspiel.batch.boards import report_flops
    from endspiel.batch.planning import SpotMethod
    from endspiel.engine.limits import Limits
    from endspiel.games.spot import load_spot
    from endspiel.processors import processors
    from endspiel.solvers.memory import format_bytes, parse_bytes
    from endspiel.solving.spots import SpotOptions

    options = SpotOptions(threads or processors(), None if memory is None else parse_bytes(memory))
    how = SpotMethod(None, options, Limits(target / 100))
    files = spots or starter_spots()
    loaded = [(path, load_spot(path)) for path in files]
    maker = LibraryMaker(folder or default_folder(), device)
    parts: list[LibraryPart] = []
    for path, spot in loaded:
        boards = report_flops(flops, spot)
        name = f"{path.stem} pot" if not spots else path.stem
        parts.append(maker.part(name, spot, boards, how))
    maker.check(parts)
    say = "" if quiet(json) else f"{sum(len(part.made.boards) for part in parts)} flops"
    if say:
        needed = sum(part.file_bytes for part in parts)
        typer.echo(f"{say}, about {format_bytes(needed)} in {maker.store.folder}")
    stopped: KeyboardInterrupt | None = None
    for part in parts:
        reporter = Reporter()
        try:
            with reporter.live():
                maker.make(part, reporter)
        except KeyboardInterrupt as interrupted:
            stopped = interrupted
            break
    solved = sum(len(part.made.rows) for part in parts)
    write_json(
        json,
        {
            "folder": str(maker.store.folder),
            "flops": sum(len(part.made.boards) for part in parts),
            "solved": solved,
            "failed": [failure for part in parts for failure in part.made.failures],
            "reports": [{"id": part.report, "name": part.name} for part in parts],
            "seconds": sum(part.made.batch.seconds for part in parts),
        },
    )
    if stopped is not None:
        raise Stopped(
            f"stopped: {solved} flops are stored; the same command goes on from there"
        ) from stopped
    for part in parts:
        for failure in part.made.failures:
            raise EndspielError(f"{part.name} on {failure['board']}: {failure['error']}")
    if not quiet(json):
        typer.echo(f"{solved} flops are stored: endspiel serve shows them under Library")
