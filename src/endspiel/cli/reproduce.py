"""`endspiel reproduce`: one table or figure of a paper, the paper's number beside ours."""

from pathlib import Path
from typing import Annotated, Any

import typer

from endspiel.bounds import (
    MILLI_BIG_BLINDS,
    MOST_BITS,
    MOST_ITERATIONS,
    MOST_POWER,
    MOST_SECONDS,
)
from endspiel.cli.completing import complete_experiment
from endspiel.cli.output import (
    JsonOption,
    WorkersOption,
    check_apart,
    quiet,
    resume_option,
    write_json,
)
from endspiel.cli.targets import target_option
from endspiel.jobs.job import files_of
from endspiel.reproduce.experiments import EXPERIMENTS, run_experiment, word_experiment


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help=f"{', '.join(EXPERIMENTS)}.", autocompletion=complete_experiment
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Draw the figures into this folder.")] = None,
    size: Annotated[str | None, typer.Option(help="small or large, for nlfh-table1.")] = None,
    ranks: Annotated[
        int | None,
        typer.Option(min=1, max=13, help="Ranks of a smaller deck, for nlfh and limit-holdem."),
    ] = None,
    resume: Annotated[Path | None, resume_option("Folder of a long run", "--state")] = None,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda, for nlfh and limit-holdem.")
    ] = None,
    buckets: Annotated[
        str | None, typer.Option(help="outlook or strength, for nlfh-table1.")
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="Iterations of each endgame, for nlfh; by default 400 (table1) or 100 (table2).",
        ),
    ] = None,
    base_iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="Iterations of the base strategy, for nlfh; by default 400 or 600.",
        ),
    ] = None,
    hands: Annotated[
        int | None, typer.Option(min=1, max=MOST_ITERATIONS, help="Hands a row, for arena.")
    ] = None,
    endgames: Annotated[
        int | None, typer.Option(min=1, max=MOST_ITERATIONS, help="Endgames a row, for arena.")
    ] = None,
    blueprint: Annotated[
        str | None, typer.Option(help="A strategy file, for arena; the shipped one by default.")
    ] = None,
    opponent: Annotated[
        list[str] | None, typer.Option(help="An agent to play, for arena; may be repeated.")
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="always-fold, endgame, played, post, tartanian5 or lbr, for arena; may be "
            "repeated, all by default."
        ),
    ] = None,
    technique: Annotated[
        list[str] | None,
        typer.Option(help="A technique of endgame solving, for arena; may be repeated."),
    ] = None,
    coarse: Annotated[
        str | None, typer.Option(help="A strategy file of 8-4-3-3, for arena's tartanian5.")
    ] = None,
    fine: Annotated[
        str | None, typer.Option(help="A strategy file of 12-25-6-6, for arena's tartanian5.")
    ] = None,
    target: Annotated[
        float | None,
        target_option(MILLI_BIG_BLINDS, "For limit-holdem: stop at this exploitability"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=MOST_SECONDS,
            help="Time limit of the iterations in seconds, for limit-holdem.",
        ),
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(
            min=-MOST_BITS, max=MOST_BITS, help="Bits of fixed-point regrets, for limit-holdem."
        ),
    ] = None,
    solution: Annotated[
        str | None,
        typer.Option(help="average, or current, which stores no average, for limit-holdem."),
    ] = None,
    weights: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=MOST_POWER,
            help="Power of t in the average, for limit-holdem; 1 by default.",
        ),
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="cfr+ or another scheme of regrets, for limit-holdem.")
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = None,
) -> None:
    """Compute a paper's table or figure again and print both."""
    check_apart({}, json, {"--blueprint": blueprint, **files_of(opponent or [])})
    given: dict[str, Any] = {"size": size, "ranks": ranks, "device": device, "buckets": buckets}
    given |= {"iterations": iterations, "base_iterations": base_iterations}
    given |= {"hands": hands, "endgames": endgames, "blueprint": blueprint}
    given |= {"coarse": coarse, "fine": fine, "workers": workers}
    given |= {"target": target, "seconds": seconds, "bits": bits, "solution": solution}
    given |= {"weights": weights, "method": method}
    repeated = {"opponents": opponent, "parts": part, "techniques": technique}
    given |= {name: tuple(values) for name, values in repeated.items() if values}
    result = run_experiment(name, out=out, state=resume, **given)
    write_json(json, result)
    if not quiet(json):
        typer.echo(word_experiment(name, result))
