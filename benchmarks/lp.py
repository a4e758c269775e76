"""Exact equilibria by LP: seconds beside plain HiGHS interior point with crossover, in one run.

Run with ``python benchmarks/lp.py``. The plain program is handed to HiGHS with its default
options, presolve included; its gap is measured in the same way, by best responses. Liar's Dice is
measured where OpenSpiel is installed.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import highspy
import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from endspiel.errors import GameError
from endspiel.game import Game, Profile, exploitability
from endspiel.games.leduc_holdem import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.games.toy import kuhn
from endspiel.solvers.lp import Equilibrium, Options, solve
from endspiel.solvers.lp.refinements import quasi_perfect, undominated

REPEATS = 3
WAYS: dict[str, Callable[[Game], Equilibrium]] = {
    "endspiel": solve,
    "endspiel, simplex": lambda game: solve(game, Options("simplex")),
    "endspiel, interior point": lambda game: solve(game, Options("ipm")),
    "endspiel, undominated": undominated,
    "endspiel, 0.01-quasi-perfect": lambda game: quasi_perfect(game, 0.01),
}


def main() -> None:
    """Measure every way on every game and print one table a game."""
    solve(kuhn())  # compile the kernels
    console = Console()
    for name, game in _games().items():
        table = Table(title=f"{name}: {game.num_infosets:,} infosets, best of {REPEATS}")
        for heading in ("way", "seconds", "plain / this", "value", "gap"):
            table.add_column(heading, justify="left" if heading == "way" else "right")
        plain, answer = min((_plain(game) for _ in range(REPEATS)), key=lambda run: run[0])
        table.add_row(*_row("plain HiGHS IPM + crossover", plain, plain, answer))
        for way, method in WAYS.items():
            found = min((method(game) for _ in range(REPEATS)), key=lambda run: run.seconds)
            table.add_row(*_row(way, plain, found.seconds, (found.value, found.gap)))
        console.print(table)


def _row(way: str, plain: float, seconds: float, answer: tuple[float, float]) -> tuple[str, ...]:
    value, gap = answer
    return way, f"{seconds:.3f}", f"{plain / seconds:.2f}", f"{value:.12f}", f"{gap:.1e}"


def _games() -> dict[str, Game]:
    games = {"Leduc": leduc(), "Leduc, 5 ranks": leduc(5)}
    try:
        games["Liar's Dice"] = from_openspiel("liars_dice")
    except GameError as error:
        Console().print(f"Liar's Dice is left out. {error}")
    for game in games.values():
        _ = game.matrix  # part of the game, not of any solve
    return games


def _plain(game: Game) -> tuple[float, tuple[float, float]]:
    """Seconds, value and gap of the textbook program in HiGHS."""
    start = perf_counter()
    (E, e), (F, f) = (plex.constraints() for plex in game.plexes)
    S0, (states, S1) = E.shape[1], F.shape
    matrix = sparse.bmat([[-game.matrix.T, F.T], [E, None]], format="csr")
    endless = highspy.kHighsInf
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("solver", "ipm")
    highs.passModel(
        S0 + states,
        S1 + E.shape[0],
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        np.concatenate([np.zeros(S0), f]),
        np.concatenate([np.zeros(S0), np.full(states, -endless)]),
        np.full(S0 + states, endless),
        np.concatenate([np.full(S1, -endless), e]),
        np.concatenate([np.zeros(S1), e]),
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.zeros(S0 + states, np.int32),
    )
    highs.run()
    solution = highs.getSolution()
    x, y = np.array(solution.col_value)[:S0], np.array(solution.row_dual)[:S1]
    seconds = perf_counter() - start
    answer = exploitability(game, Profile.from_plans(game, x, y))
    return seconds, (answer.value, answer.mean)


if __name__ == "__main__":
    main()
