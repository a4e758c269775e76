"""Public chance sampling on Tartanian5's betting: boards a second, beside plain NumPy.

Run with ``python benchmarks/sampled.py [ABSTRACTION]``; without a file, a small abstraction is made
on a few flops. Measured in the same run, on the same boards: both players' walks by the kernels
with one thread and two, and by the plain twin that goes node by node and compares every pair of
hands by matrix products. Then how the schemes do with the same boards: what responders who see the
same buckets gain on fresh boards (a lower bound of exploitability, see blueprint.sampled_gain).
"""

import sys
from time import perf_counter, process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from _sampled_reference import walk_board
from endspiel.abstraction.abstraction import Abstraction, load_abstraction
from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.work import Store, Workers
from endspiel.betting.model import load_model
from endspiel.betting.tree import DECISION
from endspiel.blueprint.sampled import SampledCFR, SampledGame, Sampling, memory_needed
from endspiel.blueprint.sampled_gain import measure_gain
from endspiel.blueprint.sampled_plan import node_rows
from endspiel.engine.schemes import SCHEMES
from endspiel.rules.builtin import load_rules

BOARDS = 40  # timed, after as many to warm up
TRAINED = 300  # boards a scheme
GAIN_BOARDS = 40


def main() -> None:
    """Measure and print the two tables."""
    console = Console()
    rules = load_rules("nolimit-holdem")
    tree = load_model().tree(rules)
    cards = load_abstraction(sys.argv[1]) if len(sys.argv) > 1 else _small_abstraction()
    game = SampledGame.of(tree, cards, rules.big_blind)
    needed = memory_needed(SampledCFR(game, SCHEMES["linear"]).walker.plan, 1)
    console.print(f"{tree.num_nodes:,} nodes, buckets {cards.sizes}: {needed / 1e6:.0f} MB")
    console.print(_speed(game))
    console.print(_schemes(game))


def _small_abstraction() -> Abstraction:
    return make_abstraction(Plan((8, 12, 4, 4)), some_boards(20), Store(None), Workers())


def _speed(game: SampledGame) -> Table:
    """Boards a second, both players learning from each."""
    table = Table("walked by", "boards a second", "and a processor", "times as fast")
    solver = SampledCFR(game, SCHEMES["linear"], Sampling(boards=BOARDS))
    solver.step()
    plain, busy = _plain_seconds(solver)
    table.add_row("plain NumPy", f"{1 / plain:.3f}", f"{1 / busy:.3f}", "1")
    for threads in (1, 2):
        solver = SampledCFR(game, SCHEMES["linear"], Sampling(boards=BOARDS, threads=threads))
        solver.step()
        began, worked = perf_counter(), process_time()
        solver.step()
        each, work = perf_counter() - began, process_time() - worked
        table.add_row(
            f"kernels, threads: {threads}",
            f"{BOARDS / each:.1f}",
            f"{BOARDS / work:.1f}",
            f"{BOARDS * busy / work:.0f}",
        )
    return table


def _plain_seconds(solver: SampledCFR) -> tuple[float, float]:
    """Seconds, and processor's seconds, of the plain twin for both walks of one board."""
    game = solver.game
    rows = {
        int(node): np.array(
            node_rows(
                solver.regret,
                solver.walker.plan,
                int(node),
                game.buckets.sizes[game.tree.street[node]],
            )
        )
        for node in np.flatnonzero(game.tree.kind == DECISION)
    }
    board = solver.backend.boards(2)[0].tolist()
    began, worked = perf_counter(), process_time()
    for player in (0, 1):
        walk_board(game, board, player, rows, np.float32)
    return perf_counter() - began, process_time() - worked


def _schemes(game: SampledGame) -> Table:
    """What responders gain after the same number of boards."""
    table = Table("scheme", "boards an iteration", "gain on fresh boards", "standard error")
    for name, boards in (("cfr", 20), ("linear", 20), ("dcfr", 20), ("cfr+", 20), ("linear", 5)):
        solver = SampledCFR(game, SCHEMES[name], Sampling(boards=boards))
        solver.advance(TRAINED // boards)
        gain = measure_gain(solver, GAIN_BOARDS)
        table.add_row(name, str(boards), f"{gain.fresh:.2f}", f"{gain.error:.2f}")
    return table


if __name__ == "__main__":
    main()
