"""`endspiel game`: solve a small game by name or from a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.errors import EndspielError

if TYPE_CHECKING:
    from endspiel.game import Game
    from endspiel.solvers.solution import Solution

SHOWN_INFOSETS = 40  # a longer strategy is exported, not printed


def game(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME-or-FILE",
            help=(
                "kuhn, leduc, coin-toss, rps, clairvoyance (options as kuhn:cards=4), "
                "a Gambit .efg file, or openspiel:liars_dice."
            ),
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help=("cfr, cfr+, linear, dcfr, pcfr+, egt, lp, undominated or quasi-perfect.")
        ),
    ] = "cfr+",
    target: Annotated[
        float | None,
        typer.Option(help="Stop at this exploitability (mean of both gains, game's units)."),
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=0, help="Stop after so many.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Stop after so long.")] = None,
    simultaneous: Annotated[bool, typer.Option(help="Update both players at once.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Write progress here, and go on from it when it exists.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Save the solution here.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the strategies to a .csv or .json file.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the convergence to this picture.")] = None,
    json: JsonOption = None,
) -> None:
    """Solve a small game and print its value, exploitability and strategy."""
    typer.echo("Endspiel: the first run on a machine compiles for some seconds.", err=True)
    from endspiel.cli.progress import Reporter
    from endspiel.games.registry import load_game
    from endspiel.solvers.solve import Effort, solve

    _check_outputs(save, export, plot, checkpoint)
    built = load_game(name)
    reporter = Reporter(target)
    effort = Effort(target, iterations, seconds, reporter, checkpoint)
    with reporter.live():
        solution = solve(built, method, effort, alternating=not simultaneous)
    if save is not None:
        solution.save(save)
    if export is not None:
        from endspiel.games.export import write_strategy

        write_strategy(built, solution.profile, export)
    if plot is not None:
        from endspiel.cli.plot import plot_convergence

        plot_convergence([solution], plot)
    write_json(json, _result(built, solution))
    if not quiet(json):
        _show(built, solution)


def _check_outputs(*paths: Path | None) -> None:
    """Refuse a file that could not be written before the work, not after it."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise EndspielError(f"cannot write {path}: there is no folder {path.absolute().parent}")


def _result(built: "Game", solution: "Solution") -> dict[str, Any]:
    return {
        "game": solution.game,
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "exploitability": solution.exploitability,
        "value": solution.value,
        "threads": 1,
        "memory_bytes": sum(8 * 5 * plex.num_sequences for plex in built.plexes),
        "nodes": sum(plex.num_sequences for plex in built.plexes),
        "infosets": built.num_infosets,
        "stopped": solution.stopped,
        "warnings": list(solution.warnings),
    }


def _show(built: "Game", solution: "Solution") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    facts = Table(show_header=False)
    facts.add_row("game", f"{solution.game}, {built.num_infosets} infosets")
    facts.add_row("method", f"{solution.method}, {solution.iterations} iterations")
    facts.add_row("value for player 0", f"{solution.value:.10g}")
    facts.add_row("exploitability", f"{solution.exploitability:.4g} (mean of both gains)")
    if built.unit is not None:
        milli = 1000 * solution.exploitability / built.unit
        facts.add_row("", f"{milli:.4g} milli big blinds a game")
    facts.add_row("time", f"{solution.seconds:.3f} s, ended by {solution.stopped}")
    console.print(facts)
    for warning in solution.warnings:
        console.print(f"warning: {warning}", style="yellow")
    if built.labels is None or built.num_infosets > SHOWN_INFOSETS:
        return
    table = Table("player", "infoset", "strategy")
    for player, labels in enumerate(built.labels):
        lines: dict[str, list[str]] = {}
        for infoset, action, sequence in labels.walk(built.plexes[player]):
            share = solution.profile.behavior[player][sequence]
            lines.setdefault(infoset, []).append(f"{action} {share:.3f}")
        for infoset, parts in lines.items():
            table.add_row(str(player), infoset or "(start)", "  ".join(parts))
    console.print(table)
