"""`endspiel game`: solve a small game by name or from a file."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import (
    GAME_UNITS,
    MOST_BITS,
    MOST_ITERATIONS,
    MOST_SECONDS,
    MOST_THREADS,
)
from endspiel.cli.completing import complete_game
from endspiel.cli.output import (
    DelayOption,
    JsonOption,
    SolutionOption,
    WeightsOption,
    check_apart,
    check_writable,
    known_workers,
    quiet,
    resume_option,
    saving,
    write_json,
)
from endspiel.cli.targets import target_option, unit_of
from endspiel.errors import EndspielError, FileError

if TYPE_CHECKING:
    from endspiel.game import Game
    from endspiel.games.holdem import Holdem
    from endspiel.solvers.solution import Solution

TOLD_NONZEROS = 1_000_000  # of a linear program that takes a while
SHOWN_INFOSETS = 40  # a longer strategy is exported, not printed
STRATEGY_ENDINGS = (".json", ".csv")


def game(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME-or-FILE",
            autocompletion=complete_game,
            help=(
                "kuhn, leduc, rhode-island, coin-toss, rps, clairvoyance, choose-endgame, "
                "guess-the-ace, push-fold (parameters as kuhn:cards=4), limit-holdem:ranks=3 or "
                "nolimit-holdem:ranks=3,stack=5 from blinds to river, a Gambit .efg file, or "
                "openspiel:liars_dice."
            ),
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="cfr+, cfr, linear, dcfr, dcfr+, pcfr+, sapcfr+, egt, lp, undominated or "
            "quasi-perfect."
        ),
    ] = "cfr+",
    target: Annotated[
        float | None,
        target_option(GAME_UNITS, "Stop at this exploitability, the mean of both players' gains"),
    ] = None,
    histories: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="openspiel: games of more histories are refused; by default 10,000,000.",
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=0, max=MOST_ITERATIONS, help="The most iterations.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, max=MOST_SECONDS, help="Time limit, in seconds.")
    ] = None,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="CFR: update both players at once.")
    ] = False,
    solution: SolutionOption = "average",
    delay: DelayOption = 0,
    weights: WeightsOption = None,
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Whole hold'em: threads.")
    ] = 1,
    device: Annotated[str, typer.Option(help="Whole hold'em: cpu, or cuda for a GPU.")] = "cpu",
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="N|ray|auto|ray://HOST:PORT",
            help="Whole hold'em: give turns and rivers to N processes, or to Ray.",
            callback=known_workers,
        ),
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(
            min=-MOST_BITS,
            max=MOST_BITS,
            help="With --workers: bits of fixed-point regrets and averages, as 12.",
        ),
    ] = None,
    keep_every: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_ITERATIONS,
            help="With --workers: save the workers' state every N iterations, 1 by default; a "
            "worker that dies repeats at most these.",
        ),
    ] = None,
    secure_every: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_ITERATIONS,
            help="With --workers: return regrets from a cluster's nodes every N iterations, 20 "
            "by default; a lost node repeats at most these.",
        ),
    ] = None,
    resume: Annotated[
        Path | None, resume_option("File of progress, with --workers a folder", "--checkpoint")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Save the whole solution here.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the strategies to a .csv or .json file.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the convergence to this picture.")] = None,
    json: JsonOption = None,
) -> None:
    """Solve a small game and print its value and strategy.

    Ctrl-C ends the solve and keeps the best strategies so far. Without a limit, a solve ends at an
    exploitability of 0.0001 of the game's payoff range.
    """
    from endspiel import files
    from endspiel.cli.progress import Reporter
    from endspiel.engine.limits import Limits
    from endspiel.engine.schemes import Answer
    from endspiel.games.holdem import Holdem
    from endspiel.solvers.boards.trunk import Decomposition
    from endspiel.solvers.methods import EXACT, SMALL_GAME
    from endspiel.solvers.solve import limits_for
    from endspiel.solving.forecast import SolveWatch
    from endspiel.solving.spots import SpotOptions
    from endspiel.solving.task import Task

    SMALL_GAME.check(method)
    if method in EXACT and (target is not None or iterations is not None):
        typer.echo(f"{method} is exact: limits other than --seconds do not apply", err=True)
    outputs = Outputs(save, export, plot)
    outputs.check(method)
    if resume is not None:  # a folder of blocks where workers have parts
        (files.check_place if workers is None else files.check_folder)(resume)
    written = {"--save": save, "--export": export, "--plot": plot, "--resume": resume}
    check_apart(written, json, {"the game": name})
    built, answer = _load(name, histories), Answer(solution, delay, weights)
    if isinstance(built, Holdem):
        from endspiel.cli.game_holdem import WholeOptions, solve_whole

        limits = Limits(target, iterations, seconds, checkpoint=resume, keep_on_interrupt=True)
        outputs.refuse_for_holdem()
        parts = None if workers is None else Decomposition(workers, bits)
        if parts is not None and bits is not None and resume is not None:
            files.make_folder(resume)
            parts = parts._replace(folder=resume)
        if parts is None and (bits, keep_every, secure_every) != (None, None, None):
            raise EndspielError(
                "--bits, --keep-every and --secure-every are of parts: give --workers too"
            )
        if parts is not None and keep_every is not None:
            parts = parts._replace(keep_every=keep_every)
        if parts is not None and secure_every is not None:
            parts = parts._replace(secure_every=secure_every)
        solve_whole(built, method, limits, WholeOptions(answer, threads, parts, device), json)
        return
    if unit := unit_of(target):
        raise EndspielError(
            f"{name} pays in units of its own: --target takes a bare number, not one in {unit}"
        )
    if method in EXACT:
        _tell_program(built)
    reporter = Reporter()
    watch = SolveWatch(reporter)
    limits = Limits(target, iterations, seconds, watch, resume, keep_on_interrupt=True)
    watch.limits = limits_for(built, limits)
    parts = None if workers is None else Decomposition(workers, bits)
    options = SpotOptions(threads)
    task = Task(built, method, limits, options, device, not simultaneous, answer, parts)
    task.checked()
    with reporter.live(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the solution carries its warnings, shown below
        found = task.solve()
    outputs.write(built, found)
    write_json(json, _result(built, found))
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if not quiet(json):
        _show(built, found)


def _load(name: str, histories: int | None) -> "Game | Holdem":
    """Load a game, with the progress of a walk that takes long."""
    from endspiel.cli.progress import Reporter
    from endspiel.games.registry import OPENSPIEL, load_game

    if not name.startswith(OPENSPIEL):
        return load_game(name, None, histories)
    with Reporter(terse=True).live() as reporter:
        return load_game(name, reporter, histories)


def _tell_program(built: "Game") -> None:
    """Tell how large a linear program is, where that means a wait; one too large is refused."""
    from endspiel.solvers.lp.task import check_size

    size = check_size(built)
    if size.nonzeros > TOLD_NONZEROS:
        typer.echo(
            f"endspiel: the linear program has {size.rows:,} rows, {size.columns:,} columns and "
            f"{size.nonzeros:,} entries",
            err=True,
        )


@dataclass(frozen=True)
class Outputs:
    """Files that a solve is asked for, checked before the work rather than after it."""

    save: Path | None
    export: Path | None
    plot: Path | None

    def check(self, method: str) -> None:
        """Refuse what could not be written, or not from this method's solution."""
        from endspiel import files

        for path in (self.export, self.plot):
            if path is not None:
                check_writable(path)
        if self.save is not None:
            files.check_place(self.save)
        if self.export is not None and self.export.suffix.lower() not in STRATEGY_ENDINGS:
            wanted = " or ".join(STRATEGY_ENDINGS)
            raise FileError(f"strategies are kept as {wanted}, not as {self.export.name!r}")
        if self.plot is not None:
            from endspiel.cli.plot import check_plot

            check_plot(method, self.plot)

    def refuse_for_holdem(self) -> None:
        """Refuse files of strategies and pictures where the game is whole hold'em."""
        if self.save or self.export or self.plot:
            raise EndspielError(
                "whole hold'em is written down by --resume alone: no --save, --export or --plot"
            )

    def write(self, built: "Game", solution: "Solution") -> None:
        """Write every file asked for."""
        if self.save is not None:
            with saving("the solution"):
                solution.save(self.save)
        if self.export is not None:
            from endspiel.games.export import save_strategy

            save_strategy(self.export, built, solution.profile)
        if self.plot is not None:
            from endspiel.cli.plot import plot_convergence

            plot_convergence([solution], self.plot)


def _result(built: "Game", solution: "Solution") -> dict[str, Any]:
    from endspiel.processors import peak_memory

    result = {
        "game": solution.game,
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "exploitability": solution.exploitability,
        "value": solution.value,
        "threads": 1,
        "memory_bytes": peak_memory(),
        "infosets": built.num_infosets,
        "sequences": sum(plex.num_sequences for plex in built.plexes),
        "stopped": solution.stopped,
        "warnings": list(solution.warnings),
    }
    if built.unit is not None:
        result["milli_big_blinds"] = 1000 * solution.exploitability / built.unit
    return result


def _show(built: "Game", solution: "Solution") -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    facts = Table(show_header=False)
    facts.add_row("game", f"{escape(solution.game)}, {built.num_infosets} infosets")
    facts.add_row("method", f"{solution.method}, {solution.iterations} iterations")
    facts.add_row("value for player 0", f"{solution.value:.10g}")
    facts.add_row("exploitability", f"{solution.exploitability:.4g} (mean of both gains)")
    if built.unit is not None:
        milli = 1000 * solution.exploitability / built.unit
        facts.add_row("", f"{milli:.4g} milli big blinds a game")
    facts.add_row("time", f"{solution.seconds:.3f} s, ended by {solution.stopped}")
    console.print(facts)
    if built.labels is None or built.num_infosets > SHOWN_INFOSETS:
        return
    from endspiel.games.export import strategy_table

    table = Table("player", "infoset", "strategy")
    for player, infosets in enumerate(strategy_table(built, solution.profile)):
        for infoset, actions in infosets.items():
            shares = "  ".join(f"{action} {share:.3f}" for action, share in actions.items())
            table.add_row(str(player), escape(infoset) or "(start)", escape(shares))
    console.print(table)
