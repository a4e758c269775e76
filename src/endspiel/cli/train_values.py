"""`endspiel train-values`: nets that value the end of a flop, from exact solves of turns."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED
from endspiel.cli.output import JsonOption, WorkersOption, quiet, resume_option, write_json
from endspiel.cli.progress import Reporter
from endspiel.errors import EndspielError, Stopped
from endspiel.progress import unobserved


def train_values(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Folder of solved turns and nets, as --resume."),
    ] = None,
    shards: Annotated[
        int, typer.Option(min=2, max=MOST_DRAWN, help="Files of solved turns to make.")
    ] = 20,
    turns: Annotated[int, typer.Option(min=1, max=MOST_DRAWN, help="Turns in each file.")] = 256,
    iterations: Annotated[
        int,
        typer.Option(min=1, max=MOST_ITERATIONS, help="Iterations of discounted CFR on each turn."),
    ] = 150,
    steps: Annotated[
        int,
        typer.Option(min=1, max=MOST_ITERATIONS, help="Training steps of each of the two nets."),
    ] = 4000,
    batch: Annotated[
        int, typer.Option(min=1, max=MOST_DRAWN, help="Rows of a training step.")
    ] = 512,
    width: Annotated[
        int, typer.Option(min=1, max=65_536, help="Width of the nets' five hidden layers.")
    ] = 512,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of all random choices.")
    ] = DEFAULT_SEED,
    blueprint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Strategy file that plays half of the ranges' hands; by default the shipped one.",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="Where turns are solved and nets trained: cpu or cuda.")
    ] = "cpu",
    workers: WorkersOption = None,
    resume: Annotated[Path | None, resume_option("Folder of solved turns and nets")] = None,
    json: JsonOption = None,
) -> None:
    """Train value nets on turns solved exactly.

    Ranges come from a blueprint's own play, from the same disturbed, and from random draws. The
    report is on turns that the net has not seen. Finished files in the folder are reused, so the
    same command continues after a stop.
    """
    from endspiel.solving.devices import check_device
    from endspiel.values.making import (
        ValuesPlan,
        make_flops,
        make_turns,
        report_distilled,
        report_errors,
        teach_flops,
        teach_turns,
        teaching_arrays,
    )
    from endspiel.values.nets import FLOP_NET, TURN_NET
    from endspiel.values.shards import ShardPlan

    folder = resume if folder is None else folder
    if folder is None:
        raise EndspielError("nets need a folder: name one, as in endspiel train-values nets")
    check_device(device)
    teaching_arrays(device)  # says what is missing
    plan = ValuesPlan(
        folder,
        ShardPlan(seed, turns, iterations),
        shards,
        steps,
        batch,
        width,
        blueprint=blueprint,
        device=device,
    )
    try:
        with nullcontext(unobserved) if quiet(json) else Reporter().live() as tell:
            make_turns(plan, workers, tell)
            errors = report_errors(plan, teach_turns(plan, workers, tell))
            make_flops(plan, workers, tell)
            distilled = report_distilled(plan, teach_flops(plan, tell))
    except KeyboardInterrupt as stopped:
        raise Stopped(f"stopped: what is done is in {folder}, and is gone on with") from stopped
    write_json(
        json,
        {
            "turn_net": str(folder / TURN_NET),
            "flop_net": str(folder / FLOP_NET),
            "turns": shards * turns,
            "distilled": distilled,
            "errors": [error.record() for error in errors],
        },
    )
    if quiet(json):
        return
    columns = ("huber", "off by", "of", "coarse", "in play")
    typer.echo(
        f"{'turns not seen before':22} {'number':>7} " + " ".join(f"{c:>8}" for c in columns)
    )
    for name, number, *numbers in errors:
        typer.echo(f"{name:22} {number:7} " + " ".join(f"{one:8.4f}" for one in numbers))
    typer.echo(
        "Means over hands, in pots; of: the mean size of a value; coarse: off by buckets alone; "
        "in play: hands as often as they meet."
    )
    typer.echo(f"The flop's net is {distilled:.4f} off the turn's over all turn cards.")
