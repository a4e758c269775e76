"""Packed regrets: bits a value, and packing and unpacking beside a plain copy of the floats.

    python benchmarks/packing.py [--ranks 4] [--iterations 30] [--bits 12] [--max-raises 1]

Limit hold'em on a small deck is solved for some iterations, its river regrets and averages are
packed and unpacked as decomposed solves do it, and the same floats are copied in the same run.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.games.holdem import limit_holdem
from endspiel.kernels.arrays import Float32s
from endspiel.kernels.packing import PackedShape, pack, unpack
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.subgames import AVERAGE, REGRET, packed_scale

RIVER = 3
TIMES = 5


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of some calls; one before them compiles."""
    work()
    spent = []
    for _ in range(TIMES):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


def measure(name: str, values: Float32s, shape: PackedShape, scale: float) -> None:
    """Print one line."""
    count = int(shape.hands.sum()) * shape.rows
    target = np.empty_like(values)
    packed = pack(values, shape, scale, least=0.0)  # as CFR+ does; every call is alike then
    times = (
        seconds(lambda: pack(values, shape, scale)),
        seconds(lambda: unpack(packed, shape, scale, target)),
        seconds(lambda: np.copyto(target, values)),
    )
    packing, unpacking, copying = (count / spent / 1e6 for spent in times)
    print(
        f"{name:8} {8 * len(packed) / count:5.2f} bits a value, {packing:4.0f} million a second "
        f"packed, {unpacking:4.0f} unpacked, {copying:5.0f} copied: "
        f"{copying / packing:.1f} and {copying / unpacking:.1f} copies' time"
    )


def main() -> None:
    """Regrets, then averages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--bits", type=int, default=12)
    parser.add_argument("--max-raises", type=int, default=1)
    given = parser.parse_args()
    game = limit_holdem(given.ranks, max_raises=given.max_raises).cards
    solver = BoardCFR(game, SPOT_SCHEMES["cfr+"])
    solver.advance(given.iterations)
    side = game.cards[RIVER].sides[0]
    print(f"{4 * given.ranks} cards, rivers of {side.hands[0]} hands")
    for name in (REGRET, AVERAGE):
        rows = solver.store.street_rows(getattr(solver.store, name), RIVER, 0)
        shape = PackedShape(side.start, side.hands, rows.shape[1])
        scale = packed_scale(game.tree, RIVER, given.bits, name)
        measure(name, rows.ravel(), shape, scale)


if __name__ == "__main__":
    main()
