"""`endspiel solve`: solve a spot on real cards, and look into the solution."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import MOST_ITERATIONS, MOST_SECONDS, MOST_THREADS, MOST_UNITS, PERCENT
from endspiel.cli.completing import complete_spot
from endspiel.cli.output import (
    JsonOption,
    StorageOption,
    WorkersOption,
    quiet,
    resume_option,
    saving,
    write_json,
)
from endspiel.cli.solve_node import WantedNode, show_solution, show_tree
from endspiel.cli.targets import target_option
from endspiel.cli.usage import RESUME, old_spelling
from endspiel.errors import EndspielError
from endspiel.games.rakes import with_rake
from endspiel.processors import processors

if TYPE_CHECKING:
    from collections.abc import Callable

    from endspiel.engine.limits import Limits, TracePoint
    from endspiel.games.spot import Spot
    from endspiel.solving.solution import SpotSolution
    from endspiel.solving.spots import PreparedSpot, SpotOptions

SPOT_ENDINGS = (".toml", ".json", ".txt")


def solve(
    spots: Annotated[
        list[str],
        typer.Argument(
            metavar="SPOT...",
            autocompletion=complete_spot,
            help="A spot file (.toml, .json, LibratusEndgames .txt), - for standard input, or a "
            "solution saved before. Several spot files are solved side by side.",
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            help="dcfr (the default), dcfr+, cfr, cfr+, linear or cubic (the default on rivers "
            "with 200 pots at stake) on the board kernels; lp exactly, on rivers of any ranges; "
            "pcfr+, sapcfr+, egt, undominated, quasi-perfect, and lp before the river, for small "
            "ranges."
        ),
    ] = None,
    buckets: Annotated[
        int | None,
        typer.Option(
            metavar="T",
            min=1,
            max=MOST_ITERATIONS,
            help="Rivers by lp, undominated or quasi-perfect: put each player's hands into "
            "floor(T / betting sequences) buckets by equity (default 7500 if one of these three "
            "options is given).",
        ),
    ] = None,
    top: Annotated[
        float | None,
        typer.Option(
            metavar="ALPHA",
            min=0.0,
            max=1.0,
            help="Hands of this equity or more share the top bucket (default 0.99).",
        ),
    ] = None,
    clustering: Annotated[
        str | None,
        typer.Option(
            metavar="equal|occupied|kmeans|all-hands",
            help="Buckets are equal intervals of equity, as the paper's; such intervals, narrower, "
            "so that about floor(T / betting sequences) of them hold hands; clusters of equity by "
            "k-means; or single hands (default without --buckets).",
        ),
    ] = None,
    target: Annotated[
        float | None,
        target_option(PERCENT, "Stop at this exploitability (not the exact methods)", "0.1%"),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST_ITERATIONS, help="The most iterations; not of the exact methods."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=MOST_SECONDS, help="Time limit, in seconds; the best so far is the result."
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_THREADS,
            help="Threads; by default one for each processor, with many spots one each.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where spots are solved: cpu or cuda.")] = "cpu",
    workers: WorkersOption = None,
    state: Annotated[Path | None, typer.Option(hidden=True)] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Memory limit, as in 8GB; by default 80% of the free memory."),
    ] = None,
    storage: StorageOption = None,
    rake: Annotated[
        str | None,
        typer.Option(help="Rake of each pot, as in 5%; by default the spot's."),
    ] = None,
    rake_cap: Annotated[
        float | None, typer.Option(min=0.0, max=MOST_UNITS, help="Rake cap, in chips.")
    ] = None,
    tree_limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="Refuse more betting nodes than this (default 1,000,000).",
        ),
    ] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Print the betting tree and its size, without solving.")
    ] = False,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            help="Hold a strategy fixed: 'b100: f 0.3, c 0.7', 'b100: random f 1, AA c 1', or "
            "'b100 = FILE.csv'. Exploitability is then that of the locked game."
        ),
    ] = None,
    node: Annotated[
        str | None,
        typer.Option(help="The node to show, as in 'b100 c / 8h b50'; by default the first one."),
    ] = None,
    hands: Annotated[
        str | None, typer.Option(help="List these hands of the node, as in 'AA,AKs'.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="List all hands of the node.")] = False,
    csv: Annotated[
        Path | None, typer.Option(help="Write all hands of the node to a .csv file.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the node with all hands to a .json file.")
    ] = None,
    all_nodes: Annotated[
        bool, typer.Option("--all-nodes", help="Let --csv and --export write every node.")
    ] = False,
    resume: Annotated[
        Path | None,
        resume_option("File of progress; of many spots, of the finished ones", "--checkpoint"),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Save the whole solution to this file; many spots, to this folder, from which a "
            "run continues."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Solve a spot and show the strategy at a node.

    Ctrl-C ends the solve and keeps the best strategy so far. EVs are in chips and count chips put
    in from the node on, so that folding is worth 0. A river in buckets has two exploitabilities:
    inside the buckets, and of the strategies on real cards.

    Several spots are solved side by side and never twice (--save, --resume). A failed spot reports
    its error and the others continue; the exit status is then 2.
    """
    from endspiel.solving.devices import check_device

    here = True
    if workers is not None:
        from endspiel.executor import parse_workers

        here = not parse_workers(workers).address
    check_device(device, here)
    more = {"buckets": buckets, "top": top, "clustering": clustering, "storage": storage}
    if state is not None:
        old_spelling("--state", RESUME)
    if len(spots) > 1 or workers is not None or state is not None:
        of_one = {
            "--tree": tree, "--node": node, "--hands": hands, "--full": full, "--csv": csv,
            "--export": export, "--all-nodes": all_nodes,
            "--rake": rake, "--rake-cap": rake_cap is not None,
        }  # fmt: skip
        from endspiel.cli.solve_files import check_many, solve_files

        check_many([option for option, given in of_one.items() if given])
        from endspiel.batch.planning import SpotMethod
        from endspiel.batch.running import BatchSetting

        how = SpotMethod(
            method,
            _options(1 if threads is None else threads, memory, lock, tree_limit, more),
            _Limits(target, iterations, seconds, None).solver(),
        )
        solve_files(spots, how, BatchSetting(workers, device, state or resume), save, json)
        return
    spot = spots[0]
    if tree:
        show_tree(spot, tree_limit, json)
        return
    wanted = WantedNode(node or "", "random" if full else hands, csv, export, all_nodes)
    wanted.check(spot, {"--save": save, "--resume": resume}, lock or [], json)
    solution = _saved(spot)
    if solution is None:
        limits = _Limits(target, iterations, seconds, resume)
        options = _options(threads, memory, lock, tree_limit, more)
        given = with_rake(spot, rake, rake_cap)
        task = _prepare(given, method, limits.solver(), options, device)
        wanted.check_node(task)
        solution = _run(task, limits)
    elif any(
        x is not None
        for x in (
            *(method, buckets, top, clustering, target, iterations, seconds, lock, resume),
            *(rake, rake_cap, storage),
        )
    ):
        raise EndspielError(f"{spot} is solved already: it can be looked into, not solved further")
    if save is not None:
        from endspiel.solving.solution_files import save_solution

        with saving("the solution"):
            save_solution(save, solution.for_file())
        typer.echo(f"saved in {save}: {_size_of(save, solution)}", err=True)
    from endspiel.solving.solution import solution_record

    view = solution.view(wanted.node)
    wanted.write(solution, view)
    result = solution_record(solution)
    if node is not None:
        result["node"] = view.record()
    write_json(json, result)
    for warning in solution.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if not quiet(json):
        show_solution(solution, view, wanted.hands)


@dataclass(frozen=True)
class _Limits:
    target: float | None  # percent of the pot
    iterations: int | None
    seconds: float | None
    checkpoint: Path | None

    def solver(self, observe: "Callable[[TracePoint], None] | None" = None) -> "Limits":
        """The solver's limits; Ctrl-C returns the best so far."""
        from endspiel.engine.limits import Limits, unobserved

        share = None if self.target is None else self.target / 100
        limits = (share, self.iterations, self.seconds, observe or unobserved)
        return Limits(*limits, self.checkpoint, keep_on_interrupt=True)


def _size_of(path: Path, solution: "SpotSolution") -> str:
    """How large a solution's file is, and whether it has fewer digits than what was solved."""
    from endspiel.solvers.memory import format_bytes

    size = format_bytes(path.stat().st_size)
    return size if solution.for_file() is solution else f"{size}, averages of 16 bits"


def _saved(path: str) -> "SpotSolution | None":
    """The solution in a file, if it holds one rather than a spot."""
    if Path(path).suffix.lower() in SPOT_ENDINGS or not Path(path).is_file():
        return None
    from endspiel.solving.solution_files import load_solution

    return load_solution(path)


def _options(
    threads: int | None,
    memory: str | None,
    locks: list[str] | None,
    tree_limit: int | None,
    more: dict[str, Any],
) -> "SpotOptions":
    from endspiel.solvers.memory import parse_bytes
    from endspiel.solving.spots import TREE_LIMIT, SpotOptions

    return SpotOptions(
        threads=processors() if threads is None else threads,
        memory=None if memory is None else parse_bytes(memory),
        locks=locks or (),
        tree_limit=TREE_LIMIT if tree_limit is None else tree_limit,
        **more,
    )


def _prepare(
    spot: "Spot", method: str | None, limits: "Limits", options: "SpotOptions", device: str
) -> "PreparedSpot":
    """The spot ready to be solved; says how large it is."""
    from endspiel.engine.schemes import CUBIC
    from endspiel.solvers.memory import format_bytes
    from endspiel.solving.task import Task

    task = Task(spot, method, limits, options, device).prepare_spot()
    if method is None and task.method == CUBIC:
        typer.echo(f"{task.depth:,.0f} pots are at stake: solved by {CUBIC}", err=True)
    counts = task.game.betting.counts(task.game.tree.num_boards)
    boards = " + ".join(f"{number:,}" for number in task.game.tree.num_boards)
    noun = "board" if boards == "1" else "boards"
    typer.echo(
        f"{counts.decisions:,} decision nodes, {counts.showdowns:,} showdowns, "
        f"{counts.folds:,} folds on {boards} {noun}; {task.game.num_infosets:,} infosets, "
        f"{format_bytes(task.memory_bytes)}",
        err=True,
    )
    if task.why_short:
        typer.echo(task.why_short, err=True)
    return task


def _run(task: "PreparedSpot", limits: _Limits) -> "SpotSolution":
    from endspiel.cli.progress import Reporter, SolveWatch
    from endspiel.solvers.methods import EXACT

    reporter = Reporter()
    watch = SolveWatch(reporter, unit="% of the pot", scale=100)
    until = task.limits(limits.solver(watch))
    for doubt in task.doubts(until.target_units):  # what may keep it from its target
        typer.echo(f"endspiel: {doubt}", err=True)
    watch.limits = None if task.method in EXACT else until
    with reporter.live(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the solution carries its warnings, shown later
        return task.run(until)
