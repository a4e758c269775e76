"""`endspiel solve`: solve a spot on real cards, and look into the solution."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, check_apart, check_writable, quiet, saving, write_json
from endspiel.errors import EndspielError, FileError
from endspiel.processors import processors

if TYPE_CHECKING:
    from collections.abc import Callable

    from endspiel.endgame.river_spots import Bucketing
    from endspiel.solvers.solution import TracePoint
    from endspiel.solvers.solve import Effort
    from endspiel.solvers.spot import SpotOptions, SpotTask
    from endspiel.strategy import NodeView, SpotSolution

SPOT_ENDINGS = (".toml", ".json", ".txt")
# What the parameters of a river's exact solve tell beside its exploitability on real cards.
IN_BUCKETS = ("exploitability_in_buckets", "clustering", "buckets", "T", "alpha", "made_by")


def solve(
    spot: Annotated[
        str,
        typer.Argument(
            metavar="SPOT",
            help="A spot file (.toml, .json, LibratusEndgames .txt), - for standard input, or a "
            "solution saved before.",
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            help="dcfr (the default), cfr, cfr+, linear or cubic (the default on rivers with 200 "
            "pots at stake) on the board kernels; lp exactly, on rivers of any ranges; pcfr+, egt, "
            "undominated, quasi-perfect, and lp before the river, for small ranges."
        ),
    ] = None,
    buckets: Annotated[
        int | None,
        typer.Option(
            metavar="T",
            help="Rivers by lp, undominated or quasi-perfect: put each player's hands into "
            "floor(T / betting sequences) buckets by equity (default 7500 if one of these three "
            "options is given).",
        ),
    ] = None,
    top: Annotated[
        float | None,
        typer.Option(
            metavar="ALPHA",
            help="Hands of this equity or more share the top bucket (default 0.99).",
        ),
    ] = None,
    clustering: Annotated[
        str | None,
        typer.Option(
            metavar="equal|kmeans|all-hands",
            help="Buckets are equal intervals of equity, clusters of it by k-means, or single "
            "hands (default without --buckets).",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Stop at this exploitability, in percent of the pot (default 0.1); the exact "
            "methods go on to the end."
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Stop after so many; not of the exact methods.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after so long, with the best found by then.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads; by default one for each processor.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Refuse to take more, as in 8GB; default 80% of what is free."),
    ] = None,
    tree_limit: Annotated[
        int | None, typer.Option(help="Refuse more betting nodes than this (default 1,000,000).")
    ] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Print the betting tree and its size, and stop there.")
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
        typer.Option(help="Show this node, as in 'b100 c / 8h b50'; by default the first one."),
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
    checkpoint: Annotated[
        Path | None, typer.Option(help="Write progress here, and go on from it when it exists.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Save the whole solution here.")] = None,
    json: JsonOption = None,
) -> None:
    """Solve a spot and show the strategy at a node.

    Ctrl-C ends the solve and keeps what it has found so far. EVs are in chips and count what is
    put in from the node on, so that folding is worth 0. Of a river in buckets two
    exploitabilities are told: inside the buckets, and of the same strategies on real cards.
    """
    if tree:
        _show_tree(spot, tree_limit, json)
        return
    wanted = _Wanted(node or "", "random" if full else hands, csv, export, all_nodes)
    wanted.check(spot, {"--save": save, "--checkpoint": checkpoint}, lock or [], json)
    solution = _saved(spot)
    if solution is None:
        limits = _Limits(target, iterations, seconds, checkpoint)
        options = _options(threads, memory, lock, tree_limit)
        task = _prepare(spot, method, options, _bucketing(buckets, top, clustering))
        wanted.check_node(task)
        _tell_doubts(task, limits)
        solution = _run(task, limits)
    elif any(
        x is not None
        for x in (method, buckets, top, clustering, target, iterations, seconds, lock, checkpoint)
    ):
        raise EndspielError(f"{spot} is solved already: it can be looked into, not solved further")
    if save is not None:
        from endspiel.strategy import save_solution

        with saving("the solution"):
            save_solution(save, solution)
    view = solution.view(wanted.node)
    wanted.write(solution, view)
    result = _result(solution)
    if node is not None:
        result["node"] = view.record()
    write_json(json, result)
    for warning in solution.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if not quiet(json):
        _show(solution, view, wanted.hands)


def _show_tree(spot: str, tree_limit: int | None, json: str | None) -> None:
    """Print every line of betting of a spot, and how large a game it makes."""
    from endspiel.games.spot import load_spot
    from endspiel.solvers.spot import TREE_LIMIT, card_game

    limit = TREE_LIMIT if tree_limit is None else tree_limit
    game = card_game(load_spot(spot), tree_limit=limit)
    counts = game.betting.counts(game.tree.num_boards)
    write_json(
        json,
        {**counts._asdict(), "infosets": game.num_infosets, "memory_bytes": game.memory()},
    )
    if not quiet(json):
        typer.echo(game.betting.show(), nl=False)
        typer.echo(f"{counts.decisions:,} decision nodes, {game.num_infosets:,} infosets")


@dataclass(frozen=True)
class _Wanted:
    """What to look at and where to write it, checked before the work rather than after it."""

    node: str
    hands: str | None  # a range text
    csv: Path | None
    export: Path | None
    all_nodes: bool

    def check(
        self, spot: str, saved: dict[str, Path | None], locks: list[str], json: str | None
    ) -> None:
        from endspiel import files
        from endspiel.cards.ranges import parse_range

        for path in (self.csv, self.export):
            if path is not None:
                check_writable(path)
        for path in saved.values():
            if path is not None:
                files.check_place(path)
        written = {"--csv": self.csv, "--export": self.export, **saved}
        check_apart(written, json, {"the spot": spot, **_read_too(spot, locks)})
        if self.export is not None and self.export.suffix.lower() != ".json":
            raise FileError(f"nodes are exported to .json, not to {self.export.name!r}")
        if self.all_nodes and self.csv is None and self.export is None:
            raise EndspielError("--all-nodes needs --csv or --export to write to")
        if self.hands is not None:
            parse_range(self.hands)

    def check_node(self, task: "SpotTask") -> None:
        """Refuse a node that the tree does not have, or hands that are not held there."""
        from endspiel.solvers.spot_nodes import find_place
        from endspiel.strategy.views import named_hands

        place = find_place(task.game, self.node)
        if self.hands is not None:
            hands = place.hands(task.game, place.player)
            named_hands(self.hands, hands, place.player, place.cards)

    def write(self, solution: "SpotSolution", view: "NodeView") -> None:
        """Write the files asked for."""
        from endspiel.strategy.node_files import write_csv, write_nodes

        for path, writer in ((self.csv, write_csv), (self.export, write_nodes)):
            if path is not None:
                views = solution.views() if self.all_nodes else [view]
                writer(path, views, self.all_nodes)


@dataclass(frozen=True)
class _Limits:
    target: float | None  # percent of the pot
    iterations: int | None
    seconds: float | None
    checkpoint: Path | None

    def effort(self, observe: "Callable[[TracePoint], None]" = lambda point: None) -> "Effort":
        """The same for a solver; Ctrl-C keeps the best so far."""
        from endspiel.solvers.solve import Effort

        share = None if self.target is None else self.target / 100
        limits = (share, self.iterations, self.seconds)
        return Effort(*limits, observe, self.checkpoint, keep_on_interrupt=True)


def _read_too(spot: str, locks: list[str]) -> dict[str, Path]:
    """Files that a solve reads beside the spot: locked strategies, and ranges."""
    from endspiel.games.spot import ranges_file

    named = {
        f"--lock {text}": Path(text.partition("=")[2].strip()) for text in locks if "=" in text
    }
    found = ranges_file(Path(spot))
    return named if found is None else {**named, "ranges_file": found}


def _saved(path: str) -> "SpotSolution | None":
    """The solution in a file, if it holds one rather than a spot."""
    if Path(path).suffix.lower() in SPOT_ENDINGS or not Path(path).is_file():
        return None
    from endspiel.strategy import load_solution

    return load_solution(path)


def _options(
    threads: int | None, memory: str | None, locks: list[str] | None, tree_limit: int | None
) -> "SpotOptions":
    from endspiel.solvers.memory import parse_bytes
    from endspiel.solvers.spot import TREE_LIMIT, SpotOptions

    return SpotOptions(
        threads=processors() if threads is None else threads,
        memory=None if memory is None else parse_bytes(memory),
        locks=locks or (),
        tree_limit=TREE_LIMIT if tree_limit is None else tree_limit,
    )


def _bucketing(buckets: int | None, top: float | None, clustering: str | None) -> "Bucketing":
    from endspiel.endgame.river_spots import Bucketing

    return Bucketing(buckets, top, clustering)


def _prepare(
    path: str, method: str | None, options: "SpotOptions", bucketing: "Bucketing"
) -> "SpotTask":
    """The spot ready to be solved; says how large it is."""
    from endspiel.endgame.river_spots import prepare
    from endspiel.games.spot import load_spot
    from endspiel.solvers.board_cfr import CUBIC
    from endspiel.solvers.memory import format_bytes

    task = prepare(load_spot(path), method, options, bucketing)
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
    return task


def _tell_doubts(task: "SpotTask", limits: "_Limits") -> None:
    """Say before the work what may keep it from its target."""
    for doubt in task.doubts(task.limits(limits.effort()).target):
        typer.echo(f"endspiel: {doubt}", err=True)


def _run(task: "SpotTask", limits: _Limits) -> "SpotSolution":
    from endspiel.cli.progress import Reporter
    from endspiel.solvers.solve import EXACT
    from endspiel.strategy import SpotSolution

    reporter = Reporter(unit="% of the pot", scale=100)
    until = task.limits(limits.effort())
    reporter.until = None if task.method in EXACT else until
    with reporter.live(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the solution carries its warnings, shown later
        return SpotSolution.of(task.run(limits.effort(reporter)))


def _result(solution: "SpotSolution") -> dict[str, Any]:
    from endspiel.cards.text import format_cards

    said = solution.parameters
    told = {name: said[name] for name in IN_BUCKETS if name in said}
    return {
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "exploitability": solution.exploitability,
        **told,
        "value": solution.value,
        "threads": solution.threads,
        "memory_bytes": solution.memory_bytes,
        "nodes": solution.game.num_nodes,
        "infosets": solution.game.num_infosets,
        "board": format_cards(solution.spot.board, " "),
        "pot": solution.spot.pot,
        "stack": solution.spot.stack,
        "stopped": solution.stopped,
        "locks": list(solution.locks),
        "warnings": list(solution.warnings),
    }


def _show(solution: "SpotSolution", view: "NodeView", hands: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from endspiel.cli.grid import show_node

    facts = Table(show_header=False)
    facts.add_row("method", f"{solution.method}, {solution.iterations} iterations")
    locked = ", of the locked game" if solution.locks else ""
    facts.add_row(
        "exploitability", f"{100 * solution.exploitability:.4g}% of the pot (mean of both{locked})"
    )
    for fact, text in _bucket_facts(solution.parameters):
        facts.add_row(fact, text)
    pot = solution.spot.pot
    shares = [0.5 + solution.value, 0.5 - solution.value]
    expected = ", ".join(f"{pot * share:.2f} ({100 * share:.2f}%)" for share in shares)
    facts.add_row("pot expected", f"{expected}, out of position first")
    facts.add_row("time", f"{solution.seconds:.3f} s, ended by {solution.stopped}")
    console = Console()
    console.print(facts)
    show_node(console, view, None if hands is None else view.chosen(hands))


def _bucket_facts(said: dict[str, Any]) -> list[tuple[str, str]]:
    """How the hands of a river were put together, and the exploitability there."""
    kinds = {"equal": "equal intervals of equity", "kmeans": "clusters of equity by k-means"}
    kind = kinds.get(said.get("clustering", ""))
    if kind is None:
        return []
    one, two = said["buckets"]
    gap = f"exploitability {100 * said['exploitability_in_buckets']:.3g}% of the pot"
    return [("buckets", f"{one} and {two}: {kind}"), ("in the buckets", gap)]
