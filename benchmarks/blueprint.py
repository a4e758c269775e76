"""Training over buckets: counting pairs, products, and an iteration beside plainer ways.

Run with ``python benchmarks/blueprint.py [ABSTRACTION]``; without a file, a small abstraction is
made on a few flops. Measured in the same run: counts of bucket pairs beside all pairs of hands
compared by NumPy on the same boards; reaches with few entries multiplied entry by entry beside
BLAS; an iteration of the trainer beside the general solver on the same game. Times are of one
processor, so that a busy machine changes them little.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel.abstraction.abstraction import Abstraction, load_abstraction
from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.features import DEAD
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.work import Store, Workers
from endspiel.betting.model import load_model
from endspiel.blueprint.joint import Joint, count_joint, fingerprint
from endspiel.blueprint.joint_kernels import count_turn_boards
from endspiel.blueprint.train import Trainer
from endspiel.blueprint.train_products import Products
from endspiel.blueprint.training import Setting
from endspiel.cards.deck import hand_cards, hand_masks
from endspiel.cards.strength import board_strengths
from endspiel.cards.strength_tables import strength_tables
from endspiel.engine.schemes import SCHEMES
from endspiel.game import Game, Matrix, TerminalGroup
from endspiel.rules.builtin import load_rules
from endspiel.solvers.firstorder.cfr import CFR

BUCKETS, TERMINALS = 1536, 2000  # of the products
STEPS = 40  # iterations before one is timed


def main() -> None:
    """Measure and print the three tables."""
    console = Console()
    cards = load_abstraction(sys.argv[1]) if len(sys.argv) > 1 else _small_abstraction()
    console.print(_counting(cards))
    console.print(_products())
    console.print(_iteration(cards))


def _small_abstraction() -> Abstraction:
    return make_abstraction(Plan((4, 4, 2, 2)), some_boards(2), Store(None), Workers())


def _counting(cards: Abstraction) -> Table:
    """Bucket pairs of river boards."""
    table = Table("pairs counted by", "ms a river board", "times as fast")
    size, turns = cards.sizes[3], cards.boards.turns[:3]
    nodes = np.stack([cards.board_buckets(turn.tolist()) for turn in turns])
    counts = np.zeros((size, size), np.int64)

    def count(rows: slice) -> None:
        weight, levels = np.ones(len(turns[rows]), np.int64), (cards.river.first, cards.river.limit)
        boards = turns[rows], weight
        count_turn_boards(strength_tables(7), boards, hand_cards(), nodes[rows], levels, counts)

    count(slice(0, 1))
    began = process_time()
    count(slice(1, 3))
    fast = (process_time() - began) / 2 / 48
    rivers = [card for card in range(52) if card not in turns[1]][:3]
    began = process_time()
    for river in rivers:
        _all_pairs(cards, [*turns[1].tolist(), river])
    plain = (process_time() - began) / len(rivers)
    table.add_row("NumPy, all pairs of hands", f"{1e3 * plain:.2f}", "1")
    table.add_row("one walk, weak to strong", f"{1e3 * fast:.3f}", f"{plain / fast:.0f}")
    return table


def _all_pairs(cards: Abstraction, board: list[int]) -> np.ndarray:
    """The same counts of one board, pair by pair."""
    buckets, strengths = cards.board_buckets(board), board_strengths(board).astype(int)
    live = np.flatnonzero(buckets != DEAD)
    apart = (hand_masks()[live][:, None] & hand_masks()[live]) == 0
    halves = np.where(apart, 1 + np.sign(strengths[live][:, None] - strengths[live]), 0)
    cells = buckets[live].astype(np.int64)[:, None] * cards.sizes[3] + buckets[live]
    return np.bincount(cells.ravel(), halves.ravel(), cards.sizes[3] ** 2)


def _products() -> Table:
    """Reaches of different density times a matrix."""
    table = Table("reaches that are not 0", "BLAS, ms", "as trained, ms", "times as fast")
    rng = np.random.default_rng(1)
    matrix = rng.random((BUCKETS, BUCKETS)).astype(np.float32)
    matrix += matrix.T
    seqs = BUCKETS * np.arange(TERMINALS)
    group = TerminalGroup(Matrix(matrix), np.ones(TERMINALS), seqs, seqs)
    products = Products(Game((), (group,)), ThreadPoolExecutor(1), 1)  # type: ignore[arg-type]
    out = np.zeros(BUCKETS * TERMINALS, np.float32)
    for share in (0.5, 0.25, 0.12, 0.06):
        plan = np.where(rng.random(len(out)) < share, 1, 0).astype(np.float32)
        reach = plan.reshape(TERMINALS, BUCKETS)
        products.add_gradient(0, plan, out)
        began = process_time()
        reach @ matrix
        between = process_time()
        products.add_gradient(0, plan, out)
        own = process_time() - between
        table.add_row(
            f"{share:.0%}",
            f"{1e3 * (between - began):.0f}",
            f"{1e3 * own:.0f}",
            f"{(between - began) / own:.1f}",
        )
    return table


def _iteration(cards: Abstraction) -> Table:
    """Discounted CFR over Tartanian5's betting."""
    table = Table("an iteration by", "ms", "times as fast")
    joint: Joint = count_joint(cards)
    setting = Setting(load_rules("nolimit-holdem"), load_model(), joint, fingerprint(cards))
    table.title = f"{setting.size.sequences:,} sequences, {joint.sizes[3]:,} river buckets"
    general = CFR(setting.abstract_game(), SCHEMES["dcfr"])
    special = Trainer(setting.abstract_game(np.float32), SCHEMES["dcfr"])
    found = []
    for solver in (general, special):
        for _ in range(STEPS):
            solver.step()
        began = process_time()
        for _ in range(3):
            solver.step()
        found.append((process_time() - began) / 3)
    table.add_row("the general solver, 64 bits", f"{1e3 * found[0]:.0f}", "1")
    table.add_row("the trainer, 32 bits", f"{1e3 * found[1]:.0f}", f"{found[0] / found[1]:.1f}")
    return table


if __name__ == "__main__":
    main()
