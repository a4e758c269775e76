"""Card abstraction on a sample of flops: distances, clusters and lookups beside plainer ways.

Run with ``python benchmarks/abstraction.py [FLOPS]``. Measured in the same run: the transport
problem itself, solved by HiGHS, beside the distances that stand for it; buckets by expected
strength alone, as many, beside the potential-aware ones; the same number of children for every node
beside the integer program's; an index of each hand beside a lookup by board.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.boards import Boards, some_boards
from endspiel.abstraction.clustering import Points, medians
from endspiel.abstraction.features import (
    DEAD,
    NUM_RIVERS,
    NUM_TURNS,
    count_rivers,
    count_turns,
    equity_bins,
)
from endspiel.abstraction.ground import Ground, line, lines
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.report import street_quality
from endspiel.abstraction.streets import Level
from endspiel.abstraction.work import Store, Workers
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import hand_permutations, perfect_recall
from endspiel.cards.streets import STREETS
from endspiel.cards.strength_tables import strength_tables

PAIRS = 150
LOOKUPS = 300


def main() -> None:
    """Measure and print the four tables."""
    boards = some_boards(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    console = Console()
    console.print(_distances(boards))
    began = process_time()
    made = make_abstraction(Plan((8, 12, 4, 4)), boards, Store(None), Workers())
    seconds = process_time() - began
    console.print(f"8-12-4-4 on {len(boards.flops)} flops: {seconds:.1f} s of one processor")
    console.print(_branching(made))
    console.print(_lookups(made))


def _flop_histograms(boards: Boards) -> tuple[np.ndarray, Level, Ground]:
    """Histograms of flop hands over 64 turn clusters, the clusters, and the ground below them."""
    plan = Plan((8, 64, 64, 8), perfect_recall=False)
    turn = make_abstraction(plan, boards, Store(None), Workers()).turn
    counts = np.empty((len(boards.flops), NUM_HANDS, turn.size), np.uint8)
    rows = (boards.turn_row, boards.turn_relabeling)
    count_turns(
        rows, (hand_cards(), hand_permutations()), turn.buckets.reshape(-1, NUM_HANDS), counts
    )
    histograms = counts.reshape(-1, turn.size)
    return histograms[histograms.any(axis=1)], turn, line(plan.detail.river_bins, NUM_RIVERS)


def _distances(boards: Boards) -> Table:
    """How near each distance is to the transport problem's, for any pairs and for equal means."""
    histograms, turn, below = _flop_histograms(boards)
    ground = lines(turn.centers, turn.mass, below, NUM_TURNS)
    apart = below.distance(turn.centers[:, None], turn.centers[None])
    rng = np.random.default_rng(0)
    chosen = histograms[rng.choice(len(histograms), 2 * PAIRS, replace=False)]
    means = chosen @ turn.value
    near = chosen[np.argsort(means)]
    ways: dict[str, Callable[[np.ndarray, np.ndarray], object]] = {
        "transport problem": lambda a, b: _transport(a, b, apart),
        "sum of lines (used)": lambda a, b: ground.distance(ground.embed(a), ground.embed(b)),
        "one line, by mean": lambda a, b: wasserstein_distance(turn.value, turn.value, a, b),
        "L1 of histograms": lambda a, b: np.abs(a.astype(int) - b).sum() / (2 * NUM_TURNS),
    }
    table = Table(
        "distance", "correlation", "the same, equal means", "of the whole", "times faster",
        title=f"Earth mover's distance of flop hands, {PAIRS} pairs",
    )  # fmt: skip
    exact: list[np.ndarray] = []
    slowest = 0.0
    for name, way in ways.items():
        began = perf_counter()
        found = [
            np.array([way(a, b) for a, b in set_.reshape(PAIRS, 2, -1)]) for set_ in (chosen, near)
        ]
        seconds = perf_counter() - began
        exact = exact or found
        slowest = slowest or seconds
        fits = [f"{np.corrcoef(e, f)[0, 1]:.4f}" for e, f in zip(exact, found, strict=True)]
        share = found[0].mean() / exact[0].mean()
        table.add_row(name, *fits, f"{share:.0%}", f"{slowest / seconds:.0f}")
    return table


def _transport(a: np.ndarray, b: np.ndarray, apart: np.ndarray) -> float:
    """Least work that turns one histogram into another, by linear programming."""
    i, j = np.flatnonzero(a), np.flatnonzero(b)
    rows = np.kron(np.eye(len(i)), np.ones(len(j)))
    columns = np.kron(np.ones(len(i)), np.eye(len(j)))
    solved = linprog(
        apart[np.ix_(i, j)].ravel(),
        A_eq=np.vstack([rows, columns]),
        b_eq=np.concatenate([a[i], b[j]]),
    )
    return float(solved.fun) / NUM_TURNS


def _branching(made: Abstraction) -> Table:
    """Distance inside buckets: as made, with equal branching, and by expected strength."""
    table = Table(
        "street", "buckets", "distance", "equal branching, times", "by mean equity alone, times",
        title="Mean distance of a hand to its bucket's center",
    )  # fmt: skip
    for name in STREETS:
        street = street_quality(getattr(made, name))
        by_mean = "-"
        if name == "turn":
            by_mean = f"{_by_mean(made) / street['distance']:.2f}"
        equal = street["distance_equal_branching"] / max(street["distance_program"], 1e-12)
        table.add_row(
            name, f"{street['buckets']}", f"{street['distance']:.4f}", f"{equal:.3f}", by_mean
        )
    return table


def _by_mean(made: Abstraction) -> float:
    """Distance of turn hands in as many children of each flop bucket, cut by mean equity."""
    plan, boards = made.plan, made.boards
    ground = line(plan.detail.river_bins, NUM_RIVERS)
    rng = np.random.default_rng(1)
    rows = rng.choice(len(boards.turns), min(60, len(boards.turns)), replace=False)
    counts = np.empty((len(rows), NUM_HANDS, plan.detail.river_bins), np.uint8)
    bins = equity_bins(plan.detail.river_bins)
    count_rivers(strength_tables(7), boards.turns[rows], hand_cards(), bins, counts)
    points = ground.embed(counts).reshape(-1, plan.detail.river_bins - 1)
    buckets = made.turn.buckets.reshape(-1, NUM_HANDS)[rows].reshape(-1)
    total, hands = 0.0, 0
    for node in range(made.flop.size):
        first, last = made.turn.family.first[node : node + 2]
        inside = points[(buckets >= first) & (buckets < last) & (buckets != DEAD)]
        if not len(inside):
            continue
        rank = np.argsort(np.argsort(ground.means(inside), kind="stable"))
        labels = (rank * (last - first) // len(inside)).astype(np.int32)
        some = Points(inside, np.ones(len(inside), np.int64), ground)
        centers = medians(some, labels, int(last - first))
        total += float(ground.distance(inside, centers[labels]).sum())
        hands += len(inside)
    return total / hands


def _lookups(made: Abstraction) -> Table:
    """Microseconds for all hands of a board, and how much longer their indices take."""
    table = Table("street", "all hands, µs", "index of each hand, times", title="Lookups")
    rng = np.random.default_rng(2)
    boards = [
        made.boards.turns[row].tolist() for row in rng.integers(0, len(made.boards.turns), 50)
    ]
    boards = [[*board, next(c for c in range(52) if c not in board)] for board in boards]
    for street, cards in ((1, 3), (2, 4), (3, 5)):
        seen = [board[:cards] for board in boards]
        ours = _seconds(partial(_each, made.board_buckets, seen))
        deals = [_deals(board) for board in seen]
        index = perfect_recall(street).index_batch
        theirs = _seconds(partial(_each, index, deals))
        table.add_row(STREETS[street], f"{ours / 50 * 1e6:.1f}", f"{theirs / ours:.1f}")
    return table


def _deals(board: list[int]) -> np.ndarray:
    """Every hand that can be held on a board, with the board."""
    hands = hand_cards()[~np.isin(hand_cards(), board).any(axis=1)]
    return np.column_stack([hands, np.tile(np.array(board, np.uint8), (len(hands), 1))])


def _each(work: Callable[[Any], object], of: Sequence[object]) -> None:
    """The work, once for each."""
    for one in of:
        work(one)


def _seconds(work: Callable[[], object]) -> float:
    """The best of several runs."""
    times = []
    for _ in range(LOOKUPS // 50):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
