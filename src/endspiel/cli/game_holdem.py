"""`endspiel game limit-holdem:ranks=3`: whole hold'em on the board kernels."""

from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from endspiel.cli.output import quiet, write_json

if TYPE_CHECKING:
    from endspiel.engine.limits import Limits
    from endspiel.engine.schemes import Answer
    from endspiel.games.holdem import Holdem
    from endspiel.solvers.boards.holdem import HoldemSolution, HoldemTask
    from endspiel.solvers.boards.trunk import Decomposition


class WholeOptions(NamedTuple):
    """What is asked of a solve of whole hold'em."""

    answer: "Answer"
    threads: int
    decompose: "Decomposition | None"
    device: str


def solve_whole(
    game: "Holdem",
    method: str,
    limits: "Limits",
    how: "WholeOptions",
    json: str | None,
) -> None:
    """Solve whole hold'em, and tell what it is worth and what may be won from the solution."""
    from dataclasses import replace

    from endspiel.cli.progress import Reporter
    from endspiel.solvers.boards.holdem import HOLDEM_TARGET, MILLI
    from endspiel.solving.devices import run_holdem_on
    from endspiel.solving.forecast import SolveWatch
    from endspiel.solving.spots import SpotOptions
    from endspiel.solving.task import Task

    options = SpotOptions(how.threads)
    asked = Task(
        game, method, limits, options, how.device, answer=how.answer, decompose=how.decompose
    )
    task = asked.prepare_holdem(keep=False)  # figures alone are shown
    with Reporter().live() as reporter:
        watch = SolveWatch(reporter, limits.or_target(HOLDEM_TARGET), " mbb/g", MILLI)
        found = run_holdem_on(how.device, task, replace(limits, observe=watch))
    write_json(json, _result(task, found))
    if not quiet(json):
        _show(task, found)


def _result(task: "HoldemTask", found: "HoldemSolution") -> dict[str, Any]:
    cards = found.game.cards
    return {
        "game": found.game.name,
        "method": found.method,
        "solution": task.scheme.solution,
        "iterations": found.iterations,
        "seconds": found.seconds,
        "exploitability": found.exploitability,
        "milli_big_blinds": found.milli_big_blinds,
        "value": found.value,
        "trace": [(point.iteration, point.seconds, point.exploitability) for point in found.trace],
        "threads": task.threads,
        "memory_bytes": task.memory_bytes,
        "infosets": cards.num_infosets,
        "boards": list(cards.tree.num_boards),
        "stopped": found.stopped,
        "warnings": list(found.warnings),
    }


def _show(task: "HoldemTask", found: "HoldemSolution") -> None:
    cards = found.game.cards
    rivers = cards.tree.num_boards[-1]
    typer.echo(f"{found.game.name}: {cards.num_infosets:,} infosets on {rivers:,} rivers")
    typer.echo(
        f"{found.method}, {found.iterations} iterations, the {task.scheme.solution} strategy"
    )
    typer.echo(f"the dealer wins {-1000 * found.value:.3f} mbb/g")
    typer.echo(f"exploitable for {found.milli_big_blinds:.4g} mbb/g (mean of both gains)")
    typer.echo(f"{found.seconds:.1f} s, ended by {found.stopped}")
