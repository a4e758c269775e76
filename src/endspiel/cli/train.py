"""``endspiel train``: train a blueprint over an abstraction."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, check_writable, quiet, write_json
from endspiel.errors import EndspielError

if TYPE_CHECKING:
    from endspiel.blueprint.training import Training

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def train(
    abstraction: Annotated[
        Path, typer.Option(metavar="FILE", help="The card abstraction, from endspiel abstract.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The strategy file to write.")
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME-or-FILE", help="Which bets are looked at, without limits.")
    ] = "tartanian5",
    game: Annotated[
        str, typer.Option(help="nolimit-holdem, limit-holdem, or a game definition file.")
    ] = "nolimit-holdem",
    method: Annotated[str, typer.Option(help="dcfr, cfr+, pcfr+, linear, cfr or egt.")] = "dcfr",
    target: Annotated[
        float | None,
        typer.Option(help="Stop at this exploitability inside the abstraction, in big blinds."),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop after so long.")] = None,
    threads: Annotated[int | None, typer.Option(help="By default one for each processor.")] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write progress there, and go on from it when it exists."
        ),
    ] = None,
    checkpoint_every: Annotated[float, typer.Option(help="Seconds between two.")] = 120.0,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    json: JsonOption = None,
) -> None:
    """Train a blueprint; exploitability inside the abstraction is exact.

    Ctrl-C ends the training and keeps what it has found so far. A run with a checkpoint that was
    stopped, however roughly, goes on where it was if it is started again with the same options.
    """
    threads = (os.cpu_count() or 1) if threads is None else threads
    if threads < 1:
        raise EndspielError(f"{threads} threads; training takes 1 thread or more")
    _limit_blas(threads)
    from endspiel.abstraction.abstraction import load_abstraction
    from endspiel.betting.model import load_model
    from endspiel.blueprint.joint import count_joint, fingerprint
    from endspiel.blueprint.training import Effort, Setting, check_method
    from endspiel.blueprint.training import train as run_training
    from endspiel.cli.abstract import StageProgress
    from endspiel.cli.progress import Reporter
    from endspiel.rules.builtin import load_game

    check_method(method, device)
    if target is None and iterations is None and minutes is None:
        raise EndspielError("give a --target, a number of --iterations or --minutes to train")
    if out is not None:
        check_writable(out)
    rules, bets, cards = load_game(game), load_model(model), load_abstraction(abstraction)
    began = time.monotonic()
    with StageProgress().live() as progress:
        place = abstraction.with_name(abstraction.name + ".joint")
        joint = count_joint(cards, place, threads, progress)
    counted = time.monotonic() - began
    setting = Setting(rules, bets if rules.no_limit else None, joint, fingerprint(cards))
    reporter = Reporter(unit=" bb", scale=1 / rules.big_blind)
    seconds = None if minutes is None else 60 * minutes
    effort = Effort(
        target, iterations, seconds, threads, device, reporter, checkpoint, checkpoint_every
    )
    reporter.until = effort.until(rules.big_blind)
    with reporter.live():
        trained = run_training(setting, method, effort)
    result = trained.record() | {"threads": threads, "device": device, "joint_seconds": counted}
    if out is not None:
        from endspiel.blueprint.blueprint import save_blueprint

        save_blueprint(out, rules, setting.model, cards, trained.strategy, result)
        result |= {"file": str(out), "file_bytes": out.stat().st_size}
    _show(trained, result, json)


def _limit_blas(threads: int) -> None:
    """Let matrix products use so many threads; a library that is loaded has made up its mind."""
    if "numpy" not in sys.modules:
        for name in BLAS_THREADS:
            os.environ.setdefault(name, str(threads))


def _show(trained: "Training", result: dict[str, Any], json: str | None) -> None:
    from endspiel.cli.progress import peak_memory

    result["memory_bytes"] = peak_memory()
    write_json(json, result)
    if quiet(json):
        return
    buckets = " / ".join(f"{size:,}" for size in result["buckets"])
    typer.echo(
        f"{result['nodes']:,} betting nodes over {buckets} buckets: "
        f"{result['infosets']:,} infosets, {result['sequences']:,} sequences"
    )
    typer.echo(
        f"{trained.method}: exploitability {trained.exploitability:.5f} bb a hand inside the "
        f"abstraction, value {result['value']:.4f} bb, after {trained.iterations} iterations and "
        f"{trained.seconds:.0f} s ({trained.stopped}), {result['memory_bytes'] / 1e9:.1f} GB"
    )
    if "file" in result:
        typer.echo(f"wrote {result['file']}, {result['file_bytes']:,} bytes")
