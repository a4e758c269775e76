"""Suit-isomorphic index: deals indexed and unindexed a second on one core, beside brute force.

Run with ``python benchmarks/isomorphism.py``. The baseline, measured in the same run, relabels
each deal in all 24 ways with NumPy and keeps the smallest: it finds a canonical deal, which is
less than an index, since the canonical deals would still have to be numbered.
"""

from collections.abc import Callable
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel.cards.isomorphism import (
    Indexer,
    hole_and_board,
    perfect_recall,
    round_tables,
    suit_permutations,
)

DEALS = 2_000_000
BASELINE_DEALS = 200_000
REPEATS = 5


def main() -> None:
    """Measure and print one row per index."""
    rng = np.random.default_rng(5)
    deals = rng.random((DEALS, 52), dtype=np.float32).argpartition(7, axis=1)[:, :7]
    deals = deals.astype(np.uint8)
    table = Table(
        "groups",
        "classes",
        "tables, ms",
        "index, million/s",
        "unindex, million/s",
        "24 relabelings, million/s",
        "index, times faster",
        title=f"{DEALS:,} random deals, one core",
    )
    indexers = [perfect_recall(street) for street in range(4)]
    indexers += [hole_and_board(street) for street in (2, 3)]
    for indexer in indexers:
        table.add_row(*_row(indexer, np.ascontiguousarray(deals[:, : indexer.num_cards])))
    console = Console()
    console.print(table)
    seconds = _best_of(lambda: perfect_recall(3).index_rounds_batch(deals))
    console.print(f"all four rounds of a deal: {DEALS / seconds / 1e6:.1f} million deals/s")


def _row(indexer: Indexer, deals: np.ndarray) -> list[str]:
    """Figures of one index; unindexing takes the indices of the same random deals."""
    indices = indexer.index_batch(deals)
    index = DEALS / _best_of(lambda: indexer.index_batch(deals))
    unindex = DEALS / _best_of(lambda: indexer.unindex_batch(indices))
    baseline = BASELINE_DEALS / _baseline_seconds(indexer, deals[:BASELINE_DEALS])
    return [
        "|".join(map(str, indexer.groups)),
        f"{indexer.size():,}",
        f"{_table_seconds(indexer) * 1e3:.1f}",
        f"{index / 1e6:.1f}",
        f"{unindex / 1e6:.1f}",
        f"{baseline / 1e6:.2f}",
        f"{index / baseline:.0f}",
    ]


def _table_seconds(indexer: Indexer) -> float:
    """Seconds of building an index from nothing."""
    start = process_time()
    for end in range(1, len(indexer.groups) + 1):
        round_tables.__wrapped__(indexer.groups[:end])
    return process_time() - start


def _baseline_seconds(indexer: Indexer, deals: np.ndarray) -> float:
    """Seconds of the smallest of 24 relabelings, over deals [N, n]."""
    sizes = np.array(indexer.groups)
    out = _smallest_relabeling(deals, sizes, suit_permutations())
    assert len(np.unique(out, axis=0)) == len(np.unique(indexer.index_batch(deals)))
    return _best_of(lambda: _smallest_relabeling(deals, sizes, suit_permutations()))


def _smallest_relabeling(deals: np.ndarray, sizes: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Canonical deal as the smallest tuple of 52-bit group sets: [N, groups]."""
    starts = np.cumsum(sizes) - sizes
    ranks, suits = deals.astype(np.int64) & ~3, deals & 3
    best = np.empty((0, 0))
    for image in images.astype(np.int64):
        sets = np.add.reduceat(np.int64(1) << (ranks | image[suits]), starts, axis=1)
        if not len(best):
            best = sets
        first = (sets != best).argmax(axis=1)[:, None]  # group in which the two differ
        smaller = np.take_along_axis(sets, first, 1) < np.take_along_axis(best, first, 1)
        best = np.where(smaller, sets, best)
    return best


def _best_of(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of a few runs (what else runs here must not count)."""
    work()
    seconds = []
    for _ in range(REPEATS):
        start = process_time()
        work()
        seconds.append(process_time() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
