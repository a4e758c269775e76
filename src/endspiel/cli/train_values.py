"""`endspiel train-values`: nets that value the end of a flop, from exact solves of turns."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.cli.progress import PLAIN_EVERY, time_text
from endspiel.errors import EndspielError, Stopped


def train_values(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Solved turns and nets; gone on with.")
    ],
    shards: Annotated[int, typer.Option(help="Files of solved turns to make.")] = 20,
    turns: Annotated[int, typer.Option(help="Turns in each.")] = 256,
    iterations: Annotated[int, typer.Option(help="Of discounted CFR on each turn.")] = 150,
    steps: Annotated[int, typer.Option(help="Of teaching, for each of the two nets.")] = 4000,
    batch: Annotated[int, typer.Option(help="Rows a step.")] = 512,
    width: Annotated[int, typer.Option(help="Of the nets' five hidden layers.")] = 512,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 1,
    blueprint: Annotated[
        str | None, typer.Option(metavar="FILE", help="Whose hands are played; the shipped one.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where turns are solved: cpu or cuda.")] = "cpu",
    workers: Annotated[
        str | None, typer.Option(help="Processes, ray, or a Ray address; default all processors.")
    ] = None,
    json: JsonOption = None,
) -> None:
    """Solve random turns exactly, teach a net their values, and from it one of flops' ends.

    Ranges come from a blueprint's own play, from the same disturbed, and from random draws. The
    report is on turns that the net has not seen. Whatever is finished in the folder is kept: the
    same command goes on after a stop.
    """
    from endspiel.gpu.cuda.machine import cuda_machine
    from endspiel.gpu.devices import CPU, check_device
    from endspiel.values.making import (
        FLOP_NET,
        TURN_NET,
        ValuesPlan,
        make_turns,
        report_errors,
        teach_flops,
        teach_turns,
    )
    from endspiel.values.shards import ShardPlan

    check_device(device)
    if iterations < 1:
        raise EndspielError(f"{iterations} iterations: it takes 1 or more")
    plan = ValuesPlan(
        folder, ShardPlan(seed, turns, iterations), shards, steps, batch, width, blueprint=blueprint
    )
    progress = _TeachingProgress(json)
    try:
        make_turns(plan, workers, None if device == CPU else cuda_machine, progress)
        net = teach_turns(plan, progress)
        errors = report_errors(plan, net)
        teach_flops(plan, net, progress)
    except KeyboardInterrupt as stopped:
        raise Stopped(f"stopped: what is done is in {folder}, and is gone on with") from stopped
    write_json(
        json,
        {
            "turn_net": str(folder / TURN_NET),
            "flop_net": str(folder / FLOP_NET),
            "turns": shards * turns,
            "errors": [error.record() for error in errors],
        },
    )
    if quiet(json):
        return
    typer.echo(f"{'turns not seen before':22} {'number':>7} {'huber':>8} {'off by':>8} {'of':>8}")
    for error in errors:
        typer.echo(
            f"{error.name:22} {error.turns:7} {error.huber:8.4f} {error.absolute:8.4f} "
            f"{error.nothing:8.4f}"
        )
    typer.echo("Means over hands, in pots; of: the mean size of a value.")


class _TeachingProgress:
    """A line on standard error now and then."""

    def __init__(self, json: str | None) -> None:
        self.silent, self.begun, self.said = quiet(json), time.monotonic(), 0.0

    def __call__(self, what: str, done: int, total: int, loss: float) -> None:
        now = time.monotonic()
        if self.silent or (now - self.said < PLAIN_EVERY and done < total):
            return
        self.said = now
        text = f"{what}: {done} of {total}, {time_text(now - self.begun)}"
        print(text if loss != loss else f"{text}, loss {loss:.4f}", file=sys.stderr, flush=True)
