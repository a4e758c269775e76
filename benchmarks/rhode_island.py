"""Rhode Island hold'em without abstraction: solving it to a thousandth of an ante; folding.

Run with ``python benchmarks/rhode_island.py``; it takes some minutes. Gilpin and Sandholm (2005)
first solved the game, as a linear program that folding by their GameShrink made small enough. Here
boards are folded by suits, private cards by suits and strength, and the CFR family runs on that.
"""

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import run
from endspiel.engine.schemes import SCHEMES
from endspiel.game import Game, exploitability
from endspiel.games.product import GameSize
from endspiel.games.rhode_island_holdem import rhode_island, rhode_island_rules, unfolded_size
from endspiel.solvers.firstorder.cfr import CFR

TARGET = 1e-3  # of an ante
SMALL_RANKS = 5  # of the deck on which schemes and foldings are compared
SMALL_ITERATIONS = 400
Result = TypeVar("Result")


def main() -> None:
    """Build, solve, and compare on a smaller deck."""
    console = Console()
    seconds, game = timed(rhode_island)
    console.print(f"built in {seconds:.1f} s")
    console.print(sizes(game))
    solve_whole(console, game)
    console.print(schemes())
    console.print(foldings())


def solve_whole(console: Console, game: Game) -> None:
    """Solve the full deck and print the way there."""
    assert game.unit is not None
    unit = game.unit
    solver = CFR(game, SCHEMES["dcfr"])
    seconds, _ = timed(solver.step)
    console.print(f"first iteration {seconds:.2f} s (compiles on a first run)")

    def observe(point: TracePoint) -> None:
        if point.iteration < 100 or point.iteration % 100 == 0:
            console.print(
                f"  iteration {point.iteration}: {point.exploitability / unit:.5f} antes, "
                f"{point.seconds:.0f} s"
            )

    trace, _ = run(solver, lambda: solver.exploitability(), Limits(TARGET * unit, observe=observe))
    found = exploitability(game, solver.average())
    steps = [timed(solver.step)[0] for _ in range(5)]
    table = Table("Rhode Island hold'em by dcfr", "", show_header=True)
    table.add_row("iterations to a thousandth of an ante", str(trace[-1].iteration))
    table.add_row("seconds, measuring included", f"{trace[-1].seconds:.1f}")
    table.add_row("seconds an iteration", f"{np.median(steps):.3f}")
    table.add_row("exploitability, chips", f"{found.mean:.5f}")
    table.add_row("value for the first player, chips", f"{found.value:.4f}")
    table.add_row("it lies between", f"{-found.best[1]:.4f} and {found.best[0]:.4f}")
    console.print(table)


def sizes(game: Game) -> Table:
    """What folding leaves of the game."""
    whole = unfolded_size(rhode_island_rules())
    folded = GameSize(game.num_infosets, sum(plex.num_sequences for plex in game.plexes))
    table = Table("full deck", "boards", "infosets", "sequences", "solve, GB")
    boards = sum(len(street) for street in game.nodes.streets)
    for name, count, size in (
        ("every card told apart", 1 + 52 + 52 * 51, whole),
        ("folded", boards, folded),
    ):
        table.add_row(
            name,
            f"{count:,}",
            f"{size.infosets:,}",
            f"{size.sequences:,}",
            f"{size.bytes / 1e9:.2f}",
        )
    table.add_row("ratio", "", "", f"{whole.sequences / folded.sequences:.1f}", "")
    return table


def schemes() -> Table:
    """Exploitability of each scheme after the same number of iterations, and its ratio to CFR+."""
    game = rhode_island(ranks=SMALL_RANKS)
    assert game.unit is not None
    found = {}
    for name, scheme in SCHEMES.items():
        solver = CFR(game, scheme)
        for _ in range(SMALL_ITERATIONS):
            solver.step()
        found[name] = exploitability(game, solver.average()).mean / game.unit
    table = Table(
        f"scheme, {SMALL_RANKS} ranks, {SMALL_ITERATIONS} iterations", "antes", "CFR+ / this"
    )
    for name, gap in sorted(found.items(), key=lambda item: item[1]):
        table.add_row(name, f"{gap:.5f}", f"{found['cfr+'] / gap:.2f}")
    return table


def foldings() -> Table:
    """Time of an iteration with and without folding."""
    table = Table(f"{SMALL_RANKS} ranks", "infosets", "ms an iteration", "ratio")
    seconds = {}
    for folded in (False, True):
        game = rhode_island(ranks=SMALL_RANKS, symmetry=folded)
        solver = CFR(game, SCHEMES["dcfr"])
        seconds[folded] = float(np.median([timed(solver.step)[0] for _ in range(12)]))
        table.add_row(
            "folded" if folded else "every card told apart",
            f"{game.num_infosets:,}",
            f"{1000 * seconds[folded]:.1f}",
            f"{seconds[False] / seconds[folded]:.1f}",
        )
    return table


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds that a call takes, and its result."""
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


if __name__ == "__main__":
    main()
