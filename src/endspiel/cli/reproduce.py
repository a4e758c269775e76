"""`endspiel reproduce`: one table or figure of a paper, the paper's number beside ours."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.errors import EndspielError


@dataclass(frozen=True)
class Experiment:
    """A module of `endspiel.reproduce`: `run` returns a result, `report` words it."""

    module: str
    draws: bool = False  # whether `run` takes a folder for pictures


EXPERIMENTS = {
    "coin-toss": Experiment("coin_toss"),
    "reverse-mapping": Experiment("reverse_mapping", draws=True),
}


def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"{' or '.join(EXPERIMENTS)}.")],
    out: Annotated[Path | None, typer.Option(help="Draw the figures into this folder.")] = None,
    json: JsonOption = None,
) -> None:
    """Compute a table or figure of a paper again and print both."""
    result, text = run(name, out)
    write_json(json, result)
    if not quiet(json):
        typer.echo(text)


def run(name: str, out: Path | None = None) -> tuple[dict[str, Any], str]:
    """An experiment's result, and the same in words."""
    if name not in EXPERIMENTS:
        raise EndspielError(
            f"there is nothing named {name!r} to reproduce: there are {', '.join(EXPERIMENTS)}"
        )
    experiment = EXPERIMENTS[name]
    if out is not None and not experiment.draws:
        raise EndspielError(f"{name} has no figures to draw into {out}")
    module = import_module(f"endspiel.reproduce.{experiment.module}")
    result: dict[str, Any] = module.run(out) if experiment.draws else module.run()
    return result, module.report(result)
