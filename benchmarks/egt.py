"""EGT beside CFR+: payoff-matrix products to reach an exploitability, and the time of a step.

Run with ``python benchmarks/egt.py``. A product of the payoff matrix and a plan is what both
methods pay for in large games: an iteration of CFR+ takes two, a step of EGT two or three, and
what EGT spends on weights, on the search for its first mu and on refused steps is counted.
"""

from collections.abc import Callable
from time import perf_counter

from rich.console import Console
from rich.table import Table

from endspiel.engine.schemes import SCHEMES
from endspiel.game import Game, exploitability
from endspiel.games import toy
from endspiel.games.leduc_holdem import leduc
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.firstorder.egt import EGT, PLAIN, EGTOptions

TARGETS = (1e-2, 1e-3, 1e-4)
MOST_PRODUCTS = 20_000
VARIANTS = {
    **{f"EGT, {w}, recentered": EGTOptions(w) for w in ("spread", "global", "treeplex", "one")},
    **{
        f"EGT, {w}, one center": EGTOptions(w, recenter=0.0)
        for w in ("spread", "global", "treeplex", "one")
    },
    "EGT, global, Nesterov's schedule": PLAIN,
}
Row = tuple[list[int | None], float]  # products to each target, seconds a step


def main() -> None:
    """Measure every variant on every game and print one table a game."""
    console = Console()
    games: dict[str, Callable[[], Game]] = {"Kuhn": toy.kuhn, "Leduc": leduc}
    for name, make in games.items():
        game = make()
        rows = {"CFR+": cfr_row(game)}
        rows |= {label: egt_row(game, options) for label, options in VARIANTS.items()}
        console.print(table(name, rows))


def cfr_row(game: Game) -> Row:
    """Products and time of CFR+."""
    solver = CFR(game, SCHEMES["cfr+"])
    return measure(
        solver.step,
        lambda: exploitability(game, solver.average()).mean,
        lambda: 2 * solver.iteration,
    )


def egt_row(game: Game, options: EGTOptions) -> Row:
    """Products and time of one variant of EGT."""
    solver = EGT(game, options)
    return measure(solver.step, lambda: solver.gap / 2, lambda: solver.gradients)


def measure(
    step: Callable[[], None], quality: Callable[[], float], products: Callable[[], int]
) -> Row:
    """Products to each target, None where there were too many, and the mean time of a step."""
    reached: list[int | None] = []
    step()
    seconds, steps = 0.0, 0
    while len(reached) < len(TARGETS) and products() < MOST_PRODUCTS and quality() > 0:
        start = perf_counter()
        step()
        seconds += perf_counter() - start
        steps += 1
        while len(reached) < len(TARGETS) and quality() <= TARGETS[len(reached)]:
            reached.append(products())
    return reached + [None] * (len(TARGETS) - len(reached)), seconds / max(steps, 1)


def table(name: str, rows: dict[str, Row]) -> Table:
    """Products and, in parentheses, their ratio to CFR+'s; microseconds a step likewise."""
    out = Table(title=f"{name}: products to an exploitability (times CFR+)")
    for heading in ("method", *(f"{target:g}" for target in TARGETS), "µs a step"):
        out.add_column(heading, justify="left" if heading == "method" else "right")
    base, base_seconds = rows["CFR+"]
    for label, (reached, seconds) in rows.items():
        cells = [
            f"> {MOST_PRODUCTS}" if count is None else f"{count} ({ratio(count, other)})"
            for count, other in zip(reached, base, strict=True)
        ]
        out.add_row(label, *cells, f"{seconds * 1e6:.0f} ({seconds / base_seconds:.1f})")
    return out


def ratio(count: int, other: int | None) -> str:
    """How many times the other's count this is."""
    return "-" if other is None else f"{count / other:.2f}"


if __name__ == "__main__":
    main()
