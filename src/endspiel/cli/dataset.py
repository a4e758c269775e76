"""`endspiel dataset`: solved spots as Parquet files, for training and tests."""

from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED, PERCENT
from endspiel.cli.output import JsonOption, WorkersOption, quiet, resume_option, write_json
from endspiel.cli.targets import target_option
from endspiel.errors import EndspielError, Stopped


def dataset(
    kind: Annotated[
        str, typer.Argument(metavar="rivers|turns|flops", help="The street on which spots begin.")
    ],
    count: Annotated[int, typer.Option(min=1, max=MOST_ITERATIONS, help="Spots in all.")] = 1000,
    resume: Annotated[
        Path | None,
        resume_option("Folder of the files, by default one named as the kind"),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of boards, stacks and ranges.")
    ] = DEFAULT_SEED,
    target: Annotated[float, target_option(PERCENT, "Solve to this exploitability", "0.3%")] = 0.3,
    bet: Annotated[
        str, typer.Option(help="Bet sizes of every street (default 100%; rivers also 50%).")
    ] = "",
    raises: Annotated[
        str | None,
        typer.Option("--raise", help="Raise sizes (default 100%; flops none)."),
    ] = None,
    shard: Annotated[int, typer.Option(min=1, max=MOST_DRAWN, help="Spots of each file.")] = 1000,
    blueprint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Strategy file that plays half of the ranges' hands; by default the shipped one.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where spots are solved: cpu or cuda.")] = "cpu",
    workers: WorkersOption = None,
    json: JsonOption = None,
) -> None:
    """Write solved spots as Parquet files with a datasheet.

    Each spot has its board, stakes, both ranges, the EVs of all hands, the first decision's
    strategy and its exploitability. The seed decides every spot, on any number of workers. The
    folder continues after a stop, and with a larger --count.
    """
    try:
        from endspiel.values.dataset_files import make_dataset
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "pyarrow":
            raise
        raise EndspielError("datasets need pyarrow: pip install 'endspiel[data]'") from error
    from endspiel.cli.progress import Reporter
    from endspiel.solving.devices import check_device
    from endspiel.values.dataset import DatasetPlan

    check_device(device)
    plan = DatasetPlan(kind, count, seed, target / 100, shard, bet, raises, blueprint, device)
    folder = resume or Path(kind)
    try:
        with Reporter().live() as tell:
            sums = make_dataset(plan, folder, workers, tell)
    except KeyboardInterrupt as stopped:
        raise Stopped(f"stopped: whole files are in {folder}, which is gone on with") from stopped
    shares = [100 * one for one in sums.exploitability]
    told = {
        "kind": kind,
        "folder": str(folder),
        "spots": len(shares),
        "files": plan.shards,
        "ranges": sums.kinds,
        "exploitability_percent": {"mean": sum(shares) / len(shares), "largest": max(shares)},
    }
    write_json(json, told)
    if not quiet(json):
        typer.echo(
            f"{len(shares)} {kind} in {plan.shards} files in {folder}; exploitability "
            f"{sum(shares) / len(shares):.3g}% of the pot in the mean, {max(shares):.3g}% at most"
        )
