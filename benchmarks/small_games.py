"""CFR+ on Leduc and Liar's Dice: time of an iteration and to an exploitability, beside peers.

Run with ``python benchmarks/small_games.py``. Peers are measured in the same run, each with its
own fastest settings, where they are installed: OpenSpiel's C++ solver, noregret (the versions for
Python 3.12 and newer, on SciPy's sparse matrices) and LiteEFG. Exploitability is the mean of both
players' gains, measured every few iterations; only the iterations are timed.
"""

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from endspiel.engine.run import next_check
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.game import exploitability
from endspiel.games.openspiel import from_openspiel, import_pyspiel
from endspiel.solvers.firstorder.cfr import CFR

GAMES = {"Leduc": "leduc_poker", "Liar's Dice": "liars_dice"}
TARGETS = (1e-3, 1e-4)
MOST_SECONDS = 30.0  # of iterations for one solver on one game


@dataclass(frozen=True)
class Contestant:
    """A solver of one game: how it takes steps, and what it has reached."""

    advance: Callable[[int], None]
    quality: Callable[[], float]


@dataclass
class Result:
    """Time of an iteration; seconds and iterations to each target that was reached."""

    seconds: float = 0.0
    iterations: int = 0
    reached: list[tuple[float, int]] = field(default_factory=list)

    @property
    def per_iteration(self) -> float:
        return self.seconds / self.iterations


def endspiel(name: str) -> Contestant:
    """The fused kernel of this package."""
    game = from_openspiel(name)
    solver = CFR(game, SCHEMES["cfr+"])
    CFR(game, SCHEMES["cfr+"]).advance(1)  # compile
    return Contestant(solver.advance, lambda: exploitability(game, solver.average()).mean)


def open_spiel(name: str) -> Contestant:
    """OpenSpiel's C++ CFR+."""
    pyspiel = import_pyspiel()
    game = pyspiel.load_game(name)
    solver = pyspiel.CFRPlusSolver(game)
    return Contestant(
        _repeat(solver.evaluate_and_update_policy),
        lambda: pyspiel.exploitability(game, solver.average_policy()),
    )


def noregret(name: str) -> Contestant:
    """noregret's CFR+ on SciPy's sparse matrices."""
    import noregret as nr

    if not hasattr(nr, "CFR_plus"):
        raise ImportError("an older noregret, one Python object per infoset")
    kernel = nr.FPKer()
    game = nr.to_efg(kernel, nr.OpenSpielGame(kernel, name))
    row = nr.CFR_plus(kernel, game.row_sequence_form_polytope)
    column = nr.CFR_plus(kernel, game.column_sequence_form_polytope)
    plans = [row.output(False), column.output(False)]

    def step() -> None:
        for i, learner in enumerate((row, column)):
            learner.observe(game.utility(i, plans[1 - i]))
            plans[i] = learner.output(False)

    return Contestant(
        _repeat(step),
        lambda: float(game.exploitability(row.average_strategy, column.average_strategy)),
    )


def lite_efg(name: str) -> Contestant:
    """LiteEFG's CFR+."""
    import LiteEFG
    from LiteEFG.baselines.CFRplus import graph

    with contextlib.redirect_stdout(io.StringIO()):
        plus = graph()
    game = import_pyspiel().load_game(name)
    env = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=False)
    env.set_graph(plus)

    def step() -> None:
        plus.update_graph(env)
        env.update_strategy(plus.current_strategy(), update_best=False)

    return Contestant(
        _repeat(step),
        lambda: sum(env.exploitability(plus.current_strategy(), "linear-avg-iterate")) / 2,
    )


CONTESTANTS: dict[str, Callable[[str], Contestant]] = {
    "Endspiel": endspiel,
    "OpenSpiel (C++)": open_spiel,
    "noregret": noregret,
    "LiteEFG": lite_efg,
}


def _repeat(step: Callable[[], Any]) -> Callable[[int], None]:
    def advance(steps: int) -> None:
        for _ in range(steps):
            step()

    return advance


def measure(contestant: Contestant) -> Result:
    """Step until the last target or until the time is over; measuring is not timed."""
    result = Result()
    while len(result.reached) < len(TARGETS) and result.seconds < MOST_SECONDS:
        due = next_check(result.iterations)
        start = perf_counter()
        contestant.advance(due - result.iterations)
        result.seconds += perf_counter() - start
        result.iterations = due
        quality = contestant.quality()
        while len(result.reached) < len(TARGETS) and quality <= TARGETS[len(result.reached)]:
            result.reached.append((result.seconds, result.iterations))
    return result


def table(name: str, results: dict[str, Result]) -> Table:
    """One row a solver; ratios are to Endspiel's time."""
    out = Table(title=f"{name}: CFR+ (times Endspiel)")
    headings = ("ms an iteration", *(f"to {target:g}" for target in TARGETS))
    out.add_column("solver")
    for heading in headings:
        out.add_column(heading, justify="right")
    ours = results["Endspiel"]
    for label, result in results.items():
        ratio = result.per_iteration / ours.per_iteration
        cells = [f"{1e3 * result.per_iteration:.4f} ({ratio:.1f})"]
        for i in range(len(TARGETS)):
            if i >= len(result.reached):
                cells.append(f"> {MOST_SECONDS:.0f} s")
                continue
            seconds, iterations = result.reached[i]
            ratio = seconds / ours.reached[i][0]
            cells.append(f"{seconds:.3f} s, {iterations} it. ({ratio:.1f})")
        out.add_row(label, *cells)
    return out


def main() -> None:
    """Measure every solver on every game and print one table a game."""
    console = Console(width=110)
    for title, name in GAMES.items():
        results = {}
        for label, enter in CONTESTANTS.items():
            try:
                contestant = enter(name)
            except (ImportError, GameError) as error:
                console.print(f"{label} is left out: {error}")
                continue
            results[label] = measure(contestant)
        if results:
            console.print(table(title, results))


if __name__ == "__main__":
    main()
