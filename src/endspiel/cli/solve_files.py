"""`endspiel solve A.toml B.toml ...`: many spots side by side, none of them twice."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from endspiel.cli.output import check_apart, quiet, write_json
from endspiel.cli.progress import Reporter
from endspiel.errors import EndspielError, FileError, Stopped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endspiel.batch.many import ManySpots, SpotResult
    from endspiel.batch.planning import SpotMethod
    from endspiel.batch.running import BatchSetting


def check_many(options: "Sequence[str]") -> None:
    """Refuse options that are of a single spot."""
    if options:
        verb = "is" if len(options) == 1 else "are"
        raise EndspielError(f"{', '.join(options)} {verb} of a single spot, not of a batch")


def solve_files(
    spots: list[str],
    how: "SpotMethod",
    setting: "BatchSetting",
    save: Path | None,
    json: str | None,
) -> None:
    """Solve the spots, tell how each ended, and end with status 2 if one of them failed."""
    from endspiel.batch.many import ManySpots, SolutionKeeper

    _check_files(spots, setting.state, save, json)
    many = ManySpots(spots, how, setting, SolutionKeeper(save, False, how.options.memory))
    reporter = Reporter()
    try:
        with reporter.live():
            many.run(reporter)
    except KeyboardInterrupt as stopped:
        raise Stopped(_kept(many)) from stopped
    results = many.results()
    failed = sum(bool(result.error) for result in results)
    write_json(
        json,
        {
            "results": [_entry(result) for result in results],
            "spots": len(results),
            "solved": len(results) - failed,
            "failed": failed,
            "resumed": sum(result.resumed for result in results),
            "iterations": sum(result.record.get("iterations", 0) for result in results),
            "seconds": many.batch.seconds,
            "workers": many.batch.plan.workers,
            "memory_bytes": many.batch.plan.memory_bytes,
        },
    )
    if not quiet(json):
        _show(results)
    if failed:
        solved = "the others are solved" if failed < len(results) else "none is solved"
        raise EndspielError(f"{failed} of {len(results)} spots failed; {solved}")


def _check_files(spots: list[str], state: Path | None, save: Path | None, json: str | None) -> None:
    """Refuse files that would take each other's place, and a folder that is none."""
    read = {f"the spot {path}": path for path in spots}
    check_apart({"--resume": state}, json, read)
    if save is not None and save.exists() and not save.is_dir():
        raise FileError(f"--save {save} is a file: of many spots it is a folder")
    if spots.count("-") > 1:
        raise EndspielError("standard input holds one spot: name - once")


def _kept(many: "ManySpots") -> str:
    """What Ctrl-C leaves."""
    done = sum(result.error == "" for result in many.results())
    state = many.batch.setting.state
    if state is None:
        return f"stopped: {done} of {len(many.spots)} spots were solved; --resume keeps them"
    return (
        f"stopped: {done} of {len(many.spots)} spots are solved and kept in {state}; the same "
        "command goes on from there"
    )


def _entry(result: "SpotResult") -> dict[str, Any]:
    """One spot's part of the JSON object."""
    about: dict[str, Any] = {"spot": result.name}
    if result.error:
        return {**about, "error": result.error}
    saved = {} if result.path is None else {"saved": str(result.path)}
    return {**about, **result.record, **saved, "resumed": result.resumed}


def _show(results: "list[SpotResult]") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("spot", "board")
    for name in ("exploitability", "pot expected", "iterations", "seconds"):
        table.add_column(name, justify="right")
    for result in results:
        record = result.record
        if result.error:
            table.add_row(result.name, result.error)
            continue
        table.add_row(
            result.name,
            record["board"],
            f"{100 * record['exploitability']:.3g}%",
            ", ".join(f"{chips:.2f}" for chips in record["evs"]),
            f"{record['iterations']}",
            f"{record['seconds']:.2f}",
        )
    Console().print(table)
    for result in results:
        for warning in result.record.get("warnings", ()):
            typer.echo(f"{result.name}: warning: {warning}", err=True)
