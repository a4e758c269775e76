"""``endspiel book``: flops of a limit strategy solved to the end, hand by hand."""

from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED
from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.cli.targets import POTS, target_option
from endspiel.errors import Stopped


def book(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "--resume",
            metavar="FOLDER",
            help="Folder of solved flops; continue from it when it exists.",
        ),
    ],
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A limit strategy file; by default the shipped one."),
    ] = "limit-holdem",
    boards: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=MOST_DRAWN,
            help="Flops drawn by how often they are dealt, as endspiel exploit draws them; all "
            "1,755 by default.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the draw.")
    ] = DEFAULT_SEED,
    device: Annotated[str, typer.Option(help="Where flops are solved: cpu or cuda.")] = "cuda",
    target: Annotated[
        float, target_option(POTS, "Solve each line to this exploitability", "0.3%")
    ] = 0.003,
    iterations: Annotated[
        int, typer.Option(min=1, max=MOST_ITERATIONS, help="The most iterations of each line.")
    ] = 200,
    turns: Annotated[
        bool,
        typer.Option(
            "--turns",
            help="Store responders' values on every turn, too (24 MB a flop): endspiel exploit "
            "--resolve-turns then needs fewer turns.",
        ),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Solve flops of limit hold'em to the end, for agents at the table.

    A strategy in buckets plays alike on many flops. This command solves each flop alone, over all
    hands, turns and rivers, with the ranges of the strategy, and stores the play of every hand on
    the flop: 0.2 MB a flop. Agents read it (blueprint+unsafe,turn=yes,book=FOLDER), and endspiel
    exploit --book measures the loss with it.

    On 52 cards a line takes up to 43 GB and a few seconds of a GPU, with seven lines a flop. Flops
    in the folder are not solved again, so a stopped run continues.
    """
    from endspiel.abstraction.boards import NUM_CANONICAL
    from endspiel.arena.estimators.book_solves import BatchedBookSolver, BookSolver
    from endspiel.arena.estimators.real_exploit import draw_flops, flop_cards
    from endspiel.blueprint.blueprint import load_blueprint
    from endspiel.blueprint.flop_book import FlopBook
    from endspiel.cli.progress import Reporter
    from endspiel.engine.limits import Limits
    from endspiel.gpu.cuda.machine import cuda_machine
    from endspiel.processors import processors
    from endspiel.progress import Progress
    from endspiel.solving.devices import gpu_room

    check_apart({"--out": out}, json, {"the strategy file": file})
    room, blueprint, limits = gpu_room(device), load_blueprint(file), Limits(target, iterations)
    if room is None:
        solver = BookSolver(blueprint, limits, turns, processors())
    else:
        solver = BatchedBookSolver(blueprint, limits, turns, maker=cuda_machine, free=room)
    kept = FlopBook(out, blueprint.verify(), blueprint.tree)
    numbers, _ = draw_flops(NUM_CANONICAL if boards is None else boards, seed)
    flops = [flop_cards(at) for at in sorted(set(numbers.tolist()))]
    left = [flop for flop in flops if not kept.has(flop)]
    gaps: list[float] = []
    try:
        before = len(flops) - len(left)
        with Reporter().live() as reporter:
            reporter(Progress("flops", before, len(flops), before))
            for done, flop in enumerate(left, start=1):
                solved = solver.solve(flop)
                kept.add(flop, solved)
                gaps += [line["exploitability"] for line in solved.record["lines"]]
                reporter(Progress("flops", before + done, len(flops), before))
    except KeyboardInterrupt as stopped:
        raise Stopped(f"stopped: what is solved is in {out}") from stopped
    worst = max(gaps, default=None)
    write_json(json, {"flops": len(flops), "solved": len(left), "exploitability": worst})
    if quiet(json):
        return
    how = "" if worst is None else f", each line to {100 * worst:.2f}% of its pot or nearer"
    typer.echo(f"{len(flops)} flops are in {out}; {len(left)} of them were solved now{how}")
