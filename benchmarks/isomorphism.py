"""Suit-isomorphic index: deals indexed and unindexed a second on one core, beside brute force.

Run with ``python benchmarks/isomorphism.py``. The baseline, measured in the same run and also
jitted, relabels each deal in all 24 ways and keeps the smallest: it finds a canonical deal, which
is less than an index, since the canonical deals would still have to be numbered.
"""

from collections.abc import Callable
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel.cards.isomorphism import Indexer, hole_and_board, perfect_recall, suit_permutations
from endspiel.cards.isomorphism_tables import round_tables
from endspiel.jit import njit

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
    """Seconds of building an index from nothing, its kernels being compiled."""
    start = process_time()
    for end in range(1, len(indexer.groups) + 1):
        round_tables.__wrapped__(indexer.groups[:end])
    return process_time() - start


def _baseline_seconds(indexer: Indexer, deals: np.ndarray) -> float:
    """Seconds of the smallest of 24 relabelings, over deals [N, n]."""
    sizes = np.array(indexer.groups)
    out = np.empty((len(deals), len(sizes)), dtype=np.int64)
    _smallest_relabeling(deals, sizes, suit_permutations(), out)
    assert len(np.unique(out, axis=0)) == len(np.unique(indexer.index_batch(deals)))
    return _best_of(lambda: _smallest_relabeling(deals, sizes, suit_permutations(), out))


@njit(cache=True)
def _smallest_relabeling(deals, sizes, images, out):  # type: ignore[no-untyped-def]
    """Canonical deal as the smallest tuple of 52-bit group sets: [N, groups]."""
    sets = np.empty(len(sizes), dtype=np.int64)
    for row in range(len(deals)):
        for number in range(len(images)):
            at = 0
            for group in range(len(sizes)):
                sets[group] = 0
                for i in range(at, at + sizes[group]):
                    card = np.int64(deals[row, i])
                    sets[group] |= np.int64(1) << ((card & ~3) | images[number, card & 3])
                at += sizes[group]
            smaller = number == 0
            for group in range(len(sizes)):
                if smaller or sets[group] != out[row, group]:
                    smaller = smaller or sets[group] < out[row, group]
                    break
            if smaller:
                out[row] = sets


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
